package judge

import (
	"encoding/json"
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
	"rths/model/structure"
	"rths/result/record"
)

// Damping is what control errors did to the first mode of the structure (Molina, Magonette, Pegon and Zapico 2011,
// Journal of Earthquake Engineering 15). The measured force of the specimen is regressed on [d v 1] at the interface, once
// with d as the target, which the numerical part has moved by, and once as measured. Both secants stand in the known
// numerical part in place of the specimen; the difference of the damping ratios and frequencies of mode 1 is what the
// control errors added. A delay takes damping away. Secants are of the whole record: how near they come with a specimen
// that yields is not measured, and they say nothing of other modes.
type Damping struct {
	FreqHz     float64 `json:"frequency_hz"`          // of mode 1, by the measured displacement
	Ratio      float64 `json:"ratio"`                 // its damping ratio
	Added      float64 `json:"added_ratio"`           // damping ratio by the target, less Ratio
	AddedSE    float64 `json:"added_ratio_se"`        // standard error
	Moved      float64 `json:"frequency_moved"`       // frequency by the target over FreqHz, less 1
	MovedSE    float64 `json:"frequency_moved_se"`    // standard error
	Stiffness  float64 `json:"secant_stiffness_n_m"`  // of the specimen by the measured displacement, N/m
	CannotTell string  `json:"cannot_tell,omitempty"` // why the record does not hold it; "": it does
}

// Rules of Damping.
const (
	blocks       = 12      // of the record, each of which is left out once for the standard errors
	leastPeriods = 12.0    // of mode 1 in the record
	apartOf      = 1. / 80 // of the period of mode 1: half the distance of two displacements that give a velocity
	slanted      = 3e-3    // of a result: velocities by differences over that distance are too small by up to as much
	widest       = 0.01    // two standard errors of the added damping ratio
	noisy        = 0.05    // of the velocity: more makes the secant by the measured displacement small
	moves        = 1e-9    // m, rms
)

// normals are the normal equations of f = [d v 1] b, and what a block adds to them.
type normals struct {
	a [3][3]float64
	b [3]float64
}

func (n *normals) add(row [3]float64, f float64) {
	for i, v := range row {
		n.b[i] += v * f
		for j, w := range row {
			n.a[i][j] += v * w
		}
	}
}

// less are n without m.
func (n normals) less(m *normals) normals {
	for i := range n.b {
		n.b[i] -= m.b[i]
		for j := range n.b {
			n.a[i][j] -= m.a[i][j]
		}
	}
	return n
}

// secants are stiffness, N/m, and damping, N·s/m.
func (n *normals) secants() (k, c float64, ok bool) {
	var x mat.VecDense
	size := [3]float64{math.Sqrt(n.a[0][0]), math.Sqrt(n.a[1][1]), math.Sqrt(n.a[2][2])}
	a, b := mat.NewDense(3, 3, nil), mat.NewVecDense(3, nil)
	for i := range 3 {
		b.SetVec(i, n.b[i]/size[i])
		for j := range 3 {
			a.Set(i, j, n.a[i][j]/size[i]/size[j])
		}
	}
	if x.SolveVec(a, b) != nil {
		return 0, 0, false
	}
	k, c = x.AtVec(0)/size[0], x.AtVec(1)/size[1]
	return k, c, rths.Finite(k) && rths.Finite(c)
}

// AddedDamping finds it for a test with one interface coordinate, whose numerical part is known; k is the stiffness of the
// specimen at rest, N/m. Errors are of partitions that it is not for, or that have no mode; a record that does not hold the
// answer has CannotTell.
func (t *Test) AddedDamping(p *structure.Partition, k float64) (*Damping, error) {
	switch {
	case len(p.Interface) != 1 || len(t.Axes) != 1:
		return nil, fmt.Errorf("added damping: %d interface coordinates: want 1", len(p.Interface))
	case p.Sparse != nil:
		return nil, fmt.Errorf("added damping: the structure is held as sparse matrices: want at most %d degrees of freedom",
			structure.DenseUpTo)
	}
	axis := &t.Axes[0]
	if axis.Force.None() {
		return &Damping{CannotTell: "the record has no force"}, nil
	}
	first, err := mode1(p, k, 0)
	if err != nil {
		return nil, err
	}
	n, period := t.Samples(), 2*math.Pi/cmplx.Abs(first)
	if float64(n)/t.RateHz < leastPeriods*period {
		return &Damping{CannotTell: fmt.Sprintf("the record has %.2g periods of mode 1: want %g", float64(n)/t.RateHz/period,
			leastPeriods)}, nil
	}
	apart := max(1, int(apartOf*period*t.RateHz))
	var whole [2]normals
	var parts [blocks][2]normals
	for i := apart; i < n-apart; i++ {
		for j, d := range [2]record.Signal{axis.Target, axis.Measured} {
			v := (d.At(i+apart) - d.At(i-apart)) / float64(2*apart) * t.RateHz
			row := [3]float64{d.At(i), v, 1}
			whole[j].add(row, axis.Force.At(i))
			parts[i*blocks/n][j].add(row, axis.Force.At(i))
		}
	}
	if math.Sqrt(whole[1].a[0][0]/float64(n)) < moves {
		return &Damping{CannotTell: "the specimen does not move"}, nil
	}
	speed := math.Sqrt(whole[1].a[1][1] / float64(n))
	if part := noiseOf(axis.Measured) / math.Sqrt2 / float64(apart) * t.RateHz / speed; part > noisy {
		return &Damping{CannotTell: fmt.Sprintf("the noise of the measured displacement is %.2g %% of the velocity: want at most "+
			"%g %%, a filtered displacement", 100*part, 100*noisy)}, nil
	}
	out, ok := addedBy(p, whole)
	if !ok {
		return &Damping{CannotTell: "the force does not follow the displacement, or is no number: it gives no mode"}, nil
	}
	var added, moved [blocks]float64
	for i := range parts {
		one, ok := addedBy(p, [2]normals{whole[0].less(&parts[i][0]), whole[1].less(&parts[i][1])})
		if !ok {
			return &Damping{CannotTell: "one part of the record alone gives a mode"}, nil
		}
		added[i], moved[i] = one.Added, one.Moved
	}
	out.AddedSE, out.MovedSE = math.Hypot(jackknife(added[:]), slanted*out.Added), math.Hypot(jackknife(moved[:]), slanted*out.Moved)
	if 2*out.AddedSE > widest {
		out.CannotTell = fmt.Sprintf("its parts differ: %.2g ± %.2g points", 100*out.Added, 200*out.AddedSE)
	}
	return out, nil
}

