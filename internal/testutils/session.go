package testutils

import (
	"path/filepath"
	"strings"
	"testing"
)

// Session is a shell of some language, psql or sqlite3, that stays open between
// statements, so that its process can be hooked.
type Session struct {
	*Process
	print string // the shell's command that prints its argument
}

const marker = "--- end of answer ---"

// StartSession starts a shell that reads statements from its standard input and whose
// command print prints its argument.
func StartSession(t testing.TB, as *User, print, path string, args ...string) *Session {
	t.Helper()
	return &Session{StartProcess(t, as, path, args...), print}
}

// Exec sends statements and returns what the shell printed, without the last line end.
func (s *Session) Exec(text string) string {
	s.t.Helper()
	s.Send(text)
	s.Send(s.print + " '" + marker + "'")
	return strings.Join(s.Until(marker), "\n")
}

// StartSQLite opens SQLite's shell on a fresh database in memory. It stops at the first
// error.
func StartSQLite(t testing.TB, as *User) *Session {
	t.Helper()
	return StartSession(t, as, ".print", Program(t, "sqlite3", "sqlite3"), "-batch", "-bail", ":memory:")
}

// StartPython starts Debian's /usr/bin/python3 with compute.py, a victim that computes
// and checks its results.
func StartPython(t testing.TB, as *User) *Victim {
	t.Helper()
	return StartAs(t, as, Program(t, "/usr/bin/python3", "python3"), filepath.Join(VictimDir(t), "compute.py"))
}
