package combine

import (
	"rths"
	"rths/maths/signal"
	"rths/method/compensate"
	"rths/method/identify"
)

// chain is what chains in series and in parallel have in common.
type chain struct {
	compensate.Group
	names []string `c:"-"`
}

func chainOf(links []*link) chain {
	var c chain
	for _, l := range links {
		c.Group, c.names = append(c.Group, l.Compensator), append(c.names, l.Name)
	}
	return c
}

// Channels are the channels of all parts.
func (c *chain) Channels() (out []rths.Channel) {
	for i, p := range c.Group {
		if ch, ok := rths.As[rths.Channeler](p); ok {
			for _, channel := range ch.Channels() {
				channel.Name = c.names[i] + "_" + channel.Name
				out = append(out, channel)
			}
		}
	}
	return out
}

// AtBounds are the channels of all parts that a bound holds.
func (c *chain) AtBounds() (out []string) {
	for i, p := range c.Group {
		if b, ok := rths.As[compensate.Bounded](p); ok {
			for _, name := range b.AtBounds() {
				out = append(out, c.names[i]+"_"+name)
			}
		}
	}
	return out
}

// seriesChain passes the command of a part to the next as its target.
type seriesChain struct {
	chain
	commands []float64     // of all parts but the last
	between  []rths.Motion `c:"-"` // targets of the parts after the first: commands
}

type seriesChainWithRates struct{ *seriesChain }

func (seriesChainWithRates) UsesRates() {}

// UsesCurrentForce of the first part, which sees the target.
func (c seriesChainWithRates) UsesCurrentForce() bool { return compensate.UseCurrentForce(c.Group[:1]) }

func newInSeries(links []*link, axes int) rths.Compensator {
	behind := len(links) - 1
	c := &seriesChain{chain: chainOf(links), commands: make([]float64, behind*axes)}
	for i := range behind {
		c.between = append(c.between, rths.Motion{X: c.commands[i*axes:][:axes:axes]})
	}
	if _, rates := rths.As[rths.RateUser](c.Group[0]); rates {
		return seriesChainWithRates{c}
	}
	return c
}

func (c *seriesChain) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	for i := range c.between {
		c.Group[i].Step(c.between[i].X, target, read)
		target = &c.between[i]
	}
	c.Group[len(c.between)].Step(command, target, read)
}

// parallelChain sums the commands of its parts.
type parallelChain struct {
	chain    `c:"-"`
	forward  rths.Compensator // nil: feedback only
	feedback []rths.Compensator
	lead     int
	desired  []*signal.Line  // targets of every actuator, down to the one of the reading's instant
	instant  []float64       // targets of the reading's instant
	aim      rths.Motion     `c:"-"` // of the feedback: instant
	sum, one []float64       // commands of all feedback, and of one part
	sent     []identify.Sent // see compensate.Sharer
	out      []signal.Sane
}

type parallelChainWithRates struct{ *parallelChain }

func (parallelChainWithRates) UsesRates() {}

func (c parallelChainWithRates) UsesCurrentForce() bool { return compensate.UseCurrentForce(c.Group) }

func newInParallel(links []*link, forward *link, at compensate.At) *parallelChain {
	n := max(at.Axes, 1)
	c := &parallelChain{
		chain: chainOf(links), lead: at.Lead,
		instant: make([]float64, n), sum: make([]float64, n), one: make([]float64, n), sent: make([]identify.Sent, n),
		out: make([]signal.Sane, n),
	}
	c.aim.X = c.instant
	for _, l := range links {
		if l == forward {
			c.forward = l.Compensator
		} else {
			c.feedback = append(c.feedback, l.Compensator)
		}
	}
	for range n {
		c.desired = append(c.desired, signal.NewLine(at.Lead+1))
	}
	return c
}

// Step makes the feedback first: a feedforward that learns is told of it.
func (c *parallelChain) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	for i, l := range c.desired {
		l.Push(target.X[i])
		c.instant[i] = l.At(c.lead)
	}
	clear(c.sum)
	for _, p := range c.feedback {
		p.Step(c.one, &c.aim, read)
		for i, u := range c.one {
			c.sum[i] += u
		}
	}
	for i, u := range c.sum {
		c.sent[i].Set(1, u)
	}
	clear(command)
	if c.forward != nil {
		c.forward.Step(command, target, read)
	}
	for i, u := range c.sum {
		command[i] = c.out[i].Of(command[i] + u)
	}
}

func (c *parallelChain) VisitState(v *rths.StateVisitor) {
	c.chain.VisitState(v)
	for i, l := range c.desired {
		v.State(l, &c.out[i])
	}
}
