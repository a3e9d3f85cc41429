package testutils

import "testing"

// Repeatedly runs a program over and over in the background until the returned function is
// called, which lets the last run finish and fails the test if any run failed. It
// returns how many there were.
func Repeatedly(t testing.TB, as *User, c Command) (stop func() int) {
	t.Helper()
	quit, done := make(chan struct{}), make(chan struct{})
	var runs int
	var err error
	go func() {
		defer close(done)
		for ; err == nil; runs++ {
			select {
			case <-quit:
				return
			default:
				_, err = TryProgram(t, as, c)
			}
		}
	}()
	stopped := false
	end := func() int {
		if !stopped {
			stopped = true
			close(quit)
			<-done
			if err != nil {
				t.Errorf("%s in the background: %v", c.Path, err)
			}
		}
		return runs
	}
	t.Cleanup(func() { end() })
	return end
}

// StartLoad runs redis-benchmark with the given options again and again in the
// background, as [Repeatedly] does.
func (r *Redis) StartLoad(args ...string) (stop func() int) {
	r.t.Helper()
	return Repeatedly(r.t, nil, Command{
		Path: Program(r.t, "redis-benchmark", "redis-tools"),
		Args: append([]string{"-s", r.Socket, "--csv"}, args...),
	})
}
