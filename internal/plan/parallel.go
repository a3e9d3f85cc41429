package plan

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// batch is how many items a worker takes at a time.
const batch = 256

// parallel calls f for each i in 0..n-1, on as many workers as there are cores;
// calls with the same worker number do not overlap.
func parallel(n int, f func(worker, i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for worker := range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for lo := int(next.Add(batch)) - batch; lo < n; lo = int(next.Add(batch)) - batch {
				for i := lo; i < min(lo+batch, n); i++ {
					f(worker, i)
				}
			}
		})
	}
	wg.Wait()
}
