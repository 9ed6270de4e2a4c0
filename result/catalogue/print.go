package catalogue

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

	"rths/result/record"
)

// What Sort takes, beside the names of numbers.
var Orders = []string{"date", "folder", "name", "kind", "status", "compensator"}

// Sort sorts runs by one of Orders or by a number, the smallest first, and those that are equal there by their dates.
func Sort(runs []Item, by string) {
	keys := make([]sortKey, len(runs))
	for i := range runs {
		keys[i] = keyOf(&runs[i], i, by)
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
	text    string  // one of Orders
	missing int     // 1: the run does not have the number: it comes last
	number  float64 // that number
	began   time.Time
	folder  string
	place   int // before
}

func keyOf(r *Item, place int, by string) sortKey {
	k := sortKey{folder: r.Folder, place: place}
	k.began, _ = r.Began()
	switch by {
	case "date":
	case "folder":
		k.text = r.Path()
	case "name":
		k.text = r.Name
	case "kind":
		k.text = r.Kind
	case "status":
		k.text = r.State()
	case "compensator":
		k.text = r.Compensator
	default:
		if k.number = r.Numbers.Of(by); math.IsNaN(k.number) {
			k.missing = 1
		}
	}
	return k
}

// Rows are the document of runs --json.
func Rows(runs []Item) map[string][]record.Row {
	rows := []record.Row{}
	for _, r := range runs {
		row := record.Row{
			{Key: "folder", V: r.Path()}, {Key: "kind", V: r.Kind}, {Key: "name", V: r.Name}, {Key: "status", V: r.Status},
			{Key: "reason", V: r.Reason}, {Key: "verdict", V: r.Verdict}, {Key: "started", V: r.Started},
			{Key: "rig", V: r.Rig}, {Key: "compensator", V: r.Compensator}, {Key: "tags", V: append([]string{}, r.Tags...)},
			{Key: "gone", V: r.Gone},
		}
		if r.Note != "" {
			row.Put("note", r.Note)
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

// Columns are the numbers that the table shows: criteria, and what the query and the order ask about.
func Columns(q Query, by string) []string {
	list := []string{"J1_ms", "J2_pct", "J4_pct"}
	for _, c := range q.Where {
		list = append(list, c.Name)
	}
	if !slices.Contains(Orders, by) {
		list = append(list, by)
	}
	return once(list)
}

// Print prints a line for each run. Columns that are empty for all are left out.
func Print(out io.Writer, runs []Item, numbers []string) {
	if len(runs) == 0 {
		fmt.Fprintln(out, "no runs")
		return
	}
	heads := slices.Concat(Heads, numbers)
	wide := len(heads)
	cells := make([]string, len(runs)*wide) // of all lines
	parallel(len(runs), func(i int) {
		line := runs[i].appendCells(cells[i*wide:i*wide:(i+1)*wide], numbers)
		if at := slices.Index(Heads, "note"); len(line[at]) > longestShown {
			line[at] = strings.ToValidUTF8(line[at][:longestShown], "") + " …"
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

// Heads are the heads of the columns of a table of runs before those of its numbers.
var Heads = []string{"run", "date", "kind", "rig", "status", "verdict", "compensator", "tags", "note"}

// longestShown is the longest part of a note that Print shows, bytes.
const longestShown = 60

// Cells are the cells of a run in a table with these numbers.
func (r *Item) Cells(numbers []string) []string {
	return r.appendCells(make([]string, 0, len(Heads)+len(numbers)), numbers)
}

func (r *Item) appendCells(line, numbers []string) []string {
	line = append(line, r.Path(), dateOf(r), r.Kind, r.Rig, r.State()+failedRuns(r), r.Verdict, r.Compensator,
		strings.Join(r.Tags, ", "), strings.Join(strings.Fields(r.Note), " "))
	for _, name := range numbers {
		line = append(line, cellOf(r, name))
	}
	return line
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
func failedRuns(r *Item) string {
	if n := r.Numbers.Of("failed"); r.Kind == Study && n > 0 {
		return fmt.Sprintf(", %.0f of %.0f failed", n, r.Numbers.Of("runs"))
	}
	return ""
}

// dateOf is the beginning of a run by the clock here.
func dateOf(r *Item) string {
	if began, ok := r.Began(); ok {
		return began.In(time.Local).Format("2006-01-02 15:04")
	}
	return ""
}

// cellOf is a number, or the numbers of all actuators with strokes between them: of J2_pct
// those named J2_1_pct, J2_2_pct, ….
func cellOf(r *Item, name string) string {
	var cell string
	for _, v := range r.Numbers {
		if IsOf(v.Name, name) {
			if cell != "" {
				cell += "/"
			}
			cell += record.Text("", v.V)
		}
	}
	return cell
}

// IsOf reports whether a number is that of a name, or that of one actuator: J2_1_pct of J2_pct.
func IsOf(number, name string) bool {
	if number == name {
		return true
	}
	stem, unit, _ := strings.Cut(name, "_")
	actuator, ok := strings.CutPrefix(number, stem+"_")
	actuator, ends := strings.CutSuffix(actuator, "_"+unit)
	return ok && ends && strings.Trim(actuator, "0123456789") == ""
}

// Shown reports whether a table with these columns, or the number of failed runs, needs a number.
func Shown(columns []string) func(number string) bool {
	columns = append(slices.Clone(columns), "failed", "runs")
	return func(number string) bool {
		return slices.ContainsFunc(columns, func(name string) bool { return IsOf(number, name) })
	}
}
