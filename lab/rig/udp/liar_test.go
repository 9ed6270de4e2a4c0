package udp_test

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/rig/udp"
	"rths/lab/rig/wire"
)

// lieFrom is the sample at which the lies of these tests begin, 0.5 s, and lastSample the last one that is asked for.
const (
	lieFrom    = 128
	lastSample = 256
)

// answered is a reading of the liar, and the truth of its sample.
type answered struct {
	x, f         []float64
	age          int
	status       wire.Status
	trueX, trueF []float64
}

// answers loads testdata/liar.py in lockstep with a sine, and gives what it said and what was so, for each sample.
func answers(t *testing.T, actuators int, flags ...string) (out []answered, ours, theirs wire.Counts) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "true.csv")
	args := append([]string{"--log", log, "--actuators", strconv.Itoa(actuators)}, flags...)
	said, _ := start(t, "", append([]string{rthstest.Python(t), filepath.Join("testdata", "liar.py")}, args...)...)
	var first struct{ Address string }
	if err := json.Unmarshal(rthstest.Must(said.ReadBytes('\n')), &first); err != nil {
		t.Fatal(err)
	}
	wish := wire.Expectation{RateHz: rateHz, Sensors: rths.Sensors{X: actuators, F: actuators}}
	link := rthstest.Must(udp.Dial(udp.Config{Address: "udp://" + first.Address, Expected: wish}))
	read, command := rths.NewReading(actuators, actuators), make([]float64, actuators)
	for k := range lastSample + 1 {
		if err := link.Read(&read); err != nil && !link.Status().Alone() {
			t.Fatal(err)
		}
		a := answered{x: slices.Clone(read.X), f: slices.Clone(read.F), age: read.Age, status: link.Status()}
		out = append(out, a)
		for i := range command {
			command[i] = 0.005 * float64(i+1) * math.Sin(float64(k)/20)
		}
		if err := link.Write(command); err != nil {
			t.Fatal(err)
		}
	}
	if err := link.Read(&read); err != nil && !link.Status().Alone() {
		t.Fatal(err)
	}
	theirs, _ = link.Close()
	addTruth(t, log, out)
	return out, link.Counts(), theirs
}

// addTruth adds the truth of each sample from the log.
func addTruth(t *testing.T, log string, out []answered) {
	t.Helper()
	file := rthstest.Must(os.Open(log))
	defer file.Close()
	number := func(text string) float64 { return rthstest.Must(strconv.ParseFloat(text, 64)) }
	for _, row := range rthstest.Must(csv.NewReader(file).ReadAll())[1:] {
		if k, err := strconv.Atoi(row[1]); err == nil && k < len(out) {
			for i := 3; i < len(row); i += 5 {
				out[k].trueX, out[k].trueF = append(out[k].trueX, number(row[i])), append(out[k].trueF, number(row[i+1]))
			}
		}
	}
}

// The rig of another author says the truth, for one actuator and for two, and both sides count the same.
func TestLiarSaysTheTruth(t *testing.T) {
	for _, actuators := range []int{1, 2} {
		list, ours, theirs := answers(t, actuators)
		for k, a := range list {
			for i := range actuators {
				if a.x[i] != a.trueX[i] || a.f[i] != a.trueF[i] || a.age != 0 || a.status.State() != wire.Running {
					t.Fatalf("sample %d of actuator %d: %+v", k, i+1, a)
				}
			}
		}
		most := 0.0
		for _, a := range list {
			most = max(most, math.Abs(a.trueX[actuators-1]))
		}
		if goal := 0.005 * float64(actuators); !(most > 0.9*goal && most < 1.1*goal) {
			t.Errorf("actuator %d moves by %g m: want about %g", actuators, most, goal)
		}
		if want := (wire.Counts{Sent: lastSample + 5, Received: lastSample + 5}); ours != want || theirs != want {
			t.Errorf("our loop counted %+v, the rig %+v: want %+v", ours, theirs, want)
		}
	}
}

