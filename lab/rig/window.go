package rig

import "rths"

// LongestWindow is the largest GuardConfig.Late.Within, ticks.
const LongestWindow = 1_000_000

// window knows which of the last ticks were late, a bit for each. The zero window knows nothing.
type window struct {
	late   float64 // number of late ticks, a channel
	within int     // ticks; 0: counts nothing
	at     int     // place of the next tick
	bits   []uint32
}

const wordBits = 32 // a number of a state holds them exactly

func newWindow(within int) window {
	return window{within: within, bits: make([]uint32, (within+wordBits-1)/wordBits)}
}

// add is one more tick, which takes the place of the oldest. Of a window without late ticks only
// a late one changes anything.
func (w *window) add(late bool) {
	if w.within == 0 || !late && w.late == 0 {
		return
	}
	word, bit := &w.bits[w.at/wordBits], uint32(1)<<(w.at%wordBits)
	if *word&bit != 0 {
		*word &^= bit
		w.late--
	}
	if late {
		*word |= bit
		w.late++
	}
	if w.at++; w.at == w.within {
		w.at = 0
	}
}

// clear forgets all ticks.
func (w *window) clear() {
	clear(w.bits)
	w.late, w.at = 0, 0
}

// visit visits number and place and the words; a window that counts nothing has no
// state.
func (w *window) visit(v *rths.StateVisitor) {
	if w.within == 0 {
		return
	}
	v.Float(&w.late)
	v.Int(&w.at)
	for i := range w.bits {
		word := float64(w.bits[i])
		v.Float(&word)
		w.bits[i] = uint32(word)
	}
}
