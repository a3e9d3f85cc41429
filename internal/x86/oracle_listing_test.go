package x86

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// eachLine runs objdump and passes on the address, length and text of each
// line of its disassembly.
func eachLine(t *testing.T, fn func(addr uint64, n int, text []byte), args ...string) {
	t.Helper()
	cmd := exec.Command("objdump", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v: install Debian's binutils", err)
	}
	sc := bufio.NewScanner(bufio.NewReaderSize(out, 1<<20))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		if addr, n, text, ok := parseLine(sc.Bytes()); ok {
			fn(addr, n, text)
		}
	}
	if err := errors.Join(sc.Err(), cmd.Wait()); err != nil {
		t.Fatalf("objdump: %v", err)
	}
}

// parseLine splits "  401000:\tf3 0f 1e fa \tendbr64".
func parseLine(line []byte) (addr uint64, n int, text []byte, ok bool) {
	head, rest, found := bytes.Cut(line, []byte(":\t"))
	if !found {
		return 0, 0, nil, false
	}
	code, text, found := bytes.Cut(rest, []byte{'\t'})
	if !found {
		return 0, 0, nil, false
	}
	addr, ok = parseHex(bytes.TrimLeft(head, " "))
	return addr, (len(bytes.TrimRight(code, " ")) + 1) / 3, text, ok
}

func parseHex(b []byte) (v uint64, ok bool) {
	for _, c := range b {
		switch {
		case c >= '0' && c <= '9':
			v = v<<4 | uint64(c-'0')
		case c >= 'a' && c <= 'f':
			v = v<<4 | uint64(c-'a'+10)
		default:
			return 0, false
		}
	}
	return v, len(b) > 0
}

// flowOf is the flow class that a mnemonic has.
func flowOf(text []byte) Flow {
	for _, w := range bytes.Fields(text) {
		if isPrefixName(string(w)) || bytes.HasPrefix(w, []byte("notrack")) {
			continue
		}
		m, _, _ := bytes.Cut(w, []byte{','}) // branch hints: jne,pn
		return mnemonicFlow(string(m), bytes.HasPrefix(branchOperand(text), []byte{'*'}))
	}
	return FlowNone
}

func mnemonicFlow(m string, indirect bool) Flow {
	switch {
	case strings.HasPrefix(m, "loop"), m == "jrcxz", m == "jecxz":
		return FlowLoop
	case (m == "jmp" || m == "ljmp") && indirect:
		return FlowJmpInd
	case (m == "call" || m == "lcall") && indirect:
		return FlowCallInd
	case m == "jmp":
		return FlowJmp
	case m == "call":
		return FlowCall
	case m == "xbegin":
		return FlowXbegin
	case m[0] == 'j':
		return FlowJcc
	case m == "ret", m == "lret", strings.HasPrefix(m, "iret"), strings.HasPrefix(m, "sysret"),
		strings.HasPrefix(m, "sysexit"), m == "rsm", m == "retw", m == "uiret":
		return FlowRet
	case m == "int3", m == "int", m == "int1", m == "hlt", m == "ud0", m == "ud1", m == "ud2":
		return FlowTrap
	case m == "syscall", m == "sysenter":
		return FlowSyscall
	}
	return FlowNone
}

// branchOperand is the last operand, without the <symbol+offset> or the
// # comment that explains it.
func branchOperand(text []byte) []byte {
	before, _, _ := bytes.Cut(text, []byte(" <"))
	before, _, _ = bytes.Cut(before, []byte(" #"))
	before = bytes.TrimRight(before, " ")
	return before[bytes.LastIndexByte(before, ' ')+1:]
}

// isData reports whether objdump found no instruction.
func isData(text []byte) bool {
	if bytes.Contains(text, []byte("(bad)")) || bytes.Contains(text, []byte("{bad")) ||
		bytes.HasPrefix(text, []byte(".byte")) {
		return true
	}
	for _, w := range bytes.Fields(text) {
		if !isPrefixName(string(w)) {
			return false
		}
	}
	return len(text) > 0
}

func isPrefixName(w string) bool {
	switch w {
	case "data16", "addr32", "lock", "rep", "repz", "repnz", "bnd", "cs", "ds", "es", "ss", "fs", "gs":
		return true
	}
	return w == "rex" || strings.HasPrefix(w, "rex.")
}
