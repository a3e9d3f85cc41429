// Package ring reads the event rings that threads of a target write.
//
// A ring belongs to one thread, which alone writes it; the tracer alone reads it.
// Both have it in shared memory, so it outlives the target. Nothing blocks: a
// thread that finds its ring full counts the record as lost and goes on. The reader
// looks by a timer, never in a loop: a line that it reads while the thread writes it
// costs the thread more than the record itself.
//
//	ring                                        record, 32 bytes
//	   0  head   u64  records reserved           0  stamp  u32  see below
//	  64  lost   u64  records not written        4  what   u32  kind << 28 | site
//	 128  limit  u64  head may grow to this      8  time   u64  of the event, in ticks
//	 192  births u64  threads that had it       16  slot   u64  address of the return slot
//	 256  the last 1024 births, 16 bytes each   24  start  u64  exit: time of the entry
//	16640 records
//
//	birth
//	   0  head   u64  records before it
//	   8  stamp  u32  its number, from 1
//	  12  tid    u32  the thread's id; 0: not known
//
// Head and limit count records since the beginning; a record's place is its number
// modulo the ring's size, a power of two. The thread reserves a record by one
// compare-and-exchange of head, which no signal handler of the thread can come
// between, fills it, and then stores its stamp: the number of the record plus one,
// cut to 32 bits. A handler that interrupts between reserves the next one and
// finishes it first. The reader takes records in the order in which they were
// reserved, each when its stamp is right, and then moves limit, which is the only
// word that it writes. Head, lost and limit have lines of their own: limit is read by
// the thread for each record, and written by the reader only when it has looked.
//
// A handler that leaves by longjmp may leave a record that nobody finishes. It is in
// the way of those behind it ([Ring.Stuck]) until a stop shows that no thread is
// inside a program; then [Ring.Skip] counts it lost.
//
// A thread that gets the ring counts births, notes head and its id in the entry of that
// number, and then stores the stamp. All of that is before its first record.
//
// A [Ring] and a [Merger] are used by one goroutine at a time.
package ring
