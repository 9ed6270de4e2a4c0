package ground

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"rths"
	"rths/maths/words"
)

// ReadCOSMOS reads an acceleration from a text file of a strong-motion network:
// the COSMOS format V1.20 (August 2001), volumes 1 and 2, and the older format
// of CSMIP (CDMG, CGS) it grew from, which has no integer header that says what
// follows. A file may hold several channels, one after the other, and of each
// the acceleration, velocity and displacement. ReadCOSMOS takes the acceleration
// unchanged: a V1 record is uncorrected, a V2 record corrected.
//
// want.Part names the one to take by its number or its direction, as the file
// writes them ("1", "360 deg", "Up"); "" is the only one. Several are an error,
// a *KeyError of the key channel that lists them. Raw counts (V0), spectra (V3)
// and digitised pairs of time and acceleration are refused.
func ReadCOSMOS(r io.Reader, name string, want Want) (Motion, error) {
	f := cosmosFile{lines: newLines(r, name), wanted: tidyWords(want.Part)}
	for f.nextFilled() {
		if err := f.record(); err != nil {
			return Motion{}, err
		}
	}
	if f.err != nil || len(f.channels) == 0 {
		return Motion{}, f.ended("acceleration data of a COSMOS V1 or V2 file")
	}
	return f.choose()
}

// maxChannels bounds what a damaged file is read for.
const maxChannels = 10_000

// cosmosFile is a file being read: the names of all channels and the motion of
// the one that is wanted.
type cosmosFile struct {
	*lines
	wanted   string
	channels []string // "1 (360 deg)"
	found    int      // channels that are the wanted one
	motion   Motion   // the first of them
}

// cosmosChannel has the heading of a channel.
type cosmosChannel struct {
	number, direction string
	station, event    string
	dt                float64 // s; 0 = stands in the data line
	length            float64 // s; 0 = unknown
	quantity, unit    int     // codes of COSMOS tables 1 and 2; 0 = in the data line
	pairs             pairs   // instead of data lines
}

// String is "1 (360 deg)".
func (c cosmosChannel) String() string {
	if c.direction == "" {
		return c.number
	}
	return fmt.Sprintf("%s (%s)", c.number, c.direction)
}

// is tells whether the channel is meant by a name; "" means any. An azimuth may
// stand without "deg".
func (c cosmosChannel) is(wanted string) bool {
	names := []string{c.number, c.direction, strings.TrimSuffix(strings.ToLower(c.direction), " deg"), c.String()}
	return wanted == "" || slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, wanted) })
}

// record reads one heading and the data below it.
func (f *cosmosFile) record() error {
	heading := f.headingReader()
	if heading == nil {
		return f.errorf(
			`found %.60q, want the first line of a channel: "… acceleration (Format v01.20 with 13 text lines)" (COSMOS) or `+
				`"Corrected accelerogram …" (CSMIP)`, f.text)
	}
	c, err := heading(f)
	if err != nil {
		return err
	}
	if c.pairs.complete() {
		return f.digitised(c)
	}
	for first := true; f.nextFilled(); first = false {
		switch b, isData, err := parseDataLine(f.text, c); {
		case err != nil:
			return f.errorf("%w", err)
		case isData && b.quantity == accelerations:
			if err := f.acceleration(c, b); err != nil {
				return err
			}
		case isData:
			if err := f.skip(b); err != nil {
				return err
			}
		case endOfData().MatchString(f.text):
			return nil
		case !first && f.headingReader() != nil:
			f.back() // some files leave out the flag
			return nil
		default:
			return f.errorf("found %.60q, want a line that announces data, or the end-of-data flag", f.text)
		}
	}
	return nil
}

var endOfData = words.Pattern(`(?i)^\s*(/&|end[- ]of[- ]data)`)

// headingReader is the reader of the heading that begins in the present line.
func (f *cosmosFile) headingReader() func(*cosmosFile) (cosmosChannel, error) {
	switch text := strings.ToLower(strings.TrimSpace(strings.TrimPrefix(f.text, "\ufeff"))); {
	case cosmosFirst().MatchString(text):
		return (*cosmosFile).cosmosHeading
	case strings.HasPrefix(text, "corrected accelerogram"), strings.HasPrefix(text, "uncorrected accelerogram"):
		return (*cosmosFile).csmipHeading
	}
	return nil
}

