package procfs

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"strings"
	"testing"
)

const oddMaps = `00400000-00401000 r--p 00000000 fe:00 247026                             /usr/bin/cat
00401000-00405000 r-xp 00001000 fe:00 247026                             /usr/bin/cat
7f0000000000-7f0000001000 rw-s 00000000 00:01 18446744073709551615       /memfd:a b (deleted)
7f0000001000-7f0000002000 r--p 1fffffffff000 103:10001 5                  /tmp/two  spaces and trailing 
7f0000002000-7f0000003000 r--p 00000000 00:2b 9                          /tmp/line\012feed
7f0000003000-7f0000004000 r--p 00000000 00:2b 9                          /tmp/back\slash (deleted)
7f0000004000-7f0000005000 rw-p 00000000 00:00 0 
7f0000005000-7f0000006000 rw-p 00000000 00:00 0                          [anon:a name]
7f0000006000-7f0000007000 rw-s 00000000 00:0e 1031                       anon_inode:[perf_event]
7f0000007000-7f0000008000 ---p 00000000 00:00 0 
55d000000000-55d000021000 rw-p 00000000 00:00 0                          [heap]
7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                          [stack]
7ffd00100000-7ffd00102000 r-xp 00000000 00:00 0                          [vdso]
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
`

func TestParseMaps(t *testing.T) {
	cat := Mapping{Start: 0x400000, End: 0x401000, Read: true, DevMajor: 0xfe, Inode: 247026, Path: "/usr/bin/cat"}
	text := cat
	text.Start, text.End, text.Offset, text.Exec = 0x401000, 0x405000, 0x1000, true
	anon := func(start, end uint64, path string) Mapping {
		return Mapping{Start: start, End: end, Read: true, Write: true, Path: path}
	}
	want := []Mapping{
		cat, text,
		{Start: 0x7f0000000000, End: 0x7f0000001000, Read: true, Write: true, Shared: true, DevMinor: 1,
			Inode: math.MaxUint64, Path: "/memfd:a b", Deleted: true},
		{Start: 0x7f0000001000, End: 0x7f0000002000, Offset: 0x1fffffffff000, Read: true, DevMajor: 0x103,
			DevMinor: 0x10001, Inode: 5, Path: "/tmp/two  spaces and trailing "},
		{Start: 0x7f0000002000, End: 0x7f0000003000, Read: true, DevMinor: 0x2b, Inode: 9, Path: "/tmp/line\nfeed"},
		{Start: 0x7f0000003000, End: 0x7f0000004000, Read: true, DevMinor: 0x2b, Inode: 9, Path: `/tmp/back\slash`, Deleted: true},
		anon(0x7f0000004000, 0x7f0000005000, ""),
		anon(0x7f0000005000, 0x7f0000006000, "[anon:a name]"),
		{Start: 0x7f0000006000, End: 0x7f0000007000, Read: true, Write: true, Shared: true, DevMinor: 0xe, Inode: 1031,
			Path: "anon_inode:[perf_event]"},
		{Start: 0x7f0000007000, End: 0x7f0000008000},
		anon(0x55d000000000, 0x55d000021000, "[heap]"),
		anon(0x7ffd00000000, 0x7ffd00021000, "[stack]"),
		{Start: 0x7ffd00100000, End: 0x7ffd00102000, Read: true, Exec: true, Path: "[vdso]"},
		{Start: 0xffffffffff600000, End: 0xffffffffff601000, Exec: true, Path: "[vsyscall]"},
	}
	got, err := ParseMaps(strings.NewReader(oddMaps))
	if err != nil {
		t.Fatal(err)
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("line %d: %+v, want %+v", i+1, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d mappings, want %d", len(got), len(want))
	}
}

func TestParseMapsLongPath(t *testing.T) {
	path := "/" + strings.Repeat(`\012`, 4095)
	got, err := ParseMaps(strings.NewReader("1000-2000 r--p 00000000 00:01 1 " + path + "\n"))
	if err != nil || len(got) != 1 || got[0].Path != "/"+strings.Repeat("\n", 4095) {
		t.Errorf("%d mappings, %v", len(got), err)
	}
}

func TestParseMapsBad(t *testing.T) {
	for _, line := range []string{
		"", "1000", "1000-2000", "1000-2000 r--p", "2000-1000 r--p 0 0:0 0", "1000-2000 r- 0 0:0 0",
		"1000:2000 r--p 0 0:0 0", "1000-2000 r--p 0 0-0 0", "1000-2000 r--p 0 0:0 18446744073709551616",
		"1000-10000000000000000 r--p 0 0:0 0", "1000-2000 r--p 0 100000000:0 0", "1000-2000 r--p x 0:0 0",
	} {
		if m, err := ParseMaps(strings.NewReader(line + "\n")); err == nil {
			t.Errorf("%q: %+v", line, m)
		}
	}
}

func TestParseStatus(t *testing.T) {
	const text = "Name:\ta:b\\n c\nUmask:\t0022\nState:\tt (tracing stop)\nTgid:\t12\nNgid:\t0\nPid:\t13\nPPid:\t1\n" +
		"TracerPid:\t99\nUid:\t1000\t0\t4294967295\t7\nGid:\t1\t2\t3\t4\nFDSize:\t64\nGroups:\t \nNStgid:\t12\t1\n" +
		"NSpid:\t13\t2\t1\nThreads:\t3\nSigPnd:\t0000000000000200\nShdPnd:\t0000000000000001\nSigBlk:\tffffffffffffffff\n" +
		"SigIgn:\t0000000000001000\nSigCgt:\t0000000180014a07\nCapPrm:\t000001ffffffffff\nCapEff:\t0000000000080000\n" +
		"NoNewPrivs:\t1\nSeccomp:\t2\nx86_Thread_features:\tshstk wrss \nx86_Thread_features_locked:\t\n"
	want := Status{Name: `a:b\n c`, State: 't', Tgid: 12, Pid: 13, PPid: 1, TracerPid: 99,
		Uids: [4]uint32{1000, 0, math.MaxUint32, 7}, Gids: [4]uint32{1, 2, 3, 4}, NSpid: []int{13, 2, 1}, Threads: 3,
		SigPnd: 0x200, ShdPnd: 1, SigBlk: math.MaxUint64, SigIgn: 0x1000, SigCgt: 0x180014a07,
		CapPrm: 0x1ffffffffff, CapEff: 0x80000, NoNewPrivs: true, Seccomp: 2, ThreadFeatures: []string{"shstk", "wrss"}}
	if got, err := ParseStatus(strings.NewReader(text)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
	for _, bad := range []string{"State", "Pid:\tx", "Uid:\t1\t2\t3", "Gid:\t1\t2\t3\t4294967296", "SigBlk:\tg", "NSpid:\t1 x"} {
		if s, err := ParseStatus(strings.NewReader(bad + "\n")); err == nil {
			t.Errorf("%q: %+v", bad, s)
		}
	}
}

func TestParseStat(t *testing.T) {
	const rest = " S 1 12 13 0 -1 4194560 100 77 0 0 1 2 0 0 20 0 7 0 5555 1000 200 18446744073709551615\n"
	for _, comm := range []string{"cat", "a b", "a) R 9 (b", ")", "", "x\ny"} {
		got, err := ParseStat(strings.NewReader("12 (" + comm + ")" + rest))
		want := Stat{PID: 12, Comm: comm, State: 'S', PPID: 1, PGID: 12, Session: 13, Flags: 4194560, Threads: 7, ChildFaults: 77, StartTime: 5555}
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v", comm, got, err)
		}
	}
	for _, bad := range []string{"", "12", "12 (cat", "12 cat)", "x (cat)" + rest, "12 (cat) S 1", "12 (cat)" + strings.Replace(rest, "5555", "x", 1)} {
		if s, err := ParseStat(strings.NewReader(bad)); err == nil {
			t.Errorf("%q: %+v", bad, s)
		}
	}
}

func TestParseAuxv(t *testing.T) {
	var b bytes.Buffer
	for _, v := range []uint64{33, 0x7ffd00100000, 9, math.MaxUint64, 0, 0, 1, 1} {
		b.Write(binary.LittleEndian.AppendUint64(nil, v))
	}
	whole := b.Bytes()
	got, err := ParseAuxv(bytes.NewReader(whole))
	if want := map[uint64]uint64{33: 0x7ffd00100000, 9: math.MaxUint64}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for n := 1; n < 48; n++ {
		if v, err := ParseAuxv(bytes.NewReader(whole[:n])); err == nil {
			t.Errorf("%d bytes: %v", n, v)
		}
	}
}

func FuzzParseMaps(f *testing.F) {
	for line := range strings.Lines(oddMaps) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, text string) {
		maps, err := ParseMaps(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, m := range maps {
			if m.End < m.Start || strings.Contains(m.Path, `\012`) && !strings.Contains(text, `\\012`) && !strings.Contains(text, `\0\012`) {
				t.Fatalf("%+v from %q", m, text)
			}
		}
		if len(maps) != strings.Count(strings.TrimSuffix(text, "\n")+"\n", "\n") && text != "" {
			t.Fatalf("%d mappings from %q", len(maps), text)
		}
	})
}
