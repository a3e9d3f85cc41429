package arena

import (
	"sync/atomic"
	"unsafe"
)

// loadWord and storeWord access one aligned word of shared memory that the
// target reads or writes at the same time. Mappings start on a page and all
// offsets are multiples of 8, so the processor does each access in one piece.
func loadWord(mem []byte, off uint64) uint64 {
	return atomic.LoadUint64((*uint64)(unsafe.Pointer(&mem[off : off+8][0])))
}

func storeWord(mem []byte, off, v uint64) {
	atomic.StoreUint64((*uint64)(unsafe.Pointer(&mem[off : off+8][0])), v)
}

// LoadWord32 reads one aligned 32-bit word of shared memory.
func LoadWord32(mem []byte, off uint64) uint32 {
	return atomic.LoadUint32((*uint32)(unsafe.Pointer(&mem[off : off+4][0])))
}

// StoreWord32 writes one aligned 32-bit word of shared memory.
func StoreWord32(mem []byte, off uint64, v uint32) {
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&mem[off : off+4][0])), v)
}

// LoadWord reads one aligned word of shared memory.
func LoadWord(mem []byte, off uint64) uint64 { return loadWord(mem, off) }

// StoreWord writes one aligned word of shared memory.
func StoreWord(mem []byte, off, v uint64) { storeWord(mem, off, v) }
