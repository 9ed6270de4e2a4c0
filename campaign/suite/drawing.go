package suite

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"rths"
	"rths/campaign/picture"
	"rths/maths/words"
)

// Drawing is the usage of --out.
func (s *Suite) Drawing() string {
	if d, ok := s.New().(Drawer); ok {
		return d.Drawing()
	}
	return tableDrawing
}

const tableDrawing = "pictures of the tables, PNG and SVG: criteria by method, or lines over what is swept"

// Draw draws a result into a folder: as its study does, or else the tables.
func (s *Suite) Draw(dir string, of Study, r *Result) ([]string, error) {
	if d, ok := of.(Drawer); ok {
		return d.Draw(dir, r)
	}
	return r.DrawTables(dir)
}

// DrawTables draws the tables of structs, each into files of its own. A row is drawn as the tags draw of its fields
// say:
//
//	label      a part of the row's name; texts that are printed, without a tag
//	criterion  the name of the row's number
//	part       a condition: a tile of its own, or a picture of its own where something is swept
//	named      a part, with the name of its column before the text, as numbers have it
//	over       the number that is swept; nil: the row has none
//	status     how the run ended, as in a manifest
//	-          not drawn
//
// Numbers (float64) and pairs of them that are printed are criteria. Other fields are not drawn.
func (r *Result) DrawTables(dir string) (files []string, err error) {
	for i, t := range r.Tables {
		for _, p := range t.Pictured() {
			if p.Name == "" && i > 0 {
				p.Name = fmt.Sprint("table ", i+1)
			}
			name := strings.ToLower(strings.Trim(unnamed().ReplaceAllString(r.Suite+"-"+cmp.Or(t.Key, p.Name), "-"), "-"))
			p.Name = strings.TrimSuffix(r.Suite+": "+p.Name, ": ")
			paths, err := picture.TablePlots(dir, name, p)
			if files = append(files, paths...); err != nil {
				return files, err
			}
		}
	}
	return files, nil
}

var unnamed = words.Pattern(`[^\pL\pN]+`)

// Pictured has the rows of a table as runs: those with a swept number apart for each condition, then the others. The
// names are titles.
func (t *Table) Pictured() (out []*picture.Study) {
	var all, still []shownRow
	for _, row := range t.Rows {
		if v := reflect.ValueOf(row); v.Kind() == reflect.Struct {
			s := shownRow{status: rths.Completed, over: math.NaN()}
			if s.take(v); !s.left {
				all = append(all, s)
			}
		}
	}
	brief(all, func(r *shownRow) *texts { return &r.label }, 1)
	brief(all, func(r *shownRow) *texts { return &r.part }, 0)
	title, _, _ := strings.Cut(strings.TrimSpace(t.Before), "\n")
	var order []string
	swept := map[string][]shownRow{}
	for _, s := range all {
		if math.IsNaN(s.over) {
			still = append(still, s)
			continue
		}
		part := s.part.String()
		if swept[part] == nil {
			order = append(order, part)
		}
		swept[part] = append(swept[part], s)
	}
	for _, part := range order {
		words := append(slices.DeleteFunc([]string{title, part}, func(w string) bool { return w == "" }), "")
		out = append(out, studyOf(strings.TrimSpace(strings.Join(words, " ")+"over "+swept[part][0].overName), swept[part]))
	}
	if len(still) > 0 {
		out = append(out, studyOf(title, still))
	}
	return out
}

// studyOf has rows as the runs of a study. Of a single method the conditions are compared.
func studyOf(name string, rows []shownRow) *picture.Study {
	s := &picture.Study{Name: name}
	label, part := picture.StudyInput{Name: "method"}, picture.StudyInput{Name: "condition"}
	over := picture.StudyInput{Name: rows[0].overName, Swept: true}
	methods, place := map[string]bool{}, map[string]int{}
	for i, r := range rows {
		label.Labels, part.Labels = append(label.Labels, r.label.String()), append(part.Labels, r.part.String())
		over.Values, s.Status = append(over.Values, r.over), append(s.Status, r.status)
		methods[r.label.String()] = true
		for _, c := range r.criteria {
			if _, known := place[c.name]; !known {
				place[c.name] = len(s.Outputs)
				s.Outputs = append(s.Outputs, picture.StudyOutput{Name: c.name, Role: picture.Numbered,
					Values: slices.Repeat([]float64{math.NaN()}, len(rows))})
			}
			s.Outputs[place[c.name]].Values[i] = c.Value
		}
	}
	switch {
	case over.Name != "":
		s.Inputs = []picture.StudyInput{over, label}
	case len(methods) == 1:
		label.Labels = part.Labels
		s.Inputs = []picture.StudyInput{label}
	default:
		s.Inputs = []picture.StudyInput{label, part}
	}
	return s
}

