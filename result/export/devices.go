package export

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"rths"
	"rths/method/learn"
	"rths/model/device"
	"rths/scenario"
)

// Devices are devices that learn, to write as C: the filter, and copies of the device for an integrator of one's own.
type Devices struct {
	Name, Title, Program string
	Group                *learn.Group
	Block                learn.Samples
	Copies               int
	Frozen               bool
	Vectors              *Vectors // of the self-test; nil: no self-test
	Peak                 float64  // of the motion in the example, m
}

// devices are Devices as C sees them. The names are those of c/devices.c.
type devices struct {
	filter learn.Filter
	path   *device.Path // of every copy
	states int          // of a copy
	z, at  []float64    // of all copies: states, and deformations, m
	block  learn.Samples
	frozen bool
}

// model is the instance in C. Copies begin at rest, and move in steps of the loop.
func (d *Devices) model() (*model, error) {
	g, n := d.Group, d.Group.Law.States()
	path, err := device.NewPath(g.Law, 1/d.Block.RateHz, g.Parameters...)
	if err != nil {
		return nil, err
	}
	m, err := modelOf(reflect.ValueOf(&struct{ Outer devices }{devices{filter: g.Filter, path: path, states: n,
		z: make([]float64, n*d.Copies), at: make([]float64, d.Copies), block: d.Block, frozen: d.Frozen}}).Elem())
	if err == nil {
		m.called = append(m.called, "rths_devices_learn", "rths_devices_advance")
	}
	return m, err
}

// ascii has units of parameters without other letters.
var ascii = strings.NewReplacer("·", " ", "α", "alpha", "³", "^3")

// C are the files NAME.h, NAME.c, NAME_example.c, and, with Vectors, a self-test NAME_test.c.
func (d *Devices) C() (map[string]string, error) {
	if err := checkName(d.Name); err != nil {
		return nil, err
	}
	m, err := d.model()
	if err != nil {
		return nil, err
	}
	functions, err := m.functions()
	if err != nil {
		return nil, err
	}
	var list strings.Builder
	for j, p := range d.Group.Parameters {
		fmt.Fprintf(&list, " * %d: %s, %s, %.6g to %.6g\n", j, p.Name, comment(ascii.Replace(p.Unit)), p.Low, p.High)
	}
	title, as := comment(d.Title), Source{Name: d.Name}
	files := map[string]string{
		d.Name + ".h": as.named(fmt.Sprintf(devicesHeader, title, comment(d.Program), d.Copies, len(d.Group.Parameters),
			rateText(d.Block.RateHz), m.declarations(), strings.Join(m.storage, "\n\t"), list.String())),
		d.Name + ".c":         as.named(fmt.Sprintf(sourceHead+"%s%s", title, functions, m.init(), devicesSource)),
		d.Name + "_example.c": as.named(fmt.Sprintf(devicesExample, Hex(d.Peak))),
	}
	if v := d.Vectors; v != nil {
		var b strings.Builder
		fmt.Fprintf(&b, devicesTest, len(v.Inputs))
		writeRows(&b, v.Inputs)
		b.WriteString("};\n\nstatic const double outputs[SAMPLES][COLUMNS] = {\n")
		writeRows(&b, v.Commands)
		files[d.Name+"_test.c"] = as.named(b.String() + devicesTestEnd)
	}
	return files, nil
}

// still is an integrator that does nothing.
type still struct{}

func (still) Step(*rths.Motion, []float64, *rths.Reading) {}
func (still) Closing() bool                               { return false }

// vectors are samples, and what the devices of a twin make of them: parameters with their standard deviations, and the
// force of a copy, which moves as the device in the laboratory does.
func (d *Devices) vectors(window []tickOf, twin *learn.Group) (*Vectors, error) {
	rate := d.Block.RateHz
	l, err := learn.NewIntegrator(still{}, []*learn.Group{twin}, 0, rate, d.Block.Size)
	if err != nil || len(window) == 0 {
		return nil, err
	}
	path, err := device.NewPath(twin.Law, 1/rate, twin.Parameters...)
	if err != nil {
		return nil, err
	}
	var fresh rths.FreshReadings
	out, read, z, at := &Vectors{}, rths.NewReading(1, 1), make([]float64, twin.Law.States()), 0.0
	l.UseReading(&read)
	l.Freeze(d.Frozen)
	for _, t := range window {
		x, v, old := t.read.X[0], (t.read.X[0]-at)*rate, 0.0
		read.X[0], read.F[0], read.Age = x, t.read.F[0], t.read.Age
		if !fresh.IsNew(t.read.Age, false) {
			old = 1
		}
		l.Step(nil, nil, &read)
		path.Advance(z, at, x)
		at = x
		var row []float64
		for j := range twin.Parameters {
			value, sd := twin.Filter.Value(j)
			row = append(row, value, sd)
		}
		out.Inputs = append(out.Inputs, []float64{x, v, read.F[0], old})
		out.Commands = append(out.Commands, append(row, twin.Law.Force(x, v, z)))
	}
	return out, nil
}

