package arena

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLockMarksTheDead runs this test binary again as a holder of the lock
// that is killed; the word must then carry the kernel's mark.
func TestLockMarksTheDead(t *testing.T) {
	if os.Getenv("ARENA_LOCK_HOLDER") != "" {
		holdForever()
	}
	fd, err := unix.MemfdCreate("lock-test", 0)
	if err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(fd), "lock")
	defer f.Close()
	if err := f.Truncate(PageSize); err != nil {
		t.Fatal(err)
	}
	mem, err := Map(f, PageSize)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=TestLockMarksTheDead")
	cmd.Env = append(os.Environ(), "ARENA_LOCK_HOLDER=1")
	cmd.ExtraFiles = []*os.File{f}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	one := make([]byte, 1)
	if _, err := out.Read(one); err != nil {
		t.Fatal(err)
	}
	if w := LoadWord32(mem, LockOff); w == 0 || w&LockOwnerDied != 0 {
		t.Errorf("held lock reads %#x", w)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if w := LoadWord32(mem, LockOff); w&LockOwnerDied == 0 {
		t.Errorf("dead holder's lock reads %#x", w)
	}
}

func holdForever() {
	runtime.LockOSThread()
	mem, err := Map(os.NewFile(3, "lock"), PageSize)
	if err != nil {
		panic(err)
	}
	if _, err := TakeLock(mem, unix.Gettid()); err != nil {
		panic(err)
	}
	os.Stdout.WriteString("x")
	select {}
}

func TestLockIsReleased(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	mem, err := unix.Mmap(-1, 0, PageSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(mem)
	for range 3 {
		l, err := TakeLock(mem, unix.Gettid())
		if err != nil {
			t.Fatal(err)
		}
		if w := LoadWord32(mem, LockOff); int(w) != unix.Gettid() {
			t.Errorf("word %#x", w)
		}
		l.Release()
		if w := LoadWord32(mem, LockOff); w != 0 {
			t.Errorf("released word %#x", w)
		}
	}
}
