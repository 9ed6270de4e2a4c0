package compensate

import "rths/method/identify"

// Watched is implemented by compensators that identify the plant by a regression of their
// commands on the measurement. Residual is, after each Step, what the parameters in use leave
// of the newest pair of filtered command y and regressor φ,
//
//	left = y − φ'θ, m,
//
// and the standard deviation of left, m, that the noise of the displacement sensor explains:
// white noise of At.Noise through the filter and the taps θ. It is not the error of the
// motion, and it says nothing of noise inside the loop, which the command y has too. It
// allocates nothing, but for the first call, and is asked in the tick of the Step: a state that
// was restored has not all of the histories. combine.Fallback looks at it.
// A method whose residual is something else says so by Watches.
type Watched interface {
	Residual() (left, noise float64)
}

// Settler is a method that remembers old readings for a while. Its residual and its bounds say
// nothing about the plant meanwhile.
type Settler interface{ Settles() bool }

// Sharer is a method that learns from its commands, and whose commands need not be all that
// the rig gets. Share is called once, before the first Step; sent has one entry for each
// actuator, which is set before every Step. follows reports whether the method learns from
// what the rig gets also while another method commands.
type Sharer interface {
	Share(sent []identify.Sent) (follows bool)
}
