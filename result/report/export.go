package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"rths"
	"rths/result/plotting"
	"rths/result/record"
)

// TableFormats are the formats of WriteTable.
var TableFormats = []string{"tex", "csv"}

// WriteTable writes the criteria of runs, a column for each run: as a LaTeX tabular in the
// digits of the page (package booktabs), or as CSV with all digits and meanings.
func WriteTable(w io.Writer, format string, runs []*record.Archive) error {
	names, _ := shortNames(runNames(runs))
	if format == "csv" {
		return writeCSV(w, runs, names)
	}
	t := table{Heads: names}
	for i, a := range runs {
		t.add(a.Criteria, i)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\\begin{tabular}{l%s}\n\\toprule\nCriterion", strings.Repeat("r", len(names)))
	for _, name := range names {
		fmt.Fprintf(&b, " & %s", tex(name))
	}
	b.WriteString(" \\\\\n\\midrule\n")
	for _, row := range t.Rows {
		b.WriteString(texLabel(row.Name))
		for _, c := range row.Cells {
			fmt.Fprintf(&b, " & %s", texNumber(c))
		}
		b.WriteString(" \\\\\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// writeCSV has the names of the manifest, which end in their units.
func writeCSV(w io.Writer, runs []*record.Archive, names []string) error {
	t := table{Heads: names}
	for i, a := range runs {
		for _, v := range a.Criteria {
			row := t.row(v.Name)
			row.Cells[i], row.Doc = exactly(v), cmp.Or(row.Doc, v.Doc)
		}
	}
	out := csv.NewWriter(w)
	out.Write(append(append([]string{"criterion"}, names...), "meaning"))
	for _, row := range t.Rows {
		for i, c := range row.Cells {
			row.Cells[i] = strings.TrimPrefix(c, "–") // nothing is an empty cell
		}
		out.Write(append(append([]string{row.Name}, row.Cells...), row.Doc))
	}
	out.Flush()
	return out.Error()
}

// exactly is a number in as many digits as it has.
func exactly(v rths.Value) string {
	if !rths.Finite(v.V) {
		return ""
	}
	return strconv.FormatFloat(v.V, 'g', -1, 64)
}

var texEscape = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "_", `\_`, "%", `\%`, "&", `\&`, "#", `\#`, "$", `\$`, "~",
	`\textasciitilde{}`, "^", `\textasciicircum{}`,
)

// tex is text for LaTeX.
func tex(text string) string { return texEscape.Replace(text) }

// texLabel is the name of a criterion with its unit: $J_{2}$, \%.
func texLabel(label string) string {
	name, unit, _ := strings.Cut(label, ", ")
	if number, ok := strings.CutPrefix(name, "J"); ok && number != "" {
		number, rest, _ := strings.Cut(number, "_")
		name = "$J_{" + number + "}$"
		if rest != "" {
			name += " " + tex(strings.ReplaceAll(rest, "_", " "))
		}
	} else {
		name = tex(strings.ReplaceAll(name, "_", " "))
	}
	if unit != "" {
		name += ", " + strings.NewReplacer("²", "$^2$", "³", "$^3$", "·", "$\\cdot$").Replace(tex(unit))
	}
	return name
}

// texNumber is a cell in mathematics, so that a minus is one.
func texNumber(cell string) string {
	if cell == "–" {
		return "--"
	}
	if mantissa, power, ok := strings.Cut(cell, "·10"); ok {
		return fmt.Sprintf("$%s\\cdot 10^{%s}$", mantissa, plotting.PlainDigits.Replace(power))
	}
	if strings.HasPrefix(cell, "-") {
		return "$" + cell + "$"
	}
	return cell
}

// WriteComparison writes where the motion took place and how it ended, the settings that differ and the criteria of
// runs as text, a column for each run, in the digits of the page, then the warnings of the runs. It needs no frames.
func WriteComparison(w io.Writer, runs []*record.Archive) error {
	runs = testFirst(runs)
	names, _ := namesOf(runs)
	motion := table{First: "Motion", Heads: names, Rows: []tableRow{{Name: "took place"}, {Name: "ended"}}}
	criteria := table{First: "Criterion", Heads: names}
	for i, a := range runs {
		motion.Rows[0].Cells = append(motion.Rows[0].Cells, placeOf(a).Name)
		motion.Rows[1].Cells = append(motion.Rows[1].Cells, a.Ended())
		criteria.add(a.Criteria, i)
	}
	for _, t := range []table{motion, differences(runs, names), criteria} {
		if len(t.Rows) == 0 {
			continue
		}
		lines := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(lines, strings.Join(append([]string{t.First}, t.Heads...), "\t"))
		for _, row := range t.Rows {
			fmt.Fprintln(lines, strings.Join(append([]string{row.Name}, row.Cells...), "\t"))
		}
		fmt.Fprintln(lines)
		if err := lines.Flush(); err != nil {
			return err
		}
	}
	for i, a := range runs {
		for _, warning := range a.Warnings {
			if _, err := fmt.Fprintf(w, "warning: %s: %s\n", names[i], warning); err != nil {
				return err
			}
		}
	}
	return nil
}