// acceleration reads the block, and keeps it if its channel is wanted.
func (f *cosmosFile) acceleration(c cosmosChannel, b dataBlock) error {
	if len(f.channels) == maxChannels {
		return f.errorf("want at most %d channels", maxChannels)
	}
	f.channels = append(f.channels, c.String())
	if !c.is(f.wanted) || f.found > 0 {
		if c.is(f.wanted) {
			f.found++
		}
		return f.skip(b)
	}
	f.found++
	if b.unitErr != nil {
		return f.errorf("%w", b.unitErr)
	}
	if b.n < 2 || b.n > maxSamples {
		return f.errorf("%d points: want 2 to %d", b.n, maxSamples)
	}
	if err := checkStep(fmt.Sprintf("%s: line %d", f.name, f.n), b.dt); err != nil {
		return err
	}
	if err := c.checkLength(b); err != nil {
		return f.errorf("%w", err)
	}
	a, err := f.numbers(b.n, b.format, "points")
	if err != nil {
		return err
	}
	for i := range a {
		if a[i] *= b.factor; !rths.Finite(a[i]) {
			return f.errorf("point %d: want an acceleration", i+1)
		}
	}
	f.motion = Motion{Name: f.name, Station: c.station, Component: c.String(), Event: c.event, Dt: b.dt, A: a}
	return nil
}

// checkLength compares the points with the length that the heading gives,
// which finds a step in other units. Either n or n-1 steps are written there.
func (c cosmosChannel) checkLength(b dataBlock) error {
	if own := float64(b.n) * b.dt; c.length > 0 && !(own > 0.9*c.length-2*b.dt && own < 1.1*c.length+2*b.dt) {
		return fmt.Errorf("%d points every %g s are %g s, but the heading says %g s: want the same", b.n, b.dt, own, c.length)
	}
	return nil
}

// skip passes over the numbers of a block.
func (f *cosmosFile) skip(b dataBlock) error {
	for f.next() {
		if _, isData, _ := parseDataLine(f.text, cosmosChannel{}); isData || endOfData().MatchString(f.text) ||
			f.headingReader() != nil {
			f.back()
			return nil
		}
	}
	if f.err != nil {
		return f.ended(fmt.Sprintf("%d points", b.n))
	}
	return nil
}

// choose is the wanted channel.
func (f *cosmosFile) choose() (Motion, error) {
	if f.found == 1 {
		return f.motion, nil
	}
	want := "one of the file's channels: " + listNames(f.channels)
	if f.found > 1 && f.wanted != "" {
		want = fmt.Sprintf("one channel, but %d have this name, of %s", f.found, listNames(f.channels))
	}
	return Motion{}, &fileError{f.name, &KeyError{"channel", f.wanted, want}}
}

// The quantities of COSMOS table 1.
const (
	accelerations = 1
	otherQuantity = 2 // velocity, displacement, anything else
)

// dataBlock is a line that announces data.
type dataBlock struct {
	n        int
	quantity int
	dt       float64 // s
	format   fortran
	factor   float64 // to m/s²
	unitErr  error   // instead of factor
}

// The lines that announce data:
//
//	16 acceleration pts, approx  307 secs, units=cm/sec2(04), Format=(6E12.3)
//	7500 points of accel data equally spaced at  .010 sec, in cm/sec2. (8f10.6)
//	12001 POINTS OF ACCEL DATA EQUALLY SPACED AT .005 SEC.  (UNITS: G)
//	13200 Accelerogram points at 200 pts/sec in units of g .      Format: (8f9.6)
var (
	cosmosData = words.Pattern(`(?i)^\s*(\d+)\s+([^,]*?)\s*pts\b(.*?)\bformat\s*=?\s*(\(.*)$`)
	cosmosUnit = words.Pattern(`(?i)\bunits\s*=\s*([^,(]*?)\s*(?:\(\s*(\d+)\s*\))?\s*(?:,|$)`)
	csmipData  = words.Pattern(
		`(?i)^\s*(\d+)\s+points of\s+(\w+)\s+data equally spaced at\s+([\d.]+)\s*sec[.,]*\s*(.*)$`)
	csmipRaw  = words.Pattern(`(?i)^\s*(\d+)\s+(accelerogram)\s+points at\s+([\d.]+)\s*pts/sec[.,]*\s*(.*)$`)
	csmipUnit = words.Pattern(`(?i)(?:\bin\s+units\s+of|\bunits\s*(?:of|:|=)?|\bin)\s+([^\s(),;]+)`)
)

