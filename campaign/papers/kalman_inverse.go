package papers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"rths"
	"rths/campaign/suite"
	"rths/model/plant"
	"rths/result/record"
	"rths/scenario"
	"rths/scenario/growth"
)

// KalmanInverse shows the compensator kalman-inverse beside the others, each at its defaults, with the settings that a
// paper or ADR 5 has for the benchmark, and as rths advise tuned it: the single-actuator benchmark, and everything else
// that docs/reference/kalman-inverse.md claims.
type KalmanInverse struct {
	Compensators []string `flag:"compensator" usage:"compensators to run"`
	Parts        []string `flag:"part" usage:"parts of the study: benchmark, force-predict, specimens, rates, starts, sensors, delays, yielding"`
	Perturbed    int      `flag:"perturbed" usage:"random plants in addition to the nominal one, in the parts benchmark and force-predict"`
	Seed         uint64   `flag:"seed" usage:"seed of sensor noise, random plants and specimens"`
}

var kalmanInverseSuite = suite.Suite{
	Name:  "kalman-inverse",
	Short: "The compensator kalman-inverse beside the others, each at its best",
	Long: `Runs compensators on the single-actuator benchmark (El Centro, Kobe and Morgan Hill × 0.4,
cases 1 to 4, with sensor noise and without), then with timing.force_predict 1.5, on 20 random
specimens, at 512 to 2048 Hz, with motions that start at once, with a sensor offset and three
times the noise, with 6 to 14 samples of delay that no compensator knows of, and on the Bouc–Wen
specimens A to D of Gálmez 2021 under five motions. Rows with force_predict are marked: it changes
the wiring of the benchmark.

Each method runs with its defaults, with the settings of the suite siso (those of a paper, or those
of docs/adr/0005), and as rths advise tuned it on other motions and seeds, where these differ. A table
has the mean and the worst of every group. The line below it compares the first method at its
defaults with the best of all others in each pair, at any of their settings. --json has every run.
The study is no publication and no part of --all. The ground motions are not part of the program:
set RTHS_RECORDS or --records.`,
	Example: `  rths benchmark kalman-inverse --compensator kalman-inverse --perturbed 20
  rths benchmark kalman-inverse --part yielding --compensator kalman-inverse,mbc-lqg,amb`,
	New:   func() suite.Study { return newKalmanInverse() },
	Apart: true,
}

// kalmanParts are the parts, in the order of the tables.
var kalmanParts = []string{"benchmark", "force-predict", "specimens", "rates", "starts", "sensors", "delays",
	"yielding"}

func newKalmanInverse() *KalmanInverse {
	return &KalmanInverse{
		Compensators: append([]string{"kalman-inverse", "adm"}, newSISO().Compensators...),
		Parts:        slices.Clone(kalmanParts), Seed: 1,
	}
}

// kalmanInverseRow is a run. Rough is the rms second difference of the command.
type kalmanInverseRow struct {
	Method         string  `col:"method"`
	Settings       string  `col:"settings"`
	Plant          string  `col:"plant"`
	Record         string  `col:"record"`
	Rate           float64 `col:"rate_hz"`
	Noise          string  `col:"noise"`
	kalmanInverseJ `col:"-"`
	Status         string `col:"status"`

	part, group string   // group: the runs of one line of a table
	file        string   // of the shipped scenario
	method      []string // overrides of the compensator
	sets        []string // further overrides
	random      int      // the random plant
	roots       bool     // look at the roots of the loop after the run
}

type kalmanInverseJ struct {
	J2    float64 `col:"J2_true_pct"`
	J3    float64 `col:"J3_true_pct"`
	J4    float64 `col:"J4_true_pct"`
	J6    float64 `col:"J6_pct"`
	Rough float64 `col:"roughness_um"`
}

// kalmanInverseMean is a line of a table: a method in a group.
type kalmanInverseMean struct {
	Method   string  `print:"%s" head:"method"`
	Settings string  `print:"%s" head:"settings"`
	Runs     int     `print:"%d" head:"runs"`
	J2       float64 `print:"%.3f" head:"J2"`
	Worst    float64 `print:"%.3f" head:"worst J2"`
	J3       float64 `print:"%.3f" head:"J3"`
	J4       float64 `print:"%.3f" head:"J4"`
	J6       float64 `print:"%.3f" head:"J6"`
	Rough    float64 `print:"%.3g" head:"roughness, µm"`
	Lost     int     `print:"%d" head:"not completed"`
}

// Run runs the parts.
func (s *KalmanInverse) Run(ctx context.Context, lab suite.Lab) (*suite.Result, error) {
	rows, err := s.rows(ctx, lab)
	if err != nil {
		return nil, err
	}
	out := &suite.Result{Suite: "kalman-inverse"}
	for _, r := range rows {
		out.Rows = append(out.Rows, *r)
	}
	out.Tables = s.tables(rows)
	return out, nil
}

