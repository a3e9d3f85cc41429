package testutils

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Nginx is a running nginx with one worker, on a free loopback port.
type Nginx struct {
	*Process     // the master
	Worker   int // the worker's PID
	URL      string
}

const nginxConf = `
daemon off;
worker_processes 1;
error_log stderr notice;
pid DIR/pid;
USER
events { worker_connections 256; }
http {
	access_log off;
	client_body_temp_path DIR/body;
	proxy_temp_path DIR/proxy;
	fastcgi_temp_path DIR/fastcgi;
	uwsgi_temp_path DIR/uwsgi;
	scgi_temp_path DIR/scgi;
	server {
		listen ADDR;
		root DIR/www;
	}
}
`

// StartNginx starts Debian's nginx with a configuration of its own and waits until it
// answers. The worker runs as the same user as the master.
func StartNginx(t testing.TB, as *User) *Nginx {
	t.Helper()
	path := Program(t, "nginx", "nginx-light")
	dir := tempDir(t, as)
	addr := freeAddr(t)
	conf := filepath.Join(dir, "nginx.conf")
	user := "" // only root may say it
	if as == nil && os.Getuid() == 0 {
		user = "user root;"
	}
	text := strings.NewReplacer("DIR", dir, "ADDR", addr, "USER", user).Replace(nginxConf)
	writeFile(t, conf, text)
	writeFile(t, filepath.Join(dir, "www", "index.html"), strings.Repeat("hello ", 100))
	n := &Nginx{URL: "http://" + addr + "/index.html"}
	n.Process = StartProcess(t, as, path, "-c", conf, "-p", dir, "-e", "stderr")
	Eventually(t, serverStart, "nginx's worker runs and answers", func() (err error) {
		if n.Worker, err = onlyChild(n.PID()); err != nil {
			return err
		}
		return answers(n.URL)
	})
	n.quiet()
	t.Cleanup(n.stop)
	return n
}

// quiet waits until the worker has closed the connection that it was asked on.
func (n *Nginx) quiet() {
	dir := fmt.Sprintf("/proc/%d/fd", n.Worker)
	for before := -1; ; time.Sleep(20 * time.Millisecond) {
		names, err := os.ReadDir(dir)
		if err != nil || len(names) == before {
			return
		}
		before = len(names)
	}
}

// answers makes a request, which only a worker that has set itself up answers:
// the connection alone is accepted on the master's socket.
func answers(url string) error {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Second}
	resp, err := client.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// stop runs before the process is killed: SIGINT lets the master end its worker at once.
func (n *Nginx) stop() {
	if !n.Running() {
		return
	}
	n.MayExit()
	_ = n.cmd.Process.Signal(os.Interrupt)
	select {
	case <-n.exited:
	case <-time.After(10 * time.Second):
		n.t.Error("nginx does not end")
	}
}

// freeAddr is a loopback address that nobody listens on now. Somebody else could take it
// before the server does, which would then fail loudly.
func freeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func onlyChild(pid int) (int, error) {
	paths, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return 0, err
	}
	var children []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		children = append(children, strings.Fields(string(text))...)
	}
	if len(children) != 1 {
		return 0, fmt.Errorf("process %d has %d children", pid, len(children))
	}
	return strconv.Atoi(children[0])
}

// ABResult is what ApacheBench counted.
type ABResult struct {
	Complete, Failed, Non2xx uint64
	PerSecond                float64
}

// AB sends n requests to a URL, c at a time, and fails the test if not all of them
// were answered with success.
func AB(t testing.TB, url string, n, c int) ABResult {
	t.Helper()
	out := RunProgram(t, nil, Command{
		Path: Program(t, "ab", "apache2-utils"), Timeout: 5 * time.Minute,
		Args: []string{"-q", "-n", strconv.Itoa(n), "-c", strconv.Itoa(c), url},
	})
	var r ABResult
	for line := range strings.Lines(out) {
		key, value, _ := strings.Cut(line, ":")
		value, _, _ = strings.Cut(strings.TrimSpace(value), " ")
		switch key {
		case "Complete requests":
			r.Complete, _ = strconv.ParseUint(value, 10, 64)
		case "Failed requests":
			r.Failed, _ = strconv.ParseUint(value, 10, 64)
		case "Non-2xx responses":
			r.Non2xx, _ = strconv.ParseUint(value, 10, 64)
		case "Requests per second":
			r.PerSecond, _ = strconv.ParseFloat(value, 64)
		}
	}
	if r.Complete != uint64(n) || r.Failed != 0 || r.Non2xx != 0 || r.PerSecond == 0 {
		t.Fatalf("ab: not all of %d requests succeeded:\n%s", n, out)
	}
	return r
}
