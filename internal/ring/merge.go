package ring

import "container/heap"

// Source is what a Merger merges: one thread's records, in their order.
type Source struct {
	*Ring
	ID int // told with each record

	buf  []Record
	next int
}

// Merged is a record with the ID of its source.
type Merged struct {
	Record
	ID int
}

// Merger brings the records of many rings into the order of time. Each ring's own
// order is kept whatever the times say. Records are held back for one round, since
// another ring may bring an earlier one: a thread takes the time before it has
// finished the record. One that comes later than that (its thread was not running in
// between) comes out late, not lost.
type Merger struct {
	sources []*Source
	heap    sourceHeap
}

// Add adds a source.
func (m *Merger) Add(s *Source) { m.sources = append(m.sources, s) }

// roundMost bounds what one round takes from one ring, so that a thread that writes
// as fast as it is read does not keep the others waiting.
const roundMost = 1 << 16

// Round reads all rings once and calls emit, in the order of time, for every record
// that is not later than until, a time before the last round. It returns how many
// records came from the rings.
func (m *Merger) Round(until uint64, emit func(Merged)) (read int) {
	m.heap = m.heap[:0]
	for _, s := range m.sources {
		s.buf, s.next = append(s.buf[:0], s.buf[s.next:]...), 0
		n := len(s.buf)
		s.buf = s.Read(s.buf, roundMost)
		read += len(s.buf) - n
		if len(s.buf) > 0 {
			m.heap = append(m.heap, s)
		}
	}
	heap.Init(&m.heap)
	for len(m.heap) > 0 && m.heap[0].first() <= until {
		s := m.heap[0]
		emit(Merged{s.buf[s.next], s.ID})
		if s.next++; s.next == len(s.buf) {
			heap.Pop(&m.heap)
		} else {
			heap.Fix(&m.heap, 0)
		}
	}
	return read
}

// first is the time of the next record.
func (s *Source) first() uint64 { return s.buf[s.next].Time }

type sourceHeap []*Source

func (h sourceHeap) Len() int           { return len(h) }
func (h sourceHeap) Less(i, j int) bool { return h[i].first() < h[j].first() }
func (h sourceHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *sourceHeap) Push(x any)        { *h = append(*h, x.(*Source)) }
func (h *sourceHeap) Pop() any {
	old := *h
	s := old[len(old)-1]
	*h = old[:len(old)-1]
	return s
}
