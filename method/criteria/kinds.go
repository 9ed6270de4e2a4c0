package criteria

import "rths"

// Criterion judges a run as it goes, and sums the run up. It can be stopped and resumed.
type Criterion interface {
	rths.Observer
	rths.Summarizer
	rths.Stateful
}

// Maker makes the criteria of one row of Kinds. Its fields are keys of the scenario's block
// criteria, where the keys of all rows stand side by side. A criterion that costs time in
// every tick has a switch among its keys, off by default. A row without a switch makes
// criteria in every run with the quantities they compare, and none in other runs.
type Maker interface {
	Make(at At) ([]Criterion, error)
}

// At tells makers about the run.
type At struct {
	RateHz    float64 // of the loop
	StepHz    float64 // steps of the numerical part in a second of the structure: RateHz but in a slow test
	Samples   int
	Actuators int
	LoadCells int     // forces of a reading
	Volts     []Volts // of each actuator; nil where the transfer system states none

	Accelerations bool // of every actuator, measured and wanted

	Reference Reference // the undivided structure; nil: nothing to compare with, as in an open loop
	Floors    int       // one actuator: degrees of freedom of the reference
	Interface int       // one actuator: its degree of freedom, from 0

	// several actuators: numerical part and specimen as one, where that is not the undivided structure
	Monolithic Reference
	Points     []Point // several actuators: coordinates of the node, then the other points
	Held       int     // of the points: coordinates of the node that follow the numerical part

	Truth bool // readings carry true values, as a virtual rig alone gives them

	Building func() (Building, error) // whose degrees of freedom are floors, or why there is none
}

// Volts is the voltage of a command u: v = PerM·u + At.
type Volts struct{ PerM, At float64 } // V/m, V

// Kinds is the table of criteria, in the order that they look at a tick.
var Kinds = []rths.Kind[Maker]{
	{Name: "tracking",
		Doc: "J1 to J3: delay, standard deviation and peak of the tracking error of every actuator; in every run",
		Ref: "Silva et al. 2020", Defaults: func() Maker { return &TrackingKeys{} }},
	{Name: "acceleration",
		Doc: "rms of the acceleration error of every actuator; in every run with accelerometers (sensors: {acceleration: " +
			"true}) whose target has an acceleration",
		Ref: "Gálmez 2021, section 3.3; Tang et al. 2020", Defaults: func() Maker { return &AccelerationKeys{} }},
	{Name: "drive",
		Doc: "largest voltage of every actuator's command; in every run of several actuators that are driven by volts",
		Ref: "Condori Uribe et al. 2023", Defaults: func() Maker { return &DriveKeys{} }},
	{Name: "response",
		Doc: "J4 to J9: interface and floors against the undivided structure; in every closed loop of one actuator",
		Ref: "Silva et al. 2020", Defaults: func() Maker { return &ResponseKeys{} }},
	{Name: "frame",
		Doc: "J4 to J10: the node and the other points against two references; in every closed loop of several actuators",
		Ref: "Condori Uribe et al. 2023", Defaults: func() Maker { return &FrameKeys{} }},
	{Name: "command", Doc: "largest command, rate and force of every actuator, and roughness of the command",
		Ref: "definition", Defaults: func() Maker { return &CommandKeys{} }},
	{Name: "fei", Doc: "frequency-domain evaluation index of every actuator: amplitude, equivalent frequency, delay",
		Ref: "Guo et al. 2014", Defaults: func() Maker { return &FEIKeys{} }},
	{Name: "floors", Doc: "absolute floor accelerations, inter-storey drifts and base shear, one actuator",
		Ref: "equilibrium of the whole structure, V = −Σ m (ẍ + a_g)", Defaults: func() Maker { return &FloorsKeys{} }},
	{Name: "floor_spectra", Doc: "response spectra of the absolute floor accelerations, one actuator",
		Ref: "Nigam & Jennings 1969", Defaults: func() Maker { return &FloorSpectraKeys{Damping: 0.05} }},
}

// each makes a criterion for each actuator.
func each(at At, make func(i int) Criterion) (out []Criterion) {
	for i := range at.Actuators {
		out = append(out, make(i))
	}
	return out
}

// ofFamily writes into values which row of Kinds they belong to, and the names that their fields make.
func ofFamily(family string, values []rths.Value) []rths.Value {
	for i := range values {
		values[i].Family = family
	}
	return rths.Named(values)
}
