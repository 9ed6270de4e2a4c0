package compensate

import "rths"

// Keys that a search tunes, by kind. The ranges were chosen on fourteen scenarios from 102.4 to
// 4096 Hz: each holds the least tracking error found there, or ends where a loop was lost or little
// was left to gain. Kinds that have none:
//
//   - none, and tf, zpk, ss, fir, which have no numbers of their own;
//   - kinds as printed, amb-galmez2021, amb-fixed, kf-ning2020, kf-table5, kf-literal, rodeac, because
//     they are what a paper has: tune amb, kf, adm, mbc;
//   - lqg, which needs a feedforward beside it.

// cutoff is the low-pass of an adaptation, below the Nyquist frequency of tests at 100 Hz.
var cutoff = rths.Tunable{Key: "filter_hz", From: 5, To: 40, Log: true}

// seriesOrder is the order of an inverse by derivatives.
var seriesOrder = rths.Tunable{Key: "order", From: 1, To: 3, Whole: true}

// delayError is a factor on τ: the delay of a plant with its specimen differs by 25 % from the
// delay of the transfer system alone on the single-actuator benchmark.
var delayError = rths.Tunable{Key: "tau_ms", From: 0.7, To: 1.4, Relative: true}

// The lead of PI removes a delay of lead_num[1] over lead_num[2].
var piTunable = []rths.Tunable{
	{Key: "ki", From: 40, To: 250, Log: true},
	{Key: "lead_num[1]", From: 0.3, To: 2, Log: true, Relative: true},
	{Key: "kp", From: 0.4, To: 3, Log: true},
}

// Γ is a factor, because a gamma that is given switches to the printed normaliser (see AMB).
var ambTunable = []rths.Tunable{
	{Key: "gamma", From: 0.01, To: 10, Log: true, Relative: true},
	seriesOrder, cutoff,
}

// Only qf²/r_mm2 counts, because the filter has no process noise: r_mm2 stays.
var kfTunable = []rths.Tunable{{Key: "qf", From: 0.03, To: 3, Log: true}, cutoff}

// Taps stand one sample apart, or up to 7.57 ms at 4096 Hz; adm leaves this to the plant, because few
// distances suit four taps and more. λ below 1 winds P up while little moves: at 4096 Hz four
// parameters lose the loop, on one plant with 0.9999. Two and three bear it.
var (
	tapDistance = rths.Tunable{Key: "spacing", From: 1, To: 32, Log: true, Whole: true}

	admTunable = []rths.Tunable{
		{Key: "q", From: 2, To: 5, Whole: true}, cutoff,
		{Key: "p0", From: 0.01, To: 10, Log: true, Relative: true},
	}
	adm2Tunable = []rths.Tunable{{Key: "forgetting", From: 0.99, To: 1}}
	adm3Tunable = []rths.Tunable{tapDistance, {Key: "forgetting", From: 0.995, To: 1}, cutoff}
	adm4Tunable = []rths.Tunable{tapDistance, cutoff}
)

var atsTunable = []rths.Tunable{seriesOrder, {Key: "window_s", From: 0.2, To: 4, Log: true}, cutoff}

var catsTunable = []rths.Tunable{
	seriesOrder, cutoff,
	{Key: "p0", From: 0.001, To: 10, Log: true, Relative: true},
	{Key: "forgetting", From: 0.998, To: 1},
}

var (
	peTunable  = []rths.Tunable{delayError, {Key: "order", From: 1, To: 4, Whole: true}}
	lagTunable = []rths.Tunable{delayError}
)

// The lag stays below the lead.
var phaseLeadTunable = []rths.Tunable{
	{Key: "lead_ms", From: 5, To: 20, Log: true},
	{Key: "lag_ms", From: 0.3, To: 4, Log: true},
}

// The delay itself is learnt.
var forwardTunable = []rths.Tunable{
	{Key: "order", From: 1, To: 3, Whole: true},
	{Key: "gain_rate", From: 0, To: 0.5},
	{Key: "tau_rate", From: 0, To: 0.5},
}

// a[2] is the delay of the model.
var mbcTunable = []rths.Tunable{{Key: "a[2]", From: 0.7, To: 1.4, Relative: true}}

// The estimator is fast or slow by disturbance_um and shaping_hz.
var (
	disturbance = rths.Tunable{Key: "disturbance_um", From: 10, To: 1000, Log: true}
	shaping     = rths.Tunable{Key: "shaping_hz", From: 0.2, To: 3, Log: true}

	mbcLQGTunable = []rths.Tunable{{Key: "error_weight", From: 1, To: 100, Log: true}, disturbance, shaping}
	smcTunable    = []rths.Tunable{{Key: "lambda_rad_s", From: 0.2, To: 3, Log: true, Relative: true}, disturbance, shaping}
)

var kalmanInverseTunable = []rths.Tunable{
	{Key: "lag_sd", From: 0.01, To: 0.3, Log: true},
	{Key: "jerk_hz", From: 50, To: 400, Log: true},
	{Key: "band_hz", From: 15, To: 60, Log: true},
}

// Only the ratio of W1 and W2 counts where there is no W3: w1_num stays.
var hinfTunable = []rths.Tunable{
	{Key: "w2_num", From: 0.5, To: 15, Log: true, Relative: true},
	{Key: "disturbance", From: 0.1, To: 1, Log: true},
}

// Shorter steps and a larger disturbance lose the loop on most plants.
var mpcTunable = []rths.Tunable{
	{Key: "move_weight", From: 3e-4, To: 0.1, Log: true},
	{Key: "step_ms", From: 2, To: 6, Log: true},
	{Key: "disturbance_um", From: 10, To: 500, Log: true},
}

// Only the ratio of error_weight and state_weight counts, and of qe_mm2_s and re_mm2_s. δ is
// no factor, because the models in front of adm-msmc start from a test with the δ at hand.
var (
	reachingRate = rths.Tunable{Key: "delta", From: 100, To: 1000, Log: true}
	msmcTunable  = []rths.Tunable{
		{Key: "error_weight", From: 1e4, To: 1e6, Log: true},
		reachingRate,
		{Key: "time_scale_rad_s", From: 150, To: 500, Log: true},
	}
	admMSMCTunable = []rths.Tunable{
		{Key: "qe_mm2_s", From: 1e-8, To: 3e-6, Log: true},
		{Key: "error_weight", From: 1e4, To: 1e6, Log: true},
		reachingRate,
		{Key: "q", From: 2, To: 5, Whole: true},
	}
)