// shownRow is a row as it is drawn.
type shownRow struct {
	label, part texts
	criteria    []shownNumber
	status      string
	over        float64 // NaN: none
	overName    string
	named       string // what its number is called
	left        bool   // not drawn
}

type shownNumber struct {
	name  string
	Value float64
}

// texts are texts of columns.
type texts []columnText

type columnText struct{ column, text string }

func (t texts) String() string {
	var all []string
	for _, one := range t {
		all = append(all, one.text)
	}
	return strings.Join(all, ", ")
}

// brief leaves out the columns that have the same text in all rows; least columns stay.
func brief(rows []shownRow, of func(*shownRow) *texts, least int) {
	times := map[columnText]int{}
	for i := range rows {
		for _, one := range *of(&rows[i]) {
			times[one]++
		}
	}
	for i := range rows {
		kept := slices.DeleteFunc(slices.Clone(*of(&rows[i])), func(one columnText) bool { return times[one] == len(rows) })
		if len(kept) < least {
			kept = (*of(&rows[i]))[:min(least, len(*of(&rows[i])))]
		}
		*of(&rows[i]) = kept
	}
}

// take takes the fields of a struct.
func (s *shownRow) take(row reflect.Value) {
	for i := range row.NumField() {
		field, v := row.Type().Field(i), row.Field(i)
		inside := field.Anonymous || field.Tag.Get("col") == "-"
		if v.Type() == reflect.TypeFor[*Statistic]() && v.IsNil() {
			s.part = append(s.part, columnText{"plants", "nominal plant"})
		}
		if v.Kind() == reflect.Pointer && inside {
			v = v.Elem()
		}
		switch {
		case v.IsValid() && v.Type() == reflect.TypeFor[Statistic]():
			of := v.Interface().(Statistic)
			s.left = of.Name == "std"
			s.part = append(s.part, columnText{"plants", fmt.Sprintf("%s of %d random plants", of.Name, of.Runs)})
		case v.Kind() == reflect.Struct && inside:
			s.take(v)
		case v.IsValid():
			s.takeField(field, v)
		}
	}
}

// takeField takes a field that is one column, or the columns of a pair.
func (s *shownRow) takeField(field reflect.StructField, v reflect.Value) {
	name, format, tag := field.Tag.Get("head"), field.Tag.Get("print"), field.Tag.Get("draw")
	if key, _, _ := strings.Cut(field.Tag.Get("col"), ","); name == "" {
		name = key
	}
	text := func() columnText {
		if v.Kind() == reflect.String && tag != "named" {
			return columnText{name, v.String()}
		}
		return columnText{name, name + " " + cell(v, cmp.Or(format, "%v"))}
	}
	switch {
	case tag == "" && format == "" || tag == "-" || v.Kind() == reflect.String && v.Len() == 0:
	case tag == "criterion":
		s.named = v.String()
	case tag == "status":
		s.status = v.String()
	case tag == "over":
		if v = reflect.Indirect(v); v.IsValid() {
			s.over, s.overName = v.Float(), name
		}
	case tag == "part", tag == "named":
		s.part = append(s.part, text())
	case tag == "label" || v.Kind() == reflect.String:
		s.label = append(s.label, text())
	case v.Kind() == reflect.Float64:
		s.criteria = append(s.criteria, shownNumber{cmp.Or(s.named, name), v.Float()})
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			s.criteria = append(s.criteria, shownNumber{fmt.Sprintf("%s (%d)", name, i+1), v.Index(i).Float()})
		}
	}
}
