package hook

import (
	"fmt"

	"github.com/functap/functap/internal/ptrace"
)

// View is a look at some functions of a process: their code and what of any
// functap's is there. It needs no attachment and stops nothing.
type View struct {
	Functions []ViewedFunction
	images    []*Image
}

// ViewedFunction is a function's code.
type ViewedFunction struct {
	Function      *Function
	Original, Now []byte      // as the file has it, and as it is in memory
	Site          *SiteStatus // nil if it is not hooked
}

// Look finds the functions that m chooses in process pid, and their code.
// Another functap may be attached.
func Look(pid int, m Match) (*View, error) {
	v, err := look(pid, m)
	if err != nil {
		return nil, fmt.Errorf("looking at process %d: %w", pid, err)
	}
	return v, nil
}

func look(pid int, m Match) (*View, error) {
	if err := ptrace.Check(pid); err != nil {
		return nil, wrapExit(err)
	}
	st, err := inspect(pid)
	if err != nil {
		return nil, err
	}
	maps, err := mapsOf(pid)
	if err != nil {
		return nil, err
	}
	p := &Process{pid: pid}
	if p.images, err = images(pid, maps); err != nil {
		return nil, err
	}
	funcs, err := p.Functions(m)
	if err != nil {
		return nil, err
	}
	mem, err := openMem(pid)
	if err != nil {
		return nil, err
	}
	defer mem.Close()
	v := &View{images: p.images}
	for _, f := range funcs {
		w := ViewedFunction{Function: f, Site: st.siteOf(f), Now: make([]byte, f.Size())}
		w.Original = f.im.module.Bytes(f.sym.Addr, int(f.Size()))
		if _, err := mem.ReadAt(w.Now, int64(f.Addr())); err != nil {
			return nil, fmt.Errorf("reading %s: %w", f.Name(), err)
		}
		v.Functions = append(v.Functions, w)
	}
	return v, nil
}

// siteOf is the site at a function's entry, or nil.
func (s *Status) siteOf(f *Function) *SiteStatus {
	for i := range s.Sessions {
		for k := range s.Sessions[i].Sites {
			site := &s.Sessions[i].Sites[k]
			if d := site.Addr - f.Addr(); d == 0 || d == 4 && f.hasEndbr() {
				return site
			}
		}
	}
	return nil
}

// Symbol names the function around an address of the process: its name and
// first byte, or "" and 0.
func (v *View) Symbol(addr uint64) (string, uint64) {
	for _, im := range v.images {
		if addr < im.start || addr >= im.end {
			continue
		}
		if f, err := im.functionAt(addr); err == nil && f != nil {
			return f.DisplayName(), f.Addr()
		}
	}
	return "", 0
}

// Bytes are the instructions that a patch of the site displaces, as the file
// has them.
func (s Site) Bytes() []byte { return s.window() }
