package hook

import (
	"context"
	"fmt"
	"testing"

	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/remote"
	"github.com/functap/functap/internal/testutils"
)

// TestRecoverUnrecorded makes what a tracer has made that dies before it writes
// a recovery record. Its name alone tells whose it is.
func TestRecoverUnrecorded(t *testing.T) {
	const size, sysFtruncate = 64 << 10, 77
	for steps, want := range []Cleaned{{}, {Descriptors: 1}, {Descriptors: 1}, {Descriptors: 1, Mappings: 1}, {Descriptors: 1, Mappings: 2}, {Mappings: 2}} {
		t.Run(fmt.Sprintf("%d steps", steps), func(t *testing.T) {
			v := testutils.Start(t, testutils.Build(t, "count.c", testutils.CDynamic), "2")
			before := testutils.TakeSnapshot(t, v.PID())
			p := attachTo(t, v.PID())
			err := p.onAllThreads(context.Background(), "test", func(_ *ptrace.Stop, c *remote.Caller) error {
				name, err := c.Data([]byte(memfdName + "\x00"))
				if err != nil {
					return err
				}
				var fd uint64
				mmap := func(prot, off uint64) func() error {
					return func() error {
						_, err := c.Syscall(sysMmap, 0, size, prot, mapShared, fd, off)
						return err
					}
				}
				for _, step := range []func() error{
					func() (err error) { fd, err = c.Syscall(sysMemfdCreate, name, mfdCloexec); return err },
					func() error { _, err := c.Syscall(sysFtruncate, fd, 4*size); return err },
					mmap(protRead|protWrite, 0),
					mmap(protRead|protExec, size),
					func() error { _, err := c.Syscall(sysClose, fd); return err },
				}[:steps] {
					if err := step(); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			p.mustClose(t)
			if ours := testutils.TakeSnapshot(t, v.PID()).Ours(); (len(ours) > 0) != (steps > 0) {
				t.Errorf("before the recovery there is %v", ours)
			}
			got, err := Recover(context.Background(), v.PID(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got.Descriptors != want.Descriptors || got.Mappings != want.Mappings || got.Sites != 0 {
				t.Errorf("recovered %+v, want %+v", got, want)
			}
			testutils.RequireEqual(t, before, testutils.DiffOptions{})
			v.Run(5)
			v.Quit()
		})
	}
}