// noiseOf is the standard deviation of white noise in a displacement, by its fourth differences.
func noiseOf(x record.Signal) float64 {
	sum, n := 0.0, x.Len()-4
	for i := range n {
		d := x.At(i) - 4*x.At(i+1) + 6*x.At(i+2) - 4*x.At(i+3) + x.At(i+4)
		sum += d * d / 70 / float64(n)
	}
	return math.Sqrt(sum)
}

// jackknife is the standard error of a number by its values without each block.
func jackknife(v []float64) float64 {
	n, mean, square := float64(len(v)), 0.0, 0.0
	for _, x := range v {
		mean += x / n
	}
	for _, x := range v {
		square += (x - mean) * (x - mean)
	}
	return math.Sqrt((n - 1) / n * square)
}

// addedBy compares the modes with the secants by target and by measured displacement.
func addedBy(p *structure.Partition, n [2]normals) (*Damping, bool) {
	var modes [2]complex128
	out := &Damping{}
	for i := range n {
		k, c, ok := n[i].secants()
		if !ok {
			return nil, false
		}
		var err error
		if modes[i], err = mode1(p, k, c); err != nil {
			return nil, false
		}
		out.Stiffness = k
	}
	size, ratio := [2]float64{cmplx.Abs(modes[0]), cmplx.Abs(modes[1])}, func(m complex128) float64 { return -real(m) / cmplx.Abs(m) }
	out.FreqHz, out.Ratio = size[1]/(2*math.Pi), ratio(modes[1])
	out.Added, out.Moved = ratio(modes[0])-out.Ratio, size[0]/size[1]-1
	return out, true
}

// mode1 is the eigenvalue of least size, rad/s, that swings, of the numerical part with a spring and a dashpot at the
// interface.
func mode1(p *structure.Partition, k, c float64) (complex128, error) {
	n, dof := p.N(), p.Interface[0]
	inverse, err := p.InverseMass()
	if err != nil {
		return 0, fmt.Errorf("added damping: %w", err)
	}
	stiff, damp := mat.DenseCopyOf(p.K), mat.DenseCopyOf(p.C)
	stiff.Set(dof, dof, stiff.At(dof, dof)+k)
	damp.Set(dof, dof, damp.At(dof, dof)+c)
	a := mat.NewDense(2*n, 2*n, nil)
	for i := range n {
		a.Set(i, n+i, 1)
	}
	var part mat.Dense
	part.Mul(inverse, stiff)
	part.Scale(-1, &part)
	a.Slice(n, 2*n, 0, n).(*mat.Dense).Copy(&part)
	part.Mul(inverse, damp)
	part.Scale(-1, &part)
	a.Slice(n, 2*n, n, 2*n).(*mat.Dense).Copy(&part)
	poles, err := lti.Eigenvalues(a)
	if err != nil {
		return 0, fmt.Errorf("added damping: %w", err)
	}
	var first complex128
	for _, pole := range poles {
		if imag(pole) > 0 && (first == 0 || cmplx.Abs(pole) < cmplx.Abs(first)) {
			first = pole
		}
	}
	if first == 0 {
		return 0, fmt.Errorf("added damping: no mode of the structure swings")
	}
	return first, nil
}

// MarshalJSON leaves out the numbers where they cannot be told.
func (d *Damping) MarshalJSON() ([]byte, error) {
	if d.CannotTell != "" {
		return json.Marshal(map[string]string{"cannot_tell": d.CannotTell})
	}
	type numbers Damping
	return json.Marshal((*numbers)(d))
}

// Sentence says it in one line.
func (d *Damping) Sentence() string {
	if d.CannotTell != "" {
		return "Cannot tell what control errors did to the damping of mode 1: " + d.CannotTell
	}
	verb, added := "added", 100*d.Added
	if added < 0 {
		verb, added = "took", -added
	}
	to := map[string]string{"added": "to", "took": "from"}[verb]
	return fmt.Sprintf("Control errors %s %.3f ± %.3f points of damping %s mode 1 (%.3g Hz, %.2f %%) and moved its frequency by "+
		"%+.2f ± %.2f %%", verb, added, 200*d.AddedSE, to, d.FreqHz, 100*d.Ratio, 100*d.Moved, 200*d.MovedSE)
}
