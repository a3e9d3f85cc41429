package tsc

import (
	"testing"
	"time"
)

func TestTick(t *testing.T) {
	c := Start()
	young := c.Tick()
	if young < 0.1 || young > 10 {
		t.Fatalf("%v ns a tick", young)
	}
	start, wall := Now(), time.Now()
	time.Sleep(50 * time.Millisecond)
	ticks, took := Now()-start, time.Since(wall)
	got := time.Duration(float64(ticks) * c.Tick())
	if diff := (got - took).Abs(); diff > took/100 {
		t.Errorf("%d ticks are %v, the clock says %v", ticks, got, took)
	}
}