// refuseDevices refuses a group that learns nothing.
func (c *Choice) refuseDevices() error {
	all := c.Scenario.Devices
	switch n := len(all); {
	case n == 0:
		return fmt.Errorf("export: --devices %d: the scenario has no devices: want a group of devices that learns", c.Group)
	case c.Group < 1 || c.Group > n:
		return fmt.Errorf("export: --devices %d: the scenario has %d of them: want 1 to %[2]d", c.Group, n)
	}
	switch l := all[c.Group-1].Learn; {
	case l == nil:
		return fmt.Errorf("export: --devices %d: devices[%[1]d] has no learn: want devices that learn", c.Group)
	case l.By != "ukf" && l.By != "rls":
		return fmt.Errorf("export: --devices %d: devices[%[1]d].learn.by is %s: want ukf or rls", c.Group, l.By)
	}
	return nil
}

// Devices are the devices of a fresh build of the scenario; see Source.
func (c *Choice) Devices(fresh, twin *scenario.Run, m *Motion, learnt []float64) (d *Devices, err error) {
	if c.End {
		rths.SetAdaptation(learnt, fresh.Learning)
		rths.SetAdaptation(learnt, twin.Learning)
	}
	group := func(r *scenario.Run) *learn.Group {
		all := r.Learning.Groups()
		return all[slices.IndexFunc(all, func(g *learn.Group) bool { return g.Number == c.Group })]
	}
	s := c.Scenario
	of := s.Devices[c.Group-1]
	d = &Devices{Name: cmp.Or(c.Name, Word(of.Kind)), Program: c.Program, Group: group(fresh),
		Block: fresh.Learning.Block(), Copies: len(of.Between), Frozen: c.Frozen, Peak: PeakOf(fresh),
		Title: fmt.Sprintf("Devices %d (%s) of %q, which learn by %s, parameters at the %s, learning %s", c.Group,
			of.Kind, s.Name, of.Learn.By, c.when(), c.adapts())}
	d.Vectors, err = d.vectors(m.window(false, s.RateHz), group(twin))
	return d, err
}

// WrittenDevices is what rths export --devices --json prints.
type WrittenDevices struct {
	Name       string   `json:"name"`
	Devices    int      `json:"devices"`
	Kind       string   `json:"kind"`
	By         string   `json:"by"`
	Learned    []string `json:"learned"`
	Parameters string   `json:"parameters"`
	Learning   string   `json:"learning"`
	RateHz     float64  `json:"rate_hz"`
	Copies     int      `json:"copies"`
	Files      []string `json:"files"`
}

// WrittenDevices is the document of devices in files.
func (c *Choice) WrittenDevices(d *Devices, files []string) *WrittenDevices {
	of := c.Scenario.Devices[c.Group-1]
	w := &WrittenDevices{Name: d.Name, Devices: c.Group, Kind: of.Kind, By: of.Learn.By, Parameters: "at the " + c.when(),
		Learning: c.adapts(), RateHz: d.Block.RateHz, Copies: d.Copies, Files: files}
	for _, p := range d.Group.Parameters {
		w.Learned = append(w.Learned, p.Name)
	}
	return w
}

// Print prints what was written.
func (w *WrittenDevices) Print(out io.Writer) {
	fmt.Fprintf(out, "devices %d, %s, %d of them, %g samples a second, %s by %s, parameters %s, learning %s\n", w.Devices,
		w.Kind, w.Copies, w.RateHz, strings.Join(w.Learned, " and "), w.By, w.Parameters, w.Learning)
	for _, name := range w.Files {
		fmt.Fprintln(out, name)
	}
}

const devicesHeader = `/*
 * %s
 * Written by %s. C99 without a library but math.h, without allocation and without global state.
 * Compile without contraction of products (-ffp-contract=off), so that every number has the bits of rths.
 */
#ifndef RTHS_H
#define RTHS_H

#ifndef __cplusplus
#include <stdbool.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define RTHS_DEVICES %d /* copies of the device in the laboratory */
#define RTHS_PARAMETERS %d /* that are learned */
#define RTHS_RATE_HZ %s /* samples per second: the step is fixed */
%s
/* An instance. It points at itself: do not copy it. */
typedef struct {
	%s
} rths_t;

/* Gives an instance its parameters, and its state at the start. Copies are at rest at 0. */
void rths_init(rths_t *c);

/* A sample of the device in the laboratory: deformation x, m, its force, N, and whether the reading is an old one. */
void rths_learn(rths_t *c, double x, double force, bool old);

/*
 * Parameter j, its standard deviation, and whether the law fits: if not, the standard deviations mean nothing.
%s */
double rths_parameter(const rths_t *c, int j);
double rths_sd(const rths_t *c, int j);
bool rths_fits(const rths_t *c);

/* The force of a copy (the first is device 0) at the deformation x (m) and the rate v (m/s), N. */
double rths_force(const rths_t *c, int device, double x, double v);

/*
 * Takes a copy along in a sample, on a straight line to the deformation x, m. In each sample rths learns, takes the
 * forces, integrates the structure, and takes the copies along.
 */
void rths_advance(rths_t *c, int device, double x);

#ifdef __cplusplus
}
#endif

#endif
`

