package bench

import (
	"context"
	"testing"
	"time"

	"github.com/functap/functap/hook"
	"github.com/functap/functap/internal/testutils"
)

// BenchmarkRedisAttach measures the time from the decision to hook 1,000 functions of a
// redis-server that works until they are hooked, symbols and analysis included, and the
// time to detach.
func BenchmarkRedisAttach(b *testing.B) {
	r := testutils.StartRedis(b, nil)
	var attached, detached []time.Duration
	for range repeats {
		began := time.Now()
		p, err := hook.Attach(context.Background(), r.PID(), nil)
		if err != nil {
			b.Fatal(err)
		}
		funcs := sitesOf(b, p.Executable())
		count(b, p, funcs[:1000])
		attached = append(attached, time.Since(began))
		began = time.Now()
		closeProcess(b, p)
		detached = append(detached, time.Since(began))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(milliseconds(median(attached)), "attach-ms")
	b.ReportMetric(milliseconds(median(detached)), "detach-ms")
}

// BenchmarkRedisCounted measures pipelined GET requests a second while all functions of
// redis-server are counted, as a share of the bare server's.
func BenchmarkRedisCounted(b *testing.B) {
	r := testutils.StartRedis(b, nil)
	var bare, counted []float64
	for range 3 {
		bare = append(bare, getRate(r))
		p := attach(b, r.PID())
		count(b, p, sitesOf(b, p.Executable()))
		counted = append(counted, getRate(r))
		closeProcess(b, p)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(bare), "bare-req/s")
	b.ReportMetric(100*median(counted)/median(bare), "counted-%")
}

func getRate(r *testutils.Redis) float64 {
	return r.Benchmark("-n", "400000", "-c", "50", "-P", "16", "-t", "get")["GET"]
}
