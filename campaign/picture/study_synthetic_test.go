package picture

import (
	"fmt"
	"math"
	"math/rand/v2"

	"rths/campaign/study"
)

// madeStudy is a study of n runs with k inputs of numbers, over levels of compensators and records.
// J2 grows with the first input and with the number of the compensator; one run in twenty diverges.
func madeStudy(n, k, compensators, records int) *Study {
	random := rand.New(rand.NewPCG(7, 1))
	s := &Study{Name: "scatter of plants", Level: 0.95, Facts: []StudyFact{{"Base scenario", "siso.yaml"}, {"Seed", "7"}}}
	for i := range k {
		s.Inputs = append(s.Inputs, StudyInput{Name: fmt.Sprintf("specimen.parameter_%d", i+1), Values: make([]float64, n)})
	}
	levels := func(name string, of int, word func(i int) string) []string {
		if of == 0 {
			return nil
		}
		in := StudyInput{Name: name, Labels: make([]string, n)}
		s.Inputs = append(s.Inputs, in)
		for i := range n {
			if name == "record" {
				in.Labels[i] = word(i / max(1, compensators) % of)
			} else {
				in.Labels[i] = word(i % of)
			}
		}
		return in.Labels
	}
	levels("compensator", compensators, func(i int) string { return fmt.Sprintf("method-%02d", i+1) })
	levels("record", records, func(i int) string { return fmt.Sprintf("record %c", 'A'+i) })
	s.Outputs = []StudyOutput{{Name: "J2_pct", Doc: "RMS tracking error", Values: make([]float64, n)},
		{Name: "J1_ms", Doc: "tracking delay", Values: make([]float64, n)}, {Name: "SW_max", Values: make([]float64, n)}}
	s.Status = make([]string, n)
	for i := range n {
		for j := range k {
			s.Inputs[j].Values[i] = 1.19e6 * math.Exp(0.1*random.NormFloat64()) * math.Pow10(-2*j)
		}
		lead := 0.0
		if k > 0 {
			lead = math.Log(s.Inputs[0].Values[i] / 1.19e6)
		}
		s.Outputs[0].Values[i] = 2 + 4*lead + 0.3*math.Abs(random.NormFloat64()) + 0.4*float64(i%max(1, compensators))
		s.Outputs[1].Values[i] = 0.2 * random.NormFloat64()
		s.Outputs[2].Values[i] = math.Exp(3 * random.NormFloat64())
		s.Status[i] = "completed"
		if random.Float64() < 0.05 {
			s.Status[i], s.Outputs[0].Values[i] = "diverged", math.NaN()
		}
	}
	return s
}

// madeSearch is a swarm of 15 candidates over 10 generations in four gains, and six maps of 21 × 21
// points around the optimum, where large gains have no value.
func madeSearch() *Study {
	random := rand.New(rand.NewPCG(7, 2))
	at := []float64{8.4, 6.2, 2.1, 0.8}
	value := func(g []float64) float64 {
		v := 0.85
		for i, x := range g {
			v += (x - at[i]) * (x - at[i]) * []float64{0.3, 1, 0.4, 0.05}[i]
		}
		return v * math.Exp(max(0, g[0]+g[1]-18)*2)
	}
	h := &StudySearch{Objective: "R2_pct", Best: []float64{}}
	for i := range at {
		h.Tuned = append(h.Tuned, StudyInput{Name: fmt.Sprintf("compensator.gain%d", i), Log: true})
		h.Optimum = append(h.Optimum, math.Pow(10, at[i]))
	}
	best := math.Inf(1)
	for g := range 10 {
		for range 15 {
			p := make([]float64, 4)
			for i := range p {
				p[i] = at[i] + 4*math.Exp(-float64(g)/4)*(2*random.Float64()-1)
				h.Tuned[i].Values = append(h.Tuned[i].Values, math.Pow(10, p[i]))
			}
			v, broken := value(p), 0.0
			if p[0]+p[1] > 17.5 {
				v, broken = math.NaN(), 0.3
			}
			h.Generation, h.Value, h.Violation = append(h.Generation, g+1), append(h.Value, v), append(h.Violation, broken)
			if v < best {
				best = v
			}
		}
		h.Best = append(h.Best, best)
	}
	s := &Study{Name: "calibration of the gains", Search: h}
	for i := range at {
		for j := range i {
			m := Map{X: h.Tuned[j].Name, Y: h.Tuned[i].Name, LogX: true, LogY: true, MarkX: h.Optimum[j],
				MarkY: h.Optimum[i], Objective: h.Objective}
			for n := range 21 {
				m.AtX, m.AtY = append(m.AtX, math.Pow(10, at[j]+0.3*float64(n-10))),
					append(m.AtY, math.Pow(10, at[i]+0.3*float64(n-10)))
			}
			for y := range 21 {
				var row []float64
				for x := range 21 {
					g := append([]float64{}, at...)
					g[j], g[i] = at[j]+0.3*float64(x-10), at[i]+0.3*float64(y-10)
					v := value(g)
					if g[0]+g[1] > 18.5 {
						v = math.NaN()
					}
					row = append(row, v)
				}
				m.Value = append(m.Value, row)
			}
			s.Maps = append(s.Maps, m)
		}
	}
	return s
}

// withSobol adds indices of every input of numbers.
func withSobol(s *Study) *Study {
	for _, o := range s.Outputs[:2] {
		bars := study.Indices{Name: o.Name}
		for i, in := range s.Inputs {
			if in.Values != nil {
				v := math.Pow(2, -float64(i+1))
				bars.Inputs = append(bars.Inputs, study.SobolOfInput{Key: in.Name,
					First: study.Index{Value: v, From: v - 0.05, To: v + 0.05},
					Total: study.Index{Value: v + 0.04, From: v, To: v + 0.1}})
			}
		}
		s.Sobol = append(s.Sobol, bars)
	}
	return s
}

// withSummary adds a summary of the main output of all runs and of each compensator.
func withSummary(s *Study) *Study {
	s.Summary = []StudySummary{{Output: "J2_pct", N: 570, Mean: 3.123456, MeanFrom: 3.0123, MeanTo: 3.2346, SD: 0.9876,
		Quantiles: []study.Quantile{{P: 0.5, Value: 3.05, From: 2.95, To: 3.15},
			{P: 0.9, Value: 4.4444, From: 4.3333, To: 4.5555}}}}
	for i := range 5 {
		s.Summary = append(s.Summary, StudySummary{Group: fmt.Sprintf("method-%02d", i+1), Output: "J2_pct", N: 114,
			Mean: 2.1 + 0.4*float64(i), MeanFrom: 2 + 0.4*float64(i), MeanTo: 2.2 + 0.4*float64(i), SD: 0.4,
			Quantiles: []study.Quantile{{P: 0.9, Value: 3, From: math.NaN(), To: math.NaN()}}})
		s.Summary = append(s.Summary, StudySummary{Group: fmt.Sprintf("method-%02d", i+1), Output: "J1_ms", N: 114,
			Mean: 0.01, SD: 0.2, MeanFrom: math.NaN(), MeanTo: math.NaN()})
	}
	s.Failures = []study.Failure{{Status: "diverged", Reason: "|target| above 1 m", Runs: 30}}
	return s
}

// indicesOf are the two indices of an input with their intervals.
func indicesOf(key string, first, firstFrom, firstTo, total, totalFrom, totalTo float64) study.SobolOfInput {
	return study.SobolOfInput{Key: key, First: study.Index{Value: first, From: firstFrom, To: firstTo},
		Total: study.Index{Value: total, From: totalFrom, To: totalTo}}
}
