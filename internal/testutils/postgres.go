package testutils

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Postgres is a running database server in a fresh directory, reached by its Unix socket.
type Postgres struct {
	*Process // the postmaster
	dir      string
	as       *User
}

// Options for a throw-away server: no network, no waiting for the disk, nothing running
// in the background that the test did not ask for.
var postgresOptions = []string{
	"listen_addresses=", "fsync=off", "full_page_writes=off", "synchronous_commit=off",
	"shared_buffers=16MB", "max_connections=20", "autovacuum=off", "jit=off",
	"max_parallel_workers_per_gather=0", "dynamic_shared_memory_type=mmap",
}

// StartPostgres makes a database and starts the server. PostgreSQL refuses to run as root:
// with as == nil a test that runs as root starts it as the user "postgres".
func StartPostgres(t testing.TB, as *User) *Postgres {
	t.Helper()
	if as == nil && os.Getuid() == 0 {
		Program(t, "postgres", "postgresql") // whose package makes the user
		as = asNamed(t, "postgres")
	}
	dir := tempDir(t, as)
	data := filepath.Join(dir, "data")
	RunProgram(t, as, Command{
		Path: Program(t, "initdb", "postgresql"), Timeout: 2 * time.Minute,
		Args: []string{"-D", data, "-A", "trust", "-U", "postgres", "-N", "--no-locale", "-E", "UTF8"},
	})
	args := []string{"-D", data, "-k", dir}
	for _, option := range postgresOptions {
		args = append(args, "-c", option)
	}
	p := &Postgres{Process: StartProcess(t, as, Program(t, "postgres", "postgresql"), args...), dir: dir, as: as}
	t.Cleanup(p.stop)
	Eventually(t, serverStart, "postgres answers", func() error {
		_, err := p.try("psql", "-X", "-c", "select 1")
		return err
	})
	return p
}

// stop runs before the process is killed: SIGQUIT ends the server at once, together with
// its children and its shared memory.
func (p *Postgres) stop() {
	if !p.Running() {
		return
	}
	p.MayExit()
	_ = p.cmd.Process.Signal(syscall.SIGQUIT)
	select {
	case <-p.exited:
	case <-time.After(20 * time.Second):
		p.t.Error("postgres does not end")
	}
}

func (p *Postgres) clientArgs(args ...string) []string {
	return append([]string{"-h", p.dir, "-U", "postgres"}, args...)
}

func (p *Postgres) try(client string, args ...string) (string, error) {
	p.t.Helper()
	return TryProgram(p.t, p.as, Command{
		Path: Program(p.t, client, "postgresql"), Args: p.clientArgs(args...),
		Env: []string{"PGDATABASE=postgres"}, Timeout: 5 * time.Minute,
	})
}

// Query runs SQL in a connection of its own and returns the unaligned rows.
func (p *Postgres) Query(sql string) string {
	p.t.Helper()
	out, err := p.try("psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-c", sql)
	if err != nil {
		p.t.Fatalf("psql %q: %v", sql, err)
	}
	return strings.TrimSuffix(out, "\n")
}

// Session opens a connection that stays, and tells the PID of the backend that serves it.
func (p *Postgres) Session() (s *Session, backend int) {
	p.t.Helper()
	args := p.clientArgs("-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-d", "postgres")
	s = StartSession(p.t, p.as, `\echo`, Program(p.t, "psql", "postgresql"), args...)
	return s, atoi(p.t, s.Exec("select pg_backend_pid();"))
}

// Pgbench is a pgbench that waits, connected, until it is let go.
type Pgbench struct {
	*Process
	// Backend is the PID of the server process that will run the statements.
	Backend int

	gate         *Session
	transactions int
}

// gateLock is an arbitrary advisory lock; who holds it keeps pgbench from its first
// statement.
const gateLock = "4711"

// StartPgbench starts pgbench with one client, which will run a script of one or more
// statements n times. It waits inside the first of its statements, so that its backend can
// be hooked before it works. Before each run of the script there is one more statement, the one
// that waits: after Release the backend finishes that one, and starts n-1 others like it, beside
// the script's own.
func (p *Postgres) StartPgbench(script string, n int) *Pgbench {
	p.t.Helper()
	b := &Pgbench{transactions: n}
	b.gate, _ = p.Session()
	b.gate.Exec("select pg_advisory_lock(" + gateLock + ");")
	file := filepath.Join(p.dir, "script.sql")
	writeFile(p.t, file, "select pg_advisory_xact_lock_shared("+gateLock+");\n"+script)
	args := p.clientArgs("-n", "-c", "1", "-t", strconv.Itoa(n), "-f", file, "postgres")
	b.Process = StartProcess(p.t, p.as, Program(p.t, "pgbench", "postgresql"), args...)
	Eventually(p.t, serverStart, "pgbench's backend waits", func() error {
		rows := b.gate.Exec("select pid from pg_stat_activity where application_name = 'pgbench' and wait_event_type = 'Lock';")
		if rows == "" {
			return fmt.Errorf("it does not")
		}
		b.Backend = atoi(p.t, rows)
		return nil
	})
	return b
}

// Release lets pgbench run, waits for its end and fails the test unless every
// transaction succeeded.
func (b *Pgbench) Release() {
	b.t.Helper()
	b.gate.Exec("select pg_advisory_unlock(" + gateLock + ");")
	if err := b.Wait(); err != nil {
		b.t.Fatalf("pgbench: %v%s", err, b.said())
	}
	want := fmt.Sprintf("number of transactions actually processed: %d/%d", b.transactions, b.transactions)
	var lines []string
	for line := range b.lines {
		lines = append(lines, line)
		if line == want {
			return
		}
	}
	b.t.Fatalf("pgbench did not say %q but:\n%s", want, strings.Join(lines, "\n"))
}

func atoi(t testing.TB, s string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		t.Fatalf("%q is not a number", s)
	}
	return n
}
