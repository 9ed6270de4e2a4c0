package papers

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"

	"rths"
	"rths/campaign/suite"
	"rths/model/device"
	"rths/model/plant"
)

// learningScore compares forces ŷ with the true ones y (Malik et al. 2025): rms(y − ŷ)/(max y − min y), the mean of
// |y − ŷ|, 1 − Σ(y − ŷ)²/Σ(y − ȳ)², and (Σ y ŷ)²/(Σy² Σŷ²).
type learningScore struct {
	NRMSE float64 `col:"nrmse_pct"`
	MAE   float64 `col:"mae_N"`
	R2    float64 `col:"r2"`
	TRAC  float64 `col:"trac"`
}

func scoreOf(y, model []float64) (s learningScore) {
	n, mean, low, high := float64(len(y)), 0.0, math.Inf(1), math.Inf(-1)
	for _, v := range y {
		mean += v / n
		low, high = min(low, v), max(high, v)
	}
	var square, about, both, own, other float64
	for i, v := range y {
		e := v - model[i]
		square += e * e
		about += (v - mean) * (v - mean)
		s.MAE += math.Abs(e) / n
		both += v * model[i]
		own += v * v
		other += model[i] * model[i]
	}
	s.NRMSE = 100 * math.Sqrt(square/n) / (high - low)
	s.R2 = 1 - square/about
	s.TRAC = both * both / (own * other)
	return s
}

// judge compares each copy with the true law.
func (r *learningRow) judge(o *learningRun) error {
	n := float64(len(o.d))
	law, _, err := plant.DeviceOf(o.Scenario.Specimen.Params, false)
	if err != nil {
		return err
	}
	for i, d := range o.d {
		y, err := driven(law, 1.0/learningHz, d)
		if err != nil {
			return err
		}
		s := scoreOf(y, o.y[i])
		r.NRMSE, r.MAE, r.R2, r.TRAC = r.NRMSE+s.NRMSE/n, r.MAE+s.MAE/n, r.R2+s.R2/n, r.TRAC+s.TRAC/n
		r.WorstCopy = max(r.WorstCopy, s.NRMSE)
	}
	return nil
}

// driven is the force of a law along deformations d (m) at steps of h (s), at rates by central differences.
func driven(law device.Law, h float64, d []float64) ([]float64, error) {
	path, err := device.NewPath(law, h)
	if err != nil {
		return nil, err
	}
	out, z, before := make([]float64, len(d)), make([]float64, law.States()), 0.0
	for k, x := range d {
		path.Advance(z, before, x)
		v := (x - before) / h
		if k+1 < len(d) {
			v = (d[k+1] - before) / (2 * h)
		}
		out[k], before = law.Force(x, v, z), x
	}
	return out, nil
}

// fitBlock samples have one mean for a fit off-line, against the noise of the displacement.
const fitBlock = 4

// fit finds the parameters of the copies' law, over the true ones, by least squares of the measured force: the simplex of
// Nelder and Mead from the nominal values.
func (o *learningRun) fit() ([]float64, error) {
	law, numbers, err := plant.DeviceOf(o.Scenario.Devices[0].Params, true)
	if err != nil {
		return nil, err
	}
	of := learningLaws[o.Scenario.Devices[0].Kind]
	at, start := make([]*float64, len(of.keys)), make([]float64, len(of.keys))
	for i, key := range of.keys {
		at[i] = numbers[slices.IndexFunc(numbers, func(p device.Parameter) bool { return p.Name == key })].V
		start[i] = *at[i] / of.values[i]
	}
	x, f := means(o.x), means(o.f)
	found, err := optimize.Minimize(optimize.Problem{Func: func(q []float64) (sum float64) {
		for i := range at {
			if !(q[i] > 0.2 && q[i] < 5) {
				return math.Inf(1)
			}
			*at[i] = q[i] * of.values[i]
		}
		y, err := driven(law, fitBlock/float64(learningHz), x)
		if err != nil {
			return math.Inf(1)
		}
		for k, v := range f {
			sum += (v - y[k]) * (v - y[k])
		}
		return sum
	}}, start, &optimize.Settings{FuncEvaluations: 300,
		Converger: &optimize.FunctionConverge{Relative: 1e-5, Iterations: 20}}, &optimize.NelderMead{SimplexSize: 0.1})
	if err != nil {
		return nil, fmt.Errorf("fit off-line: %w", err)
	}
	return found.X, nil
}

// means are those of fitBlock samples.
func means(x []float64) (out []float64) {
	for block := range slices.Chunk(x, fitBlock) {
		sum := 0.0
		for _, v := range block {
			sum += v
		}
		out = append(out, sum/float64(len(block)))
	}
	return out
}

