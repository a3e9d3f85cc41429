package unwind

import (
	"sync/atomic"
	"unsafe"
)

// The target reads while we write: each store is one instruction on an aligned
// place. Stores reach other processors in program order.

func store64(mem []byte, off int, v uint64) {
	atomic.StoreUint64((*uint64)(unsafe.Pointer(&mem[off : off+8][0])), v)
}

func store32(mem []byte, off int, v uint32) {
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&mem[off : off+4][0])), v)
}
