package arena

import "fmt"

// SiteState is how far a site's patch has come.
type SiteState uint32

// States of a site record. Planned means: the text may hold the original or
// the written bytes, whole.
const (
	SiteFree SiteState = iota
	SitePlanned
	SiteActive
	SiteRestored
)

// SiteKind says what a record is about.
type SiteKind uint8

// Kinds of records.
const (
	SiteText SiteKind = iota // a function's entry
	// SiteAnswer is a function that is answered in place of another, which unwinders ask.
	// What is overwritten, if anything, is the pointer that leads to it.
	SiteAnswer
)

// Site is the recovery record of one site: what was overwritten where.
type Site struct {
	Addr  uint64
	State SiteState
	Patch uint8 // bytes overwritten at Addr: 5, or 2 for a short jump
	Hole  uint8 // bytes overwritten at HoleAddr: 5, or 0
	Kind  SiteKind

	Original, Written [8]byte
	HoleAddr          uint64 // of an answer: where a thread enters what it stands in for
	HoleOriginal      [8]byte
	HoleWritten       [8]byte
	Unit              uint32 // index of the stub's unit
}

const (
	siteStateOff = 8
	siteKindOff  = 14
)

func (s *Site) encode(b []byte) {
	le.PutUint64(b[0:], s.Addr)
	le.PutUint32(b[siteStateOff:], uint32(s.State))
	b[12], b[13], b[siteKindOff] = s.Patch, s.Hole, byte(s.Kind)
	copy(b[16:24], s.Original[:])
	copy(b[24:32], s.Written[:])
	le.PutUint64(b[32:], s.HoleAddr)
	copy(b[40:48], s.HoleOriginal[:])
	copy(b[48:56], s.HoleWritten[:])
	le.PutUint32(b[56:], s.Unit)
}

func decodeSite(b []byte) (s Site) {
	s.Addr = le.Uint64(b[0:])
	s.State = SiteState(le.Uint32(b[siteStateOff:]))
	s.Patch, s.Hole, s.Kind = b[12], b[13], SiteKind(b[siteKindOff])
	copy(s.Original[:], b[16:24])
	copy(s.Written[:], b[24:32])
	s.HoleAddr = le.Uint64(b[32:])
	copy(s.HoleOriginal[:], b[40:48])
	copy(s.HoleWritten[:], b[48:56])
	s.Unit = le.Uint32(b[56:])
	return s
}

// UnitKind says what a unit of generated code is.
type UnitKind uint32

// Kinds of units.
const (
	UnitFree UnitKind = iota
	UnitStub
	UnitProgram
	UnitClaim  // the shared routine that gives a thread its area
	UnitAnswer // what is called in place of a function that unwinders ask
	UnitFrame  // the shared routine for frames that are not found at once
)

// Unit is one piece of generated code.
type Unit struct {
	Off  uint32 // in the code
	Len  uint32
	Site uint32 // its site record; NoSite for shared routines
	Exit uint32 // index of its first exit
	N    uint32
	Kind UnitKind
}

// NoSite marks units that belong to no single site.
const NoSite = ^uint32(0)

const unitKindOff = 20

func (u *Unit) encode(b []byte) {
	for i, v := range []uint32{u.Off, u.Len, u.Site, u.Exit, u.N, uint32(u.Kind)} {
		le.PutUint32(b[4*i:], v)
	}
}

func decodeUnit(b []byte) Unit {
	w := func(i int) uint32 { return le.Uint32(b[4*i:]) }
	return Unit{w(0), w(1), w(2), w(3), w(4), UnitKind(w(5))}
}

// Saved says which registers generated code has saved at a boundary, and
// where relative to the stack pointer. The first and second register are rax
// and rcx.
type Saved uint8

// Bits of Saved.
const (
	SavedFirst  Saved = 1 << iota // at -8
	SavedFlags                    // at -16, as lahf and seto leave them in ax
	SavedSecond                   // at -24
	SavedThird                    // at -32: rdx
)

// Token says where, at a boundary of a shared routine, the address is at which the
// program that went there goes on.
type Token uint8

// Places of the token.
const (
	TokenNone   Token = iota
	TokenRCX          // C programs
	TokenR13          // Go programs
	TokenGSBase       // Go, while the routine needs both registers
	TokenStack        // C, then: at -40(%rsp)
	TokenOut          // the frame routine: at -56(%rsp)
)

// Call says, at a boundary of a program that wraps its function, how far the call
// is. The way out of those before CallBack is to the site, of the others to the caller.
type Call uint8

// How far a call is.
const (
	CallNone    Call = iota // nothing is counted, and there is no frame
	CallMaybe               // if the zero flag is set, as CallTaken
	CallTaken               // it has its frame, in which another call's statistics may be: that one was unwound
	CallClaimed             // it has its frame; it is not counted as entered
	CallEntered             // nor is anything else missing but the call
	CallDropped             // as CallEntered, and the return address is off the stack: this is the call
	CallMissed              // counted as missed

	// The same for a function that a wrapped one has jumped to: its frame is the next one
	// of the slot's Joined. In the first state its key is in rdx.
	CallJoinMaybe
	CallJoinTaken
	CallJoinClaimed
	CallJoinEntered // the slot's frame does not say so yet

	CallBack     // the function has returned; the return address is in slot or frame
	CallJoinLeft // so has the last one that had joined, which is counted as left, with its frame still there
	CallRecorded // counted as left, and the frame still there; the return address is in its slot
	CallLeft     // and the frame gone
	CallReturns  // the stack pointer is at the return address again

	// In an answer to unwinders. The way out is to the function that it stands in for, to
	// the caller, or none as long as it may be called on.
	AnswerRestart // nothing is done yet
	AnswerSaved   // the same, with rdi and rsi saved at the stack pointer
	AnswerReturn  // the function has returned
	AnswerWaits   // somebody is being told about generated code
	AnswerLoader  // the loader, below on the stack, is going to call here again
)

