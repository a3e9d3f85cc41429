package testutils

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const serverStart = 20 * time.Second

// Redis is a running redis-server that keeps nothing and is only reached by its
// Unix socket.
type Redis struct {
	*Process
	Socket string
}

// StartRedis starts Debian's redis-server and waits until it answers.
func StartRedis(t testing.TB, as *User) *Redis {
	t.Helper()
	path := Program(t, "redis-server", "redis-server")
	dir := tempDir(t, as)
	r := &Redis{Socket: filepath.Join(dir, "s")}
	r.Process = StartProcess(t, as, path, "--port", "0", "--unixsocket", r.Socket, "--dir", dir,
		"--save", "", "--appendonly", "no", "--daemonize", "no", "--logfile", "")
	Eventually(t, serverStart, "redis-server answers", func() error {
		_, err := TryProgram(t, nil, Command{Path: Program(t, "redis-cli", "redis-tools"), Args: []string{"-s", r.Socket, "ping"}})
		return err
	})
	return r
}

// CLI runs one command through redis-cli and returns its raw answer.
func (r *Redis) CLI(args ...string) string {
	r.t.Helper()
	out := RunProgram(r.t, nil, Command{
		Path: Program(r.t, "redis-cli", "redis-tools"),
		Args: append([]string{"-s", r.Socket, "-e"}, args...),
	})
	return strings.TrimSuffix(out, "\n")
}

// Benchmark runs redis-benchmark with the given options and fails the test if it
// reports an error. It returns requests per second by the test's name.
func (r *Redis) Benchmark(args ...string) map[string]float64 {
	r.t.Helper()
	out := RunProgram(r.t, nil, Command{
		Path:    Program(r.t, "redis-benchmark", "redis-tools"),
		Args:    append([]string{"-s", r.Socket, "--csv"}, args...),
		Timeout: 5 * time.Minute,
	})
	rates, err := parseRedisCSV(out)
	if err != nil {
		r.t.Fatalf("redis-benchmark: %v in\n%s", err, out)
	}
	return rates
}

// parseRedisCSV reads lines such as "GET","123456.78","0.2",... behind a header.
func parseRedisCSV(out string) (map[string]float64, error) {
	rates := map[string]float64{}
	for line := range strings.Lines(out) {
		cells := strings.Split(strings.TrimSpace(line), ",")
		if len(cells) < 2 || !strings.HasPrefix(cells[0], `"`) {
			return nil, fmt.Errorf("line %q", line)
		}
		name := strings.Trim(cells[0], `"`)
		if name == "test" {
			continue
		}
		rate, err := strconv.ParseFloat(strings.Trim(cells[1], `"`), 64)
		if err != nil {
			return nil, err
		}
		rates[name] = rate
	}
	if len(rates) == 0 {
		return nil, fmt.Errorf("no result")
	}
	return rates, nil
}

// Commands returns how often the server has executed each command, by its own
// count. The INFO that asks is not yet in its own answer.
func (r *Redis) Commands() map[string]uint64 {
	r.t.Helper()
	calls := map[string]uint64{}
	for line := range strings.Lines(r.CLI("info", "commandstats")) {
		// cmdstat_get:calls=100,usec=...
		name, rest, ok := strings.Cut(strings.TrimSpace(line), ":calls=")
		if !ok {
			continue
		}
		digits, _, _ := strings.Cut(rest, ",")
		n, err := strconv.ParseUint(digits, 10, 64)
		if err != nil {
			r.t.Fatalf("commandstats line %q", line)
		}
		calls[strings.TrimPrefix(name, "cmdstat_")] = n
	}
	return calls
}

// Sum adds up the counts of all names.
func Sum(counts map[string]uint64) uint64 {
	var sum uint64
	for _, n := range counts {
		sum += n
	}
	return sum
}
