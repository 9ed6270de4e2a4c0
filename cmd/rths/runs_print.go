package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"rths/result/catalogue"
	"rths/result/record"
)

// sorted sorts runs as --sort says, and those that are equal there by their dates.
func (f *runsFlags) sorted(runs []listedRun) {
	keys := make([]sortKey, len(runs))
	for i := range runs {
		keys[i] = f.keyOf(&runs[i], i)
	}
	slices.SortFunc(keys, func(a, b sortKey) int {
		return cmp.Or(strings.Compare(a.text, b.text), cmp.Compare(a.missing, b.missing), cmp.Compare(a.number, b.number),
			a.began.Compare(b.began), strings.Compare(a.folder, b.folder), cmp.Compare(a.place, b.place))
	})
	copied := slices.Clone(runs)
	for i, k := range keys {
		runs[i] = copied[k.place]
	}
}

// sortKey is what the place of a run in a list depends on.
type sortKey struct {
	text    string  // as --sort says
	missing int     // 1: --sort names a number that the run does not have: it comes last
	number  float64 // that number
	began   time.Time
	folder  string
	place   int // before
}

func (f *runsFlags) keyOf(r *listedRun, place int) sortKey {
	k := sortKey{folder: r.Folder, place: place}
	k.began, _ = r.Began()
	switch f.sort {
	case "date":
	case "folder":
		k.text = r.path()
	case "name":
		k.text = r.Name
	case "kind":
		k.text = r.Kind
	case "status":
		k.text = r.status()
	case "compensator":
		k.text = r.Compensator
	default:
		if k.number = r.Numbers.Of(f.sort); math.IsNaN(k.number) {
			k.missing = 1
		}
	}
	return k
}

// rowsOf is the document of runs --json.
func rowsOf(runs []listedRun) map[string][]record.Row {
	rows := []record.Row{}
	for _, r := range runs {
		row := record.Row{
			{Key: "folder", V: r.path()}, {Key: "kind", V: r.Kind}, {Key: "name", V: r.Name}, {Key: "status", V: r.Status}, {Key: "reason", V: r.Reason}, {Key: "verdict", V: r.Verdict},
			{Key: "started", V: r.Started}, {Key: "rig", V: r.Rig}, {Key: "compensator", V: r.Compensator}, {Key: "tags", V: append([]string{}, r.Tags...)}, {Key: "gone", V: r.Gone},
		}
		for _, v := range r.Numbers {
			if row.Get(v.Name) == nil {
				row.Put(v.Name, v.V)
			}
		}
		rows = append(rows, row)
	}
	return map[string][]record.Row{"runs": rows}
}

// columns are the numbers that the table shows: criteria, and what the flags ask about.
func (f *runsFlags) columns(q catalogue.Query) []string {
	list := []string{"J1_ms", "J2_pct", "J4_pct"}
	for _, c := range q.Where {
		list = append(list, c.Name)
	}
	if !slices.Contains(texts, f.sort) {
		list = append(list, f.sort)
	}
	var once []string
	for _, name := range list {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return once
}

// printRuns prints a line for each run. Columns that are empty for all are left out.
func printRuns(out io.Writer, runs []listedRun, numbers []string) {
	if len(runs) == 0 {
		fmt.Fprintln(out, "no runs")
		return
	}
	heads := append([]string{"run", "date", "kind", "rig", "status", "verdict", "compensator", "tags"}, numbers...)
	wide := len(heads)
	cells := make([]string, len(runs)*wide) // of all lines
	parallel(len(runs), func(i int) {
		r := &runs[i]
		line := append(cells[i*wide:i*wide:(i+1)*wide], r.path(), dateOf(r), r.Kind, r.Rig,
			r.status()+failedRuns(r), r.Verdict, r.Compensator, strings.Join(r.Tags, ", "))
		for _, name := range numbers {
			line = append(line, cellOf(r, name))
		}
	})
	filled := make([]bool, wide)
	for i, cell := range cells {
		filled[i%wide] = filled[i%wide] || cell != ""
	}
	lines := make([][]string, 0, 1+len(runs))
	for line := range slices.Chunk(append(heads, cells...), wide) {
		kept := line[:0]
		for j, cell := range line {
			if filled[j] {
				kept = append(kept, cmp.Or(cell, "–"))
			}
		}
		lines = append(lines, kept)
	}
	printAligned(out, lines)
}

// parallel calls do for 0 to n-1, on all processors.
func parallel(n int, do func(i int)) {
	var group sync.WaitGroup
	size := max(1, (n+runtime.NumCPU()-1)/runtime.NumCPU())
	for from := 0; from < n; from += size {
		group.Go(func() {
			for i := from; i < min(n, from+size); i++ {
				do(i)
			}
		})
	}
	group.Wait()
}

// printAligned prints lines of equally many cells in columns, two blanks apart.
func printAligned(out io.Writer, lines [][]string) {
	wide := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			wide[i] = max(wide[i], utf8.RuneCountInString(cell))
		}
	}
	b := bufio.NewWriterSize(out, 1<<16)
	defer b.Flush()
	for _, line := range lines {
		for i, cell := range line {
			b.WriteString(cell)
			for n := utf8.RuneCountInString(cell); i < len(line)-1 && n < wide[i]+2; n++ {
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
}

// failedRuns says how many runs of a study have failed.
func failedRuns(r *listedRun) string {
	if n := r.Numbers.Of("failed"); r.Kind == catalogue.Study && n > 0 {
		return fmt.Sprintf(", %.0f of %.0f failed", n, r.Numbers.Of("runs"))
	}
	return ""
}

// dateOf is the beginning of a run by the clock here.
func dateOf(r *listedRun) string {
	if began, ok := r.Began(); ok {
		return began.In(time.Local).Format("2006-01-02 15:04")
	}
	return ""
}

// cellOf is a number, or the numbers of all actuators with strokes between them: of J2_pct
// those named J2_1_pct, J2_2_pct, ….
func cellOf(r *listedRun, name string) string {
	var cell string
	for _, v := range r.Numbers {
		if isOf(v.Name, name) {
			if cell != "" {
				cell += "/"
			}
			cell += record.Text("", v.V)
		}
	}
	return cell
}

// isOf reports whether a number is that of a name, or that of one actuator: J2_1_pct of J2_pct.
func isOf(number, name string) bool {
	if number == name {
		return true
	}
	stem, unit, _ := strings.Cut(name, "_")
	actuator, ok := strings.CutPrefix(number, stem+"_")
	actuator, ends := strings.CutSuffix(actuator, "_"+unit)
	return ok && ends && strings.Trim(actuator, "0123456789") == ""
}

// shown reports whether the table, its order or the number of failed runs needs a number.
func (f *runsFlags) shown(q catalogue.Query) func(number string) bool {
	columns := append(f.columns(q), "failed", "runs")
	return func(number string) bool {
		return slices.ContainsFunc(columns, func(name string) bool { return isOf(number, name) })
	}
}
