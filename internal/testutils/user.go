package testutils

import (
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// User is somebody else, to run programs as. A nil *User is whoever runs the test.
type User struct {
	Name string
	UID  uint32
	GID  uint32
	// Dir belongs to the user and is removed when the test ends.
	Dir string
}

// AsUser returns the unprivileged user "nobody". The test must run as root.
func AsUser(t testing.TB) *User {
	t.Helper()
	return asNamed(t, "nobody")
}

func asNamed(t testing.TB, name string) *User {
	t.Helper()
	if os.Getuid() != 0 {
		t.Fatalf("running a program as %s needs root: run the tests as root", name)
	}
	u, err := user.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	if err1 != nil || err2 != nil {
		t.Fatalf("user %s has uid %q, gid %q", name, u.Uid, u.Gid)
	}
	out := &User{Name: name, UID: uint32(uid), GID: uint32(gid)}
	out.Dir = tempDir(t, out)
	return out
}

// tempDir is t.TempDir with a short name, for sockets, and entered by its owner:
// the parent of t.TempDir is closed to everybody else.
func tempDir(t testing.TB, as *User) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ft-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("removing a temporary directory: %v", err)
		}
	})
	if as != nil {
		if err := os.Chown(dir, int(as.UID), int(as.GID)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Command prepares a program to run as this user, in the user's directory.
func (u *User) Command(path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	u.apply(cmd)
	return cmd
}

// Copy puts an executable where the user can run it, for example the running
// test itself, whose directory is closed.
func (u *User) Copy(t testing.TB, path string) string {
	t.Helper()
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	to := filepath.Join(u.Dir, filepath.Base(path))
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(out, in)
	if err1 := out.Close(); err == nil {
		err = err1
	}
	if err != nil {
		t.Fatal(err)
	}
	return to
}

func (u *User) apply(cmd *exec.Cmd) {
	if u == nil {
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: u.UID, Gid: u.GID}}
	cmd.Dir = u.Dir
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, "HOME="+u.Dir, "TMPDIR="+u.Dir)
}
