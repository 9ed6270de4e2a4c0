package compare

import (
	"slices"
	"strings"
	"unicode"

	"rths/maths/words"
	"rths/result/catalogue"
	"rths/workbench"
)

// filter is what a reader looks for, in the words of rths runs: conditions as J2_pct<3, KEY=VALUE for a flag, and else
// a part of the name. A value with blanks stands in quotes: tag="second series".
type filter struct {
	catalogue.Query
	states []string            // of which a run has one; none: any
	texts  map[string][]string // of columns that rths runs has no flag for
}

// keys are those of a filter that are no numbers.
var keys = []string{"name", "tag", "status", "kind", "since", "before", "rig", "verdict", "compensator"}

func parseFilter(text string) (f filter, err error) {
	var names []string
	for _, word := range split(text) {
		at := strings.IndexAny(word, "<>=!")
		if at < 0 {
			names = append(names, unquoted(word))
			continue
		}
		key := unquoted(word[:at])
		if !slices.Contains(keys, key) {
			c, err := catalogue.ParseCondition(key + word[at:])
			if err != nil {
				return f, workbench.Refuse("%w", err)
			}
			f.Where = append(f.Where, c)
			continue
		}
		if word[at] != '=' {
			return f, workbench.Refuse("%q: want %s= and a word, as in status=tripped", word, key)
		}
		if err := f.set(key, unquoted(word[at+1:])); err != nil {
			return f, err
		}
	}
	if len(names) > 0 {
		f.Name = strings.Join(names, " ")
	}
	return f, nil
}

// set takes a key with its value.
func (f *filter) set(key, value string) (err error) {
	if value == "" {
		return workbench.Refuse("%s=: want a word behind it, or nothing of it", key)
	}
	switch key {
	case "name":
		f.Name = value
	case "tag":
		f.Tags = append(f.Tags, value)
	case "kind":
		f.Kind = value
		err = oneOf(key, value, catalogue.Kinds)
	case "status":
		for state := range strings.SplitSeq(value, ",") {
			if err := oneOf(key, state, catalogue.States); err != nil {
				return err
			}
			f.states = append(f.states, state)
		}
	case "since":
		f.Since, err = catalogue.ParseDate(key, value)
	case "before":
		f.Before, err = catalogue.ParseDate(key, value)
	default:
		if f.texts == nil {
			f.texts = map[string][]string{}
		}
		f.texts[key] = append(f.texts[key], value)
	}
	if err != nil {
		return workbench.Refuse("%w", err)
	}
	return nil
}

func oneOf(key, value string, list []string) error {
	if slices.Contains(list, value) {
		return nil
	}
	return workbench.Refuse("%s=%s: want one of %s%s", key, value, strings.Join(list, ", "),
		words.Meant(words.Like(value, list)))
}

// bare reports whether the catalogue itself has nothing to choose.
func (f *filter) bare() bool {
	return f.Name == "" && f.Kind == "" && f.Since.IsZero() && f.Before.IsZero() && len(f.Tags)+len(f.Where) == 0
}

// takes is what the catalogue itself cannot choose.
func (f *filter) takes(r *catalogue.Item) bool {
	if len(f.states) > 0 && !slices.Contains(f.states, r.State()) {
		return false
	}
	for key, values := range f.texts {
		has := map[string]string{"rig": r.Rig, "verdict": r.Verdict, "compensator": r.Compensator}[key]
		if !slices.ContainsFunc(values, func(v string) bool { return strings.EqualFold(v, has) }) {
			return false
		}
	}
	return true
}

// command is that of a terminal in the folder which lists the same; "": there is none.
func (f *filter) command(by string) string {
	if len(f.texts) > 0 {
		return ""
	}
	out := "rths runs"
	flag := func(name, value string) { out += " --" + name + " " + quoted(value) }
	if f.Name != "" {
		flag("name", f.Name)
	}
	for _, tag := range f.Tags {
		flag("tag", tag)
	}
	if f.Kind != "" {
		flag("kind", f.Kind)
	}
	if len(f.states) > 0 {
		flag("status", strings.Join(f.states, ","))
	}
	if !f.Since.IsZero() {
		flag("since", f.Since.Format("2006-01-02T15:04:05Z07:00"))
	}
	if !f.Before.IsZero() {
		flag("before", f.Before.Format("2006-01-02T15:04:05Z07:00"))
	}
	for _, c := range f.Where {
		flag("where", c.Text())
	}
	if by != "date" {
		flag("sort", by)
	}
	return out
}

// quoted is a word for a shell.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-.,:+=/@", r))
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// split parts a text at its blanks, but within quotes and around the signs of conditions.
func split(text string) (out []string) {
	var word []rune
	inside, open := false, false // within quotes; a blank was met after the word
	sign := func(r rune) bool { return strings.ContainsRune("<>=!", r) }
	for _, r := range text {
		switch {
		case r == '"':
			if open && !sign(word[len(word)-1]) {
				out, word = append(out, string(word)), nil
			}
			inside, open = !inside, false
			word = append(word, r)
		case inside:
			word = append(word, r)
		case unicode.IsSpace(r):
			open = len(word) > 0
		default:
			if open && !sign(r) && !sign(word[len(word)-1]) {
				out, word = append(out, string(word)), nil
			}
			word, open = append(word, r), false
		}
	}
	if len(word) > 0 {
		out = append(out, string(word))
	}
	return out
}

func unquoted(word string) string { return strings.ReplaceAll(word, `"`, "") }