const devicesSource = `
void rths_learn(rths_t *c, double x, double force, bool old)
{
	rths_devices_learn(&c->outer, x, force, old);
}

double rths_parameter(const rths_t *c, int j)
{
	double sd;

	return c->outer.filter.value(c->outer.filter.self, j, &sd);
}

double rths_sd(const rths_t *c, int j)
{
	double sd;

	c->outer.filter.value(c->outer.filter.self, j, &sd);
	return sd;
}

bool rths_fits(const rths_t *c)
{
	return c->outer.filter.white(c->outer.filter.self);
}

double rths_force(const rths_t *c, int device, double x, double v)
{
	const struct rths_law *law = &c->outer.path->law;

	return law->force(law->self, x, v, c->outer.z + device * c->outer.states);
}

void rths_advance(rths_t *c, int device, double x)
{
	rths_devices_advance(&c->outer, device, x);
}
`

// devicesTest is the self-test up to its numbers, devicesTestEnd what comes after them. Slopes are differences of
// 1e-6, in which rounding grows.
const devicesTest = `/*
 * Self-test: samples of a run, and the parameters, standard deviations and force of rths. Exit status 0: all of them
 * are equal to the bit, or, where the compiler has contracted products, to 1e-6 of the largest of its kind.
 */
#include <math.h>
#include <stdio.h>
#include "NAME.h"

#define SAMPLES %d
#define COLUMNS (2 * RTHS_PARAMETERS + 1)

/* deformation, its rate, force, old */
static const double inputs[SAMPLES][4] = {
`

const devicesTestEnd = `};

int main(void)
{
	static rths_t c;
	double got[COLUMNS], off[COLUMNS] = {0}, largest[COLUMNS] = {0};
	int i, k, unequal = 0, far = 0;

	rths_init(&c);
	for (k = 0; k < SAMPLES; k++) {
		const double *p = inputs[k];

		rths_learn(&c, p[0], p[2], p[3] != 0);
		rths_advance(&c, RTHS_DEVICES - 1, p[0]);
		for (i = 0; i < RTHS_PARAMETERS; i++) {
			got[2 * i] = rths_parameter(&c, i);
			got[2 * i + 1] = rths_sd(&c, i);
		}
		got[COLUMNS - 1] = rths_force(&c, RTHS_DEVICES - 1, p[0], p[1]);
		for (i = 0; i < COLUMNS; i++) {
			double difference = fabs(got[i] - outputs[k][i]), size = fabs(outputs[k][i]);

			unequal += !(difference == 0);
			off[i] = difference <= off[i] ? off[i] : difference;
			largest[i] = size > largest[i] ? size : largest[i];
		}
	}
	for (i = 0; i < COLUMNS; i++)
		far += !(off[i] <= 1e-6 * largest[i]);
	printf("%d samples: %d numbers differ, %d kinds by more than 1e-6\n", SAMPLES, unequal, far);
	return far != 0;
}
`

const devicesExample = `/* An example of use: the copies move as the device in the laboratory does. */
#include <math.h>
#include <stdio.h>
#include "NAME.h"

static rths_t devices;

int main(void)
{
	double a = %s, w = 2 * 3.14159265358979, force = 0;
	int k, i;

	rths_init(&devices);
	for (k = 0; k < 1000; k++) { /* once in each sample, RTHS_RATE_HZ times a second */
		double t = k / (double)RTHS_RATE_HZ, x = a * sin(w * t), v = a * w * cos(w * t);

		rths_learn(&devices, x, force, false); /* here: what sensor and load cell read */
		for (i = 0; i < RTHS_DEVICES; i++) {
			force = rths_force(&devices, i, x, v); /* here: the deformation and its rate in your structure */
			/* here: integrate your structure with the force */
			rths_advance(&devices, i, a * sin(w * (t + 1 / (double)RTHS_RATE_HZ))); /* here: the new deformation */
		}
	}
	for (i = 0; i < RTHS_PARAMETERS; i++)
		printf("parameter %%d: %%g +- %%g\n", i, rths_parameter(&devices, i), rths_sd(&devices, i));
	return 0;
}
`