func (s *KalmanInverse) rows(ctx context.Context, lab suite.Lab) ([]*kalmanInverseRow, error) {
	if s.Perturbed < 0 || s.Perturbed > 1e6 {
		return nil, fmt.Errorf("%d random plants: want 0 to a million", s.Perturbed)
	}
	if err := cmp.Or(suite.Known(s.Compensators), suite.Distinct("part", s.Parts, kalmanParts)); err != nil {
		return nil, err
	}
	rows := s.plan()
	shaking, err := suite.Shakings(lab, len(rows), func(i int) string { return rows[i].shakes() },
		func(i int) (*scenario.Scenario, error) { return rows[i].scenario(s.Seed) })
	if err != nil {
		return nil, err
	}
	return rows, lab.Each(ctx, len(rows),
		func(i int) error { return rows[i].run(ctx, lab, s.Seed, shaking[rows[i].shakes()]) })
}

// shakes names the ground motion of a row.
func (r *kalmanInverseRow) shakes() string { return fmt.Sprint(r.Record, r.Rate) }

// motions are the records and cases of the benchmark.
func motions(do func(record string, partition int)) {
	for _, record := range sisoRecords {
		for partition := 1; partition <= 4; partition++ {
			do(record, partition)
		}
	}
}

// plan lists the runs of all parts, those of one group together.
func (s *KalmanInverse) plan() (rows []*kalmanInverseRow) {
	for _, part := range kalmanParts {
		if !slices.Contains(s.Parts, part) {
			continue
		}
		for _, r := range s.planOf(part) {
			r.part = part
			for _, m := range s.methods(r) {
				one := *r
				one.Method, one.Settings, one.method = m.name, m.settings, m.sets
				rows = append(rows, &one)
			}
		}
	}
	return rows
}

// planOf lists the runs of one method in a part.
func (s *KalmanInverse) planOf(part string) (rows []*kalmanInverseRow) {
	add := func(group, noise string, perturbed int, rate float64, sets ...string) {
		motions(func(record string, partition int) {
			for i := range perturbed + 1 {
				rows = append(rows, sisoKalmanRow(group, noise, record, partition, i, rate, sets))
			}
		})
	}
	switch part {
	case "benchmark":
		add("sensor noise on", "on", s.Perturbed, 4096)
		add("sensor noise off", "off", s.Perturbed, 4096, "sensors=")
	case "force-predict":
		add("force_predict 1.5 (other wiring than the benchmark's)", "on", s.Perturbed, 4096, "timing.force_predict=1.5")
	case "specimens":
		return s.specimens()
	case "rates":
		add("2048 Hz", "on", 0, 2048, "rate_hz=2048")
		add("1024 Hz", "on", 0, 1024, "rate_hz=1024")
		add("512 Hz", "on", 0, 512, "rate_hz=512")
	case "starts":
		return atOnce()
	case "sensors":
		add("no offset", "on", 0, 4096)
		add("offset 1 mm", "on", 0, 4096, "sensors.displacement_offset=0.001")
		add("displacement noise × 3", "× 3", 0, 4096, "sensors.displacement_noise_power=5.625e-13")
	case "delays":
		for _, n := range []int{6, 8, 10, 12, 14} {
			add(fmt.Sprintf("%d more samples of delay", n), "on", 0, 4096,
				fmt.Sprintf("faults=[{kind: late-commands, delay_ms: %g}]", float64(n)/4.096))
		}
	case "yielding":
		return yieldingKalman()
	}
	return rows
}

// sisoKalmanRow is a run of the benchmark.
func sisoKalmanRow(group, noise, record string, partition, random int, rate float64, sets []string) *kalmanInverseRow {
	plant := fmt.Sprintf("case %d, %s", partition, group)
	if random > 0 {
		plant = fmt.Sprintf("case %d, random plant %d, %s", partition, random, group)
	}
	r := &kalmanInverseRow{Plant: plant, Record: record, Rate: rate, Noise: noise, group: group,
		file: sisoFile, random: random}
	r.sets = append([]string{"ground.record=" + record, "ground.scale=0.4", fmt.Sprintf("structure.case=%d", partition)},
		sets...)
	return r
}

// specimens are 20 random ones, over all records and cases. One with which the transfer system
// swings up by itself is drawn again.
func (s *KalmanInverse) specimens() (rows []*kalmanInverseRow) {
	random := rand.New(rand.NewPCG(s.Seed, 20))
	for i := range 20 {
		m, c, k := drawSpecimen(random)
		for !stableWith(m, c, k) {
			m, c, k = drawSpecimen(random)
		}
		record, partition := sisoRecords[i%3], i%4+1
		r := sisoKalmanRow("random specimens", "on", record, partition, 0, 4096,
			[]string{fmt.Sprintf("specimen={kind: linear, mass: %.4g, damping: %.4g, stiffness: %.4g}", m, c, k)})
		r.Plant, r.roots = fmt.Sprintf("case %d, %.3g kg, %.3g N·s/m, %.3g N/m", partition, m, c, k), true
		rows = append(rows, r)
	}
	return rows
}

