package hook

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/functap/functap/internal/ptrace"
	"github.com/functap/functap/internal/remote"
)

// ErrNoTime: reading the time stamp counter is forbidden to the target, and would kill it.
var ErrNoTime = errors.New("the target has forbidden itself to read the time stamp counter (NO_TIME)")

// From asm/unistd_64.h and linux/prctl.h.
const (
	sysPrctl = 157
	prGetTSC = 25
	tscFails = 2
)

// CheckTime asks, by a system call in a stopped thread, whether generated code may read
// the time. Where the user has said which calls a seccomp filter allows, this is none of
// them, and nothing is asked.
func (p *Process) CheckTime(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return ErrClosed
	}
	if p.opts.TrySeccomp {
		return nil
	}
	var mode [4]byte
	err := p.onAllThreads(ctx, "look", func(st *ptrace.Stop, c *remote.Caller) error {
		at, err := c.Data(mode[:])
		if err != nil {
			return err
		}
		if _, err := c.Syscall(sysPrctl, prGetTSC, at); err != nil {
			return fmt.Errorf("prctl: %w", err)
		}
		_, err = st.Mem().ReadAt(mode[:], int64(at))
		return err
	})
	switch {
	case err != nil:
		return fmt.Errorf("asking whether the time may be read: %w", p.settle(err))
	case binary.LittleEndian.Uint32(mode[:]) == tscFails:
		return ErrNoTime
	}
	return nil
}