// parseDataLine tells whether the line announces data, and which.
func parseDataLine(text string, c cosmosChannel) (b dataBlock, isData bool, err error) {
	if m := cosmosData().FindStringSubmatch(text); m != nil {
		b, err = c.cosmosBlock(m[1], m[2], m[3], m[4])
		return b, true, err
	}
	if m := csmipData().FindStringSubmatch(text); m != nil {
		b, err = csmipBlock(m[1], m[2], m[3], m[4])
		return b, true, err
	}
	if m := csmipRaw().FindStringSubmatch(text); m != nil { // volume 1 gives the rate
		b, err = csmipBlock(m[1], m[2], m[3], m[4])
		b.dt = 1 / b.dt
		return b, true, err
	}
	return b, false, nil
}

// cosmosBlock is the block of a COSMOS data line.
func (c cosmosChannel) cosmosBlock(n, quantity, middle, format string) (b dataBlock, err error) {
	b.dt = c.dt
	if b.n, err = strconv.Atoi(n); err != nil {
		return b, fmt.Errorf("found %.20q points, want a number", n)
	}
	if b.format, err = parseFortran(format); err != nil {
		return b, err
	}
	b.quantity = quantityOf(quantity, c.quantity)
	unit, code := "", c.unit
	if m := cosmosUnit().FindStringSubmatch(strings.TrimRight(middle, " ,")); m != nil {
		unit = m[1]
		if m[2] != "" {
			code, _ = strconv.Atoi(m[2])
		} else if unit != "" {
			code = 0
		}
	}
	b.factor, b.unitErr = networkUnit(unit, code)
	return b, nil
}

// csmipBlock is the block of a CSMIP data line. Where it gives no format the
// numbers have blanks between them.
func csmipBlock(n, quantity, step, rest string) (b dataBlock, err error) {
	if b.n, err = strconv.Atoi(n); err != nil {
		return b, fmt.Errorf("found %.20q points, want a number", n)
	}
	if b.dt, err = parseNumber(step); err != nil {
		return b, err
	}
	b.quantity = quantityOf(quantity, 0)
	unit := ""
	if m := csmipUnit().FindStringSubmatch(" " + rest); m != nil {
		unit = strings.TrimRight(m[1], ".")
	}
	b.factor, b.unitErr = networkUnit(unit, 0)
	if i := strings.LastIndexByte(rest, '('); i >= 0 {
		b.format, _ = parseFortran(rest[i:]) // "(UNITS: G)" is none
	}
	return b, nil
}

// quantityOf reads the quantity from the words of a data line, else from the heading's
// code.
func quantityOf(words string, code int) int {
	words = strings.ToLower(words)
	switch {
	case strings.Contains(words, "ang") || strings.Contains(words, "rot"):
		return otherQuantity
	case strings.Contains(words, "acc"):
		return accelerations
	case strings.TrimSpace(words) == "" && code == accelerations:
		return accelerations
	}
	return otherQuantity
}

// networkUnit is the factor to m/s² of a unit of COSMOS table 2, by its code,
// or where there is none (0) by its text.
func networkUnit(text string, code int) (float64, error) {
	plain := strings.NewReplacer("sec", "s", "^", "", " ", "", "²", "2").Replace(strings.ToLower(text))
	plain = strings.ReplaceAll(plain, "/s/s", "/s2")
	switch {
	case code == 2, code == 0 && plain == "g":
		return StandardGravity, nil
	case code == 4 || code == 10, code == 0 && (plain == "cm/s2" || plain == "gal" || plain == "gals"):
		return 0.01, nil
	case code == 7, code == 0 && plain == "in/s2":
		return 0.0254, nil
	case code == 11, code == 0 && plain == "mg":
		return 1e-3 * StandardGravity, nil
	case code == 0 && (plain == "g/10" || plain == ".1g" || plain == "0.1g"):
		return 0.1 * StandardGravity, nil
	case code == 50, code == 0 && strings.HasPrefix(plain, "count"):
		return 0, fmt.Errorf("found raw counts (volume 0), want a V1 or V2 file in physical units")
	}
	return 0, fmt.Errorf("found unit %q (code %d), want g, mg, gal, cm/sec2 or in/sec2", text, code)
}

// tidyWords is the text with single blanks.
func tidyWords(s string) string { return strings.Join(strings.Fields(s), " ") }