func drawSpecimen(random *rand.Rand) (m, c, k float64) {
	return 2 + 48*random.Float64(), 1000 * random.Float64(), 2e6 * random.Float64()
}

// stableWith reports whether the transfer system of the benchmark is stable with a specimen.
func stableWith(m, c, k float64) bool {
	s := scenario.New()
	specimen, err := (&plant.LinearSpecimen{Mass: m, Damping: c, Stiffness: k}).Make()
	if err = errors.Join(err, s.Transfer.Use("silva2020")); err == nil {
		_, err = s.Transfer.Params.Make(plant.At{RateHz: 4096, Specimen: specimen})
	}
	return err == nil
}

// yieldingKalman are the Bouc–Wen specimens under five motions.
func yieldingKalman() (rows []*kalmanInverseRow) {
	for _, specimen := range []string{"a", "b", "c", "d"} {
		for _, q := range []struct {
			ground    string
			partition int
		}{
			{"{record: kobe, scale: 0.5}", 1},
			{"{record: morgan, scale: 0.7}", 4},
			{"{record: maule, scale: 0.3}", 1},
			{"{kind: clough-penzien, pga_g: 0.2, duration_s: 40}", 2},
			{"{record: elcentro, scale: 0.6}", 3},
		} {
			name := "Bouc–Wen " + string(specimen[0]-'a'+'A')
			rows = append(rows, &kalmanInverseRow{
				Plant: fmt.Sprintf("%s, case %d", name, q.partition), Record: q.ground, Rate: 4096, Noise: "on", group: name,
				file: "nonlinear-" + specimen + ".yaml", sets: []string{"ground=" + q.ground,
					fmt.Sprintf("structure.case=%d", q.partition)},
			})
		}
	}
	return rows
}

// scenario is the shipped scenario of a row.
func (r *kalmanInverseRow) scenario(seed uint64) (*scenario.Scenario, error) {
	return scenario.Shipped(r.file, slices.Concat([]string{"compensator="}, r.method, r.sets,
		[]string{"criteria.command=true", fmt.Sprintf("seed=%d", seed), fmt.Sprintf("perturbed=%d", r.random)})...)
}

func (r *kalmanInverseRow) run(ctx context.Context, lab suite.Lab, seed uint64, shaking *scenario.Shaking) error {
	sc, err := r.scenario(seed)
	if err != nil {
		return err
	}
	out, err := lab.Play(ctx, sc, shaking, nil)
	if err != nil {
		return err
	}
	record.Fill(&r.kalmanInverseJ, out.Values)
	r.Status = out.Status
	if !r.roots || r.Status != rths.Completed {
		return nil
	}
	roots, err := growth.Roots(ctx, out.Run)
	if grows, _ := growth.Grows(roots); grows {
		r.Status = "completed, a root grows"
	}
	return err
}

// tables has a table for every group.
func (s *KalmanInverse) tables(rows []*kalmanInverseRow) (out []suite.Table) {
	for _, group := range groupsOf(rows) {
		t := suite.Table{Before: fmt.Sprintf("\n%s: %s\n", group[0].part, group[0].group), After: pairsOf(group).String()}
		for _, m := range s.methods(group[0]) {
			t.Rows = append(t.Rows, meanOf(m.name, m.settings, group))
		}
		out = append(out, t)
	}
	return out
}

// groupsOf divides the rows.
func groupsOf(rows []*kalmanInverseRow) (out [][]*kalmanInverseRow) {
	for len(rows) > 0 {
		n := slices.IndexFunc(rows, func(r *kalmanInverseRow) bool {
			return r.part != rows[0].part ||
				r.group != rows[0].group
		})
		if n < 0 {
			n = len(rows)
		}
		out, rows = append(out, rows[:n]), rows[n:]
	}
	return out
}

// meanOf is the line of a method with its settings: means over the completed runs.
func meanOf(method, settings string, rows []*kalmanInverseRow) (m kalmanInverseMean) {
	m.Method, m.Settings = method, settings
	done := 0.0
	for _, r := range rows {
		if r.Method != method || r.Settings != settings {
			continue
		}
		m.Runs++
		if r.Status != rths.Completed {
			m.Lost++
			continue
		}
		done++
		m.J2, m.J3, m.J4, m.J6, m.Rough = m.J2+r.J2, m.J3+r.J3, m.J4+r.J4, m.J6+r.J6, m.Rough+r.Rough
		m.Worst = max(m.Worst, r.J2)
	}
	if done == 0 {
		m.Worst = math.NaN()
	}
	for _, v := range []*float64{&m.J2, &m.J3, &m.J4, &m.J6, &m.Rough} {
		*v /= done
	}
	return m
}
