package export

import (
	"fmt"
	"math"
	"strings"
)

// Vectors are samples of a run with the commands of the Go object, for the self-test.
type Vectors struct {
	// of each sample: target, velocity, acceleration, measured of all axes, forces, measured accelerations, age,
	// late (1 or 0)
	Inputs   [][]float64
	Commands [][]float64 // of each sample, m
}

// test is the self-test: a program that compares every command.
func (v *Vectors) test(s Source) string {
	var b strings.Builder
	fmt.Fprintf(&b, `/*
 * Self-test: %d samples of a motion that begins at rest, and the commands of rths. `+
		`Exit status 0: all of them are equal to the bit, or, where the compiler has
 * contracted products, to 1e-12 of the largest.
 */
#include <math.h>
#include <stdio.h>
#include "NAME.h"

#define SAMPLES %d
#define COLUMNS %d

/* target, velocity, acceleration, measured of all axes, forces%s, age, late */
static const double inputs[SAMPLES][COLUMNS] = {
`, len(v.Inputs), len(v.Inputs), s.columns(), s.accelerated(", measured accelerations"))
	writeRows(&b, v.Inputs)
	b.WriteString("};\n\nstatic const double commands[SAMPLES][RTHS_AXES] = {\n")
	writeRows(&b, v.Commands)
	fmt.Fprintf(&b, selfTest, s.noInput(), s.accelerated(`
		for (i = 0; i < RTHS_AXES; i++)
			in.measured_acceleration[i] = p[4 * RTHS_AXES + RTHS_FORCES + i];`))
	return b.String()
}

// columns are the numbers of a sample of the self-test.
func (s Source) columns() int {
	n := 4*s.Axes + s.Forces + 2
	if s.Accelerated {
		n += s.Axes
	}
	return n
}

func writeRows(b *strings.Builder, rows [][]float64) {
	for _, row := range rows {
		b.WriteString("\t{")
		for _, x := range row {
			b.WriteString(short(x) + ", ")
		}
		b.WriteString("},\n")
	}
}

// short is a whole number as it is, others as Hex.
func short(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e6 && !(v == 0 && math.Signbit(v)) {
		return fmt.Sprintf("%g", v)
	}
	return Hex(v)
}

const selfTest = `};

int main(void)
{
	static rths_t c;
	rths_input in = %s;
	double command[RTHS_AXES], off = 0, largest = 0;
	int i, k, unequal = 0;

	rths_init(&c);
	for (k = 0; k < SAMPLES; k++) {
		const double *p = inputs[k];

		for (i = 0; i < RTHS_AXES; i++) {
			in.target[i] = p[i];
			in.velocity[i] = p[RTHS_AXES + i];
			in.acceleration[i] = p[2 * RTHS_AXES + i];
			in.measured[i] = p[3 * RTHS_AXES + i];
		}
		for (i = 0; i < RTHS_FORCES; i++)
			in.force[i] = p[4 * RTHS_AXES + i];
		in.age = (int)p[COLUMNS - 2];
		in.late = p[COLUMNS - 1] != 0;%s
		rths_step(&c, &in, command);
		for (i = 0; i < RTHS_AXES; i++) {
			double difference = fabs(command[i] - commands[k][i]);

			unequal += !(difference == 0);
			off = difference > off ? difference : off;
			largest = fabs(commands[k][i]) > largest ? fabs(commands[k][i]) : largest;
		}
	}
	printf("%%d samples: %%d commands differ, by at most %%g m of %%g m\n", SAMPLES, unequal, off, largest);
	return unequal != 0 && !(off <= 1e-12 * largest);
}
`

// example is a program of use.
const example = `/* An example of use: the target swings from rest, and the rig is one that answers a sample late. */
#include <math.h>
#include <stdio.h>
#include "NAME.h"

static rths_t compensator; /* static: it may be large for a stack */

int main(void)
{
	rths_input in = %s;
	double command[RTHS_AXES] = {0}, a = %s / 2, w = 2 * 3.14159265358979;
	int k, i;

	rths_init(&compensator); /* the motion begins at rest, at 0: ` +
	`a start in the middle of a motion is a jump of the command */
	for (k = 0; k < 1000; k++) { /* once in each sample, RTHS_RATE_HZ times a second */
		double t = k / (double)RTHS_RATE_HZ;

		for (i = 0; i < RTHS_AXES; i++) {
			in.measured[i] = command[i]; /* here: read the sensor */
			in.target[i] = a * (1 - cos(w * t)); /* here: integrate the structure */
			in.velocity[i] = a * w * sin(w * t);
			in.acceleration[i] = a * w * w * cos(w * t);
		}
		in.age = 0; /* samples since the displacement was measured */
		if (rths_step(&compensator, &in, command) != 0)
			break; /* a limit has acted, and the command is held */
		/* here: send the command */
	}
	printf("after %%d samples the command is %%g m\n", k, command[0]);
	return 0;
}
`