// Each lie about a sensor or an actuator is told from its sample on, in its size, and the log has the truth.
func TestLiesOfSensorsAndActuators(t *testing.T) {
	since := func(k int) float64 { return float64(k-lieFrom) / rateHz }
	for lie, want := range map[string]func(list []answered, k int) (x, f, trueX float64){
		"drift@0.5=0.002": func(l []answered, k int) (x, f, trueX float64) {
			return l[k].trueX[0] + 0.002*since(k), l[k].trueF[0], l[k].trueX[0]
		},
		"jump@0.5=-0.003": func(l []answered, k int) (x, f, trueX float64) {
			return l[k].trueX[0] - 0.003, l[k].trueF[0], l[k].trueX[0]
		},
		"gain@0.5=1.5": func(l []answered, k int) (x, f, trueX float64) {
			return l[k].trueX[0] * 1.5, l[k].trueF[0], l[k].trueX[0]
		},
		"sensor-stuck@0.5": func(l []answered, k int) (x, f, trueX float64) {
			return l[lieFrom].trueX[0], l[k].trueF[0], l[k].trueX[0]
		},
		"cell-frozen@0.5": func(l []answered, k int) (x, f, trueX float64) {
			return l[k].trueX[0], l[lieFrom].trueF[0], l[k].trueX[0]
		},
		"cell-zero@0.5": func(l []answered, k int) (x, f, trueX float64) { return l[k].trueX[0], 0, l[k].trueX[0] },
		"cell-reversed@0.5": func(l []answered, k int) (x, f, trueX float64) {
			return l[k].trueX[0], -l[k].trueF[0],
				l[k].trueX[0]
		},
		"cell-times@0.5=3": func(l []answered, k int) (x, f, trueX float64) {
			return l[k].trueX[0], 3 * l[k].trueF[0], l[k].trueX[0]
		},
		"stuck@0.5": func(l []answered, k int) (x, f, trueX float64) {
			return l[k].trueX[0], l[k].trueF[0], l[lieFrom].trueX[0]
		},
		"runaway@0.5=-1": func(l []answered, k int) (x, f, trueX float64) {
			return l[k].trueX[0], l[k].trueF[0], max(-0.05, l[lieFrom].trueX[0]-0.25*since(k))
		},
	} {
		t.Run(lie, func(t *testing.T) {
			list, _, _ := answers(t, 1, "--lie", lie)
			for k, a := range list {
				x, f, trueX := a.trueX[0], a.trueF[0], a.trueX[0]
				if k >= lieFrom {
					x, f, trueX = want(list, k)
				}
				if math.Abs(a.x[0]-x) > 1e-15 || math.Abs(a.f[0]-f) > 1e-9 || math.Abs(a.trueX[0]-trueX) > 1e-12 ||
					a.status.State() != wire.Running {
					t.Fatalf("sample %d: %+v: want %g m, %g N, in truth %g m", k, a, x, f, trueX)
				}
			}
		})
	}
}

// The other lies.
func TestOtherLies(t *testing.T) {
	check := func(lie string, so func(list []answered, k int) bool, flags ...string) {
		t.Run(lie, func(t *testing.T) {
			list, _, _ := answers(t, 1, append([]string{"--lie", lie}, flags...)...)
			for k := range list {
				if k < lieFrom && list[k].x[0] != list[k].trueX[0] || k >= lieFrom && !so(list, k) {
					t.Fatalf("sample %d: %+v", k, list[k])
				}
			}
		})
	}
	check("nan@0.5", func(l []answered, k int) bool { return math.IsNaN(l[k].x[0]) && math.IsNaN(l[k].f[0]) })
	check("slow@0.5=5", func(l []answered, k int) bool { return l[k].x[0] == l[k-5].trueX[0] && l[k].age == 5 })
	check("flag-watchdog@0.5", func(l []answered, k int) bool { return l[k].status == wire.Running|wire.Watchdog })
	check("flag-limit@0.5", func(l []answered, k int) bool { return l[k].status == wire.Running|wire.OwnLimit })
	check("trip@0.5", func(l []answered, k int) bool { return l[k].status.State() == wire.Tripped })
	// A limit of its own: what the load cell says is 3 times what is there, more than 1.1 times the range.
	check("cell-times@0.5=3", func(l []answered, k int) bool {
		return k < lastSample || l[k].status.State() > wire.Running && l[k].status.Has(wire.OwnLimit)
	}, "--force-range", "1200")
	t.Run("noise", func(t *testing.T) {
		list, _, _ := answers(t, 1, "--lie", "noise@0.5=0.0005")
		sum := 0.0
		for _, a := range list[lieFrom:] {
			sum += (a.x[0] - a.trueX[0]) * (a.x[0] - a.trueX[0])
		}
		if sd := math.Sqrt(sum / (lastSample - lieFrom + 1)); sd < 0.0004 || sd > 0.0006 {
			t.Errorf("noise of %g m: want 0.0005", sd)
		}
	})
}

// Readings that are lost, or garbage, are asked for again; the specimen moves once.
func TestLiarLosesReadings(t *testing.T) {
	t.Parallel()
	for _, lie := range []string{"lost@0.5=0.03", "garbage@0.5=0.02"} {
		t.Run(lie, func(t *testing.T) {
			t.Parallel()
			list, ours, theirs := answers(t, 1, "--lie", lie)
			for k, a := range list {
				if a.x[0] != a.trueX[0] || a.f[0] != a.trueF[0] {
					t.Fatalf("sample %d: %+v", k, a)
				}
			}
			if theirs.Repeated == 0 || ours.Sent != theirs.Received {
				t.Errorf("our loop counted %+v, the rig %+v: want commands that were repeated", ours, theirs)
			}
		})
	}
}