// learningMean is a line of a table: mean and worst of the tests of a group.
type learningMean struct {
	Way       string  `print:"%s" head:"copies"`
	Runs      int     `print:"%d" head:"tests"`
	NRMSE     float64 `print:"%.2f" head:"NRMSE, %"`
	NRMSEMost float64 `print:"%.2f" head:"worst" draw:"-"`
	MAE       float64 `print:"%.0f" head:"MAE, N"`
	MAEMost   float64 `print:"%.0f" head:"worst" draw:"-"`
	R2        float64 `print:"%.4f" head:"R²" draw:"-"`
	R2Least   float64 `print:"%.4f" head:"worst" draw:"-"`
	TRAC      float64 `print:"%.4f" head:"TRAC" draw:"-"`
	TRACLeast float64 `print:"%.4f" head:"worst" draw:"-"`
	J4        float64 `print:"%.2f" head:"J4, %"`
	J4Most    float64 `print:"%.2f" head:"worst" draw:"-"`
	Lost      int     `print:"%d" head:"not completed"`
}

// tables has a table for each frame, law and backlash, below it what learning gains.
func (s *Learning) tables(rows []learningRow) (out []suite.Table) {
	each := 2 + len(s.Delays)
	size := each * s.Perturbed * len(s.Records)
	for group := range slices.Chunk(rows, size) {
		class := "right class"
		if play := group[0].Backlash; play > 0 {
			class = fmt.Sprintf("wrong class: backlash of %g mm", play)
		}
		t := suite.Table{Before: fmt.Sprintf("\n%d storeys, %s, %s\n", group[0].Storeys, group[0].Device, class)}
		for way := range each {
			var of, fixed []learningRow
			for i := way; i < len(group); i += each {
				of, fixed = append(of, group[i]), append(fixed, group[i-way])
			}
			t.Rows = append(t.Rows, learningMeanOf(of))
			if way > 0 {
				t.After += gainOf(fixed, of).String()
			}
		}
		out = append(out, t)
	}
	return out
}

// name says what the copies do.
func (r *learningRow) name() string {
	if r.Delay > 0 {
		return fmt.Sprintf("%s, readings %d ms late", r.Way, r.Delay)
	}
	return r.Way
}

func learningMeanOf(rows []learningRow) learningMean {
	m := learningMean{Way: rows[0].name(), Runs: len(rows), R2Least: 1, TRACLeast: 1}
	done := 0.0
	for i := range rows {
		r := &rows[i]
		if r.Status != rths.Completed {
			m.Lost++
			continue
		}
		done++
		m.NRMSE, m.MAE, m.R2, m.TRAC, m.J4 = m.NRMSE+r.NRMSE, m.MAE+r.MAE, m.R2+r.R2, m.TRAC+r.TRAC, m.J4+r.J4
		m.NRMSEMost, m.MAEMost, m.J4Most = max(m.NRMSEMost, r.NRMSE), max(m.MAEMost, r.MAE), max(m.J4Most, r.J4)
		m.R2Least, m.TRACLeast = min(m.R2Least, r.R2), min(m.TRACLeast, r.TRAC)
	}
	for _, v := range []*float64{&m.NRMSE, &m.MAE, &m.R2, &m.TRAC, &m.J4} {
		*v /= done
	}
	return m
}

// gain compares tests with those of fixed copies.
type gain struct {
	name               string
	of, worse, worseJ4 int
	median, tenth, j4  float64 // NRMSE, J4 of fixed copies over these
}

func gainOf(fixed, rows []learningRow) (g gain) {
	g.name = rows[0].name()
	var ratios, j4 []float64
	for i := range rows {
		if rows[i].Status != rths.Completed || fixed[i].Status != rths.Completed {
			continue
		}
		ratios, j4 = append(ratios, fixed[i].NRMSE/rows[i].NRMSE), append(j4, fixed[i].J4/rows[i].J4)
		if rows[i].NRMSE > fixed[i].NRMSE {
			g.worse++
		}
		if rows[i].J4 > fixed[i].J4 {
			g.worseJ4++
		}
	}
	if g.of = len(ratios); g.of == 0 {
		return g
	}
	slices.Sort(ratios)
	slices.Sort(j4)
	g.median, g.tenth, g.j4 = ratios[(g.of-1)/2], ratios[(g.of-1)/10], j4[(g.of-1)/2]
	return g
}

func (g gain) String() string {
	if g.of == 0 {
		return ""
	}
	return fmt.Sprintf("%s: worse than fixed in %d of %d tests; NRMSE fixed/this: median %.2f, 10 %% quantile %.2f; J4: "+
		"worse in %d, median %.2f\n", g.name, g.worse, g.of, g.median, g.tenth, g.worseJ4, g.j4)
}
