package combine

import (
	"rths"
	"rths/method/compensate"
)

// Freeze holds what both methods have learnt, and the method that commands.
func (c *fallback) Freeze(on bool) {
	c.frozen = on
	c.hold()
}

// Idealise leaves out stroke, rate and the blend, too.
func (c *fallback) Idealise(on bool) {
	c.ideal = on
	c.Group.Idealise(on)
}

// AtBounds are the parameters of the adaptive method, while it commands.
func (c *fallback) AtBounds() []string {
	if b, ok := rths.As[compensate.Bounded](c.Group[0]); ok && c.in == 0 {
		return b.AtBounds()
	}
	return nil
}

// Channels are the channels of the adaptive method, the channels of the safe one with the
// prefix "fallback_", the share of the safe method, why, and the residual that is watched.
func (c *fallback) Channels() (out []rths.Channel) {
	for i, m := range c.Group {
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

// VisitState visits also where in a blend the command is.
func (c *fallback) VisitState(v *rths.StateVisitor) {
	c.Group.VisitState(v)
	w := &c.watch
	v.Int(&c.k, &c.j)
	v.Float(&c.share, &w.bound, &w.unfit, &w.left, &w.explained, &w.command, &w.pct)
	for i := range c.axes {
		a := &c.axes[i]
		v.Floats(a.method[0][:], a.method[1][:], a.left[:], a.peak[:])
		v.State(&a.out)
	}
	if v.Restoring() {
		c.hold()
	}
}

// VisitAdaptation visits also the method that commands, why, and its blend.
func (c *fallback) VisitAdaptation(v *rths.StateVisitor) {
	c.Group.VisitAdaptation(v)
	v.Int(&c.in, &c.most)
	v.Float(&c.cause)
	v.Bool(&c.asked)
	for i := range c.axes {
		a := &c.axes[i]
		v.Float(&a.e, &a.v, &a.slope)
	}
	if v.Restoring() {
		c.hold()
	}
}
