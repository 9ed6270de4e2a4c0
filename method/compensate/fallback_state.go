package compensate

import (
	"math"

	"rths"
)

// Freeze holds what both methods have learnt, and the method that commands.
func (c *fallback) Freeze(on bool) {
	c.frozen = on
	c.hold()
}

// Idealise leaves out stroke, rate and the blend, too.
func (c *fallback) Idealise(on bool) {
	c.ideal = on
	c.group.Idealise(on)
}

// AtBounds are the parameters of the adaptive method, while it commands.
func (c *fallback) AtBounds() []string {
	if b, ok := rths.As[Bounded](c.group[0]); ok && c.in == 0 {
		return b.AtBounds()
	}
	return nil
}

// Channels are the channels of the adaptive method, the channels of the safe one with the
// prefix "fallback_", the share of the safe method, why, and the residual that is watched.
func (c *fallback) Channels() (out []rths.Channel) {
	for i, m := range c.group {
		ch, ok := rths.As[rths.Channeler](m)
		if !ok {
			continue
		}
		for _, channel := range ch.Channels() {
			if i == 1 {
				channel.Name = "fallback_" + channel.Name
			}
			out = append(out, channel)
		}
	}
	return append(out,
		rths.Channel{Name: "fallback", Unit: "-", V: &c.share},
		rths.Channel{Name: "fallback_cause", Unit: "-", V: &c.cause},
		rths.Channel{Name: "fallback_residual_pct", Unit: "%", V: &c.watch.pct})
}

// AppendState appends also where in a blend the command is.
func (c *fallback) AppendState(dst []float64) []float64 {
	dst = c.group.AppendState(dst)
	w := &c.watch
	dst = append(dst, float64(c.k), float64(c.j), c.share, w.bound, w.unfit, w.left, w.explained, w.command, w.pct)
	for i := range c.axes {
		a := &c.axes[i]
		for m := range c.group {
			dst = append(dst, a.method[m][:]...)
		}
		dst = append(append(append(dst, a.left[:]...), a.peak[:]...), a.out.last)
	}
	return dst
}

func (c *fallback) SetState(src []float64) []float64 {
	src = c.group.SetState(src)
	w := &c.watch
	c.k, c.j = int(src[0]), int(src[1])
	c.share, w.bound, w.unfit, w.left, w.explained, w.command, w.pct = src[2], src[3], src[4], src[5], src[6], src[7], src[8]
	src = src[9:]
	for i := range c.axes {
		a := &c.axes[i]
		for _, to := range [][]float64{a.method[0][:], a.method[1][:], a.left[:], a.peak[:]} {
			src = src[copy(to, src):]
		}
		a.out.last, src = src[0], src[1:]
	}
	c.hold()
	return src
}

// AppendAdaptation appends also the method that commands, why, and its blend.
func (c *fallback) AppendAdaptation(dst []float64) []float64 {
	asked := 0.0
	if c.asked {
		asked = 1
	}
	dst = append(c.group.AppendAdaptation(dst), float64(c.in), float64(c.most), c.cause, asked)
	for i := range c.axes {
		dst = append(dst, c.axes[i].e, c.axes[i].v, c.axes[i].slope)
	}
	return dst
}

func (c *fallback) SetAdaptation(src []float64) []float64 {
	src = c.group.SetAdaptation(src)
	c.in, c.most, c.cause, c.asked = int(math.Round(src[0])), int(src[1]), src[2], src[3] != 0
	src = src[4:]
	for i := range c.axes {
		c.axes[i].e, c.axes[i].v, c.axes[i].slope, src = src[0], src[1], src[2], src[3:]
	}
	c.hold()
	return src
}
