package rig

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

// append appends number and place and the words; a window that counts nothing has no
// state.
func (w *window) append(dst []float64) []float64 {
	if w.within == 0 {
		return dst
	}
	dst = append(dst, w.late, float64(w.at))
	for _, word := range w.bits {
		dst = append(dst, float64(word))
	}
	return dst
}

// set restores what append appended.
func (w *window) set(src []float64) []float64 {
	if w.within == 0 {
		return src
	}
	w.late, w.at, src = src[0], int(src[1]), src[2:]
	for i := range w.bits {
		w.bits[i] = uint32(src[i])
	}
	return src[len(w.bits):]
}
