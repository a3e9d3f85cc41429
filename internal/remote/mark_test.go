package remote

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/functap/functap/internal/procfs"
	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/testutils"
	"golang.org/x/sys/unix"
)

// TestDeadTracersRegion: memory that a tracer had borrowed when it died serves
// its successor, who leaves zeros there.
func TestDeadTracersRegion(t *testing.T) {
	v := testutils.Start(t, testutils.Build(t, "count.go", testutils.Go), "2")
	tr, err := ptrace.NewTracer()
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	maps, err := procfs.Maps(v.PID())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(maps, func(m procfs.Mapping) bool { return m.Path == "[stack]" })
	want := Region{maps[i].Start, ScratchSize}
	_, err = tr.Stop(context.Background(), v.PID(), ptrace.StopOptions{}, func(s *ptrace.Stop) error {
		left := append(slices.Clone(mark), bytes.Repeat([]byte{0xa5}, ScratchSize-len(mark))...)
		if _, err := s.Mem().WriteAt(left, int64(want.Addr)); err != nil {
			return err
		}
		gadgets, err := FindGadgets(maps, s.Mem())
		if err != nil {
			return err
		}
		th, err := ChooseThread(s)
		if err != nil {
			return err
		}
		r, err := ScratchRegion(s, th, maps, false)
		if err != nil || r != want {
			t.Errorf("region %+v, %v; want %+v", r, err, want)
			return err
		}
		c, err := New(s, th, gadgets, r)
		if err != nil {
			return err
		}
		if pid, err := c.Syscall(unix.SYS_GETPID); err != nil || pid != uint64(v.PID()) {
			t.Errorf("getpid is %d, %v", pid, err)
		}
		if err := c.Close(); err != nil {
			return err
		}
		if !unused(s.Mem(), want) || bytes.HasPrefix(read(t, s, want), mark) {
			t.Error("the region was not cleared")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	v.Run(5)
	v.Quit()
}

func read(t *testing.T, s *ptrace.Stop, r Region) []byte {
	t.Helper()
	b := make([]byte, r.Size)
	if _, err := s.Mem().ReadAt(b, int64(r.Addr)); err != nil {
		t.Fatal(err)
	}
	return b
}