// Exit tells how a thread that stands at an instruction boundary of a unit goes on
// in the original code. It holds up to the next one.
type Exit struct {
	Off   uint16 // the first boundary, bytes from the unit's start
	Delta int16  // original ip = site address + Delta
	Pop   uint8  // bytes to take off the stack
	Saved Saved
	Token Token
	Call  Call
}

func (e *Exit) encode(b []byte) {
	le.PutUint16(b[0:], e.Off)
	le.PutUint16(b[2:], uint16(e.Delta))
	b[4], b[5], b[6], b[7] = e.Pop, byte(e.Saved), byte(e.Token), byte(e.Call)
}

func decodeExit(b []byte) Exit {
	return Exit{le.Uint16(b[0:]), int16(le.Uint16(b[2:])), b[4], Saved(b[5]), Token(b[6]), Call(b[7])}
}

// AddSite takes the next site record, in state planned.
func (a *Arena) AddSite(s Site) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.nSite == a.Sites {
		return 0, fmt.Errorf("%w: %d sites", ErrFull, a.Sites)
	}
	i := a.nSite
	a.nSite++
	s.State = SitePlanned
	a.WriteSite(i, s)
	return i, nil
}

func (a *Arena) siteBytes(i int) []byte {
	off := a.SiteOff + uint64(i)*SiteSize
	return a.mem[off : off+SiteSize]
}

// WriteSite replaces record i.
func (a *Arena) WriteSite(i int, s Site) { s.encode(a.siteBytes(i)) }

// ReadSite decodes record i.
func (a *Arena) ReadSite(i int) Site { return decodeSite(a.siteBytes(i)) }

// SetSiteState changes only the state of record i.
func (a *Arena) SetSiteState(i int, st SiteState) {
	StoreWord32(a.mem, a.SiteOff+uint64(i)*SiteSize+siteStateOff, uint32(st))
}

// Reserve takes n bytes of code and tells their address in the target, so
// that a unit can be assembled for it.
func (a *Arena) Reserve(n int) (addr uint64, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	off, ok := a.code.take(uint64(n))
	if !ok {
		return 0, fmt.Errorf("%w: %d bytes of code wanted, %d left", ErrFull, n, a.code.left())
	}
	return a.Code + off, nil
}

// Unreserve gives code back that was reserved and never put into a unit.
func (a *Arena) Unreserve(addr uint64, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.code.give(addr-a.Code, uint64(n))
}

// AddUnit writes a unit's bytes at addr, which Reserve gave, and its table
// entries. The kind is written last: a successor that finds it nonzero finds
// everything else in place. Nothing can be executing at addr.
func (a *Arena) AddUnit(addr uint64, code []byte, site uint32, kind UnitKind, exits []Exit) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	first, ok := a.exits.take(uint64(len(exits)))
	if !ok || len(a.units) == 0 {
		if ok {
			a.exits.give(first, uint64(len(exits)))
		}
		return 0, fmt.Errorf("%w: unit table", ErrFull)
	}
	i := a.units[len(a.units)-1]
	a.units = a.units[:len(a.units)-1]
	off := addr - a.Code
	copy(a.mem[a.NearSize+off:a.NearSize+a.CodeSize], code)
	for k := range exits {
		exits[k].encode(a.mem[a.ExitOff+(first+uint64(k))*ExitSize:])
	}
	u := Unit{uint32(off), uint32(len(code)), site, uint32(first), uint32(len(exits)), UnitFree}
	at := a.UnitOff + uint64(i)*UnitSize
	u.encode(a.mem[at:])
	StoreWord32(a.mem, at+unitKindOff, uint32(kind))
	return i, nil
}

// FreeUnit gives a unit's code and entries back. Precondition: the caller has
// seen, in a stop, that nothing stands in it and no slot names it.
func (a *Arena) FreeUnit(i int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := a.UnitOff + uint64(i)*UnitSize
	u := decodeUnit(a.mem[at:])
	StoreWord32(a.mem, at+unitKindOff, uint32(UnitFree))
	a.code.give(uint64(u.Off), uint64(u.Len))
	a.exits.give(uint64(u.Exit), uint64(u.N))
	a.units = append(a.units, i)
}

// UnitAddr is the address of unit i's code in the target, and its length.
func (a *Arena) UnitAddr(i int) (uint64, uint64) {
	u := decodeUnit(a.mem[a.UnitOff+uint64(i)*UnitSize:])
	return a.Code + uint64(u.Off), uint64(u.Len)
}

// Tables is the arena as a successor sees it: its near data, decoded on use.
func (a *Arena) Tables() *Tables {
	return &Tables{Header: a.header(), near: a.mem[:a.NearSize]}
}

// Room is how many more sites fit.
func (a *Arena) Room() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.Sites - a.nSite
}

// ExitsOf returns the exits of unit i.
func (a *Arena) ExitsOf(i int) []Exit {
	u := decodeUnit(a.mem[a.UnitOff+uint64(i)*UnitSize:])
	out := make([]Exit, u.N)
	for k := range out {
		out[k] = decodeExit(a.mem[a.ExitOff+(uint64(u.Exit)+uint64(k))*ExitSize:])
	}
	return out
}
