package compensate

import "rths"

// The keys that a search tunes stand with each method; keys of several methods stand here. The ranges were chosen on
// fourteen scenarios from 102.4 to 4096 Hz: each holds the least tracking error found there, or ends where a loop was
// lost or little was left to gain. Kinds that have none:
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

// lagTunable is of the methods that have nothing but a delay.
var lagTunable = []rths.Tunable{delayError}

// The estimator is fast or slow by disturbance_um and shaping_hz.
var (
	disturbance = rths.Tunable{Key: "disturbance_um", From: 10, To: 1000, Log: true}
	shaping     = rths.Tunable{Key: "shaping_hz", From: 0.2, To: 3, Log: true}
)

// reachingRate is δ of msmc. It is no factor, because the models in front of adm-msmc start from a test with the δ at
// hand.
var reachingRate = rths.Tunable{Key: "delta", From: 100, To: 1000, Log: true}
