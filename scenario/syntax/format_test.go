package syntax

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// kitchen is a block that has nothing to do with a test.
type kitchen struct {
	Name  string             `yaml:"name" doc:"name"`
	Seats int                `yaml:"seats" doc:"number of seats"`
	Stove Choice[any]        `yaml:"stove,omitempty" doc:"stove"`
	Pots  []pot              `yaml:"pots,omitempty" doc:"pots"`
	Herbs map[string]float64 `yaml:"herbs,omitempty" doc:"mass, g"`
}

type pot struct {
	Litres float64     `yaml:"litres" doc:"volume, L"`
	Lid    *lid        `yaml:"lid,omitempty" doc:"lid"`
	Heat   Choice[any] `yaml:"heat,omitempty" doc:"what heats it"`
}

type lid struct {
	Litres float64 `yaml:"litres" doc:"volume under it, L"`
}

func (p *pot) Prepare() { p.Litres, p.Heat = 1, NewChoice(stoves) }

type gas struct {
	Flames int `yaml:"flames" doc:"number of flames"`
}

type wood struct {
	Logs []float64 `yaml:"logs" doc:"masses, kg"`
}

var stoves = []rths.Kind[any]{
	{Name: "gas", Doc: "gas stove", Ref: "none", Defaults: func() any { return &gas{Flames: 4} }},
	{Name: "wood", Doc: "wood stove", Ref: "none", Defaults: func() any { return &wood{Logs: []float64{1, 2}} }},
}

func newKitchen() *kitchen { return &kitchen{Seats: 2, Stove: NewChoice(stoves)} }

func kitchens() *Format {
	f := &Format{New: func() any { return newKitchen() }, Emptied: "pots"}
	f.Families = f.Choices
	f.Hint = func(string, string, []string) string { return "" }
	f.KindHint = func(string, []string) string { return "" }
	f.Block = func(path string) string { return path }
	f.Names = func(path string) []string { return strings.Split(path, ".") }
	return f
}

// cooked is a text with settings, read.
func cooked(text string, sets ...string) (*kitchen, error) {
	f, k := kitchens(), newKitchen()
	root, err := Parse("k.yaml", []byte(text), "a kitchen")
	if err != nil {
		return nil, err
	}
	for _, set := range sets {
		s, err := ParseSetting(set)
		if err != nil {
			return nil, err
		}
		if err := f.Set(root, s); err != nil {
			return nil, err
		}
	}
	return k, f.Decode(root, k)
}

const kitchenText = `name: k # a comment
stove: {kind: wood, logs: [3, 4, 5]}
pots: [{litres: 2, heat: {kind: gas}}, {lid: {litres: 3}}]
herbs: {sage: 1.5}
`

// A block is read by its tags alone, and changed by settings; what settings leave empty is left out.
func TestFormat(t *testing.T) {
	k := rthstest.Must(cooked(kitchenText, "stove.logs[2]=7", "pots[1].heat=", "pots[2].litres=9"))
	got := rthstest.Must(flow(Encode(k)))
	want := "{name: k, seats: 2, stove: {kind: wood, logs: [3.0, 7.0, 5.0]}, pots: [{litres: 2.0}, {litres: 9.0, " +
		"lid: {litres: 3.0}}], herbs: {sage: 1.5}}"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if k := rthstest.Must(cooked(kitchenText, "stove.kind=gas")); k.Stove.Params.(*gas).Flames != 4 {
		t.Errorf("%+v: want the defaults of the other kind", k.Stove.Params)
	}
	copied := Clone(k)
	copied.Pots[1].Lid.Litres = 4
	if k.Pots[1].Lid.Litres != 3 {
		t.Error("a change of a clone changes the block")
	}
}

// What is wrong is told with its place.
func TestFormatRefuses(t *testing.T) {
	for _, c := range []struct{ text, set, want string }{
		{"seets: 1", "", "k.yaml:1:1: seets: unknown key: did you mean seats?"},
		{"flames: 1", "", "flames: unknown key here: it belongs into stove (kind gas)"},
		{"stove: {kind: gass}", "", `k.yaml:1:15: stove: kind "gass": did you mean gas?`},
		{"stove: {kind: gas, logs: [1]}", "", "logs: unknown key of this kind, a key of kind wood: want one of flames"},
		{"stove: gas", "", "stove: found \"gas\": want a block with kind, one of gas, wood, as in {kind: gas}"},
		{"seats: many", "", `k.yaml:1:8: seats: found "many": want a whole number`},
		{"pots: 3", "", "pots: found \"3\": want a list, as in [{litres: …, lid: …, heat: …}]"},
		{"seats: 1", "pots[1].litres=2", "--set pots[1].litres=2: pots is no list"},
		{"seats: 1\nseats: 2", "", `k.yaml:2:1: key "seats" stands twice`},
		{"- 1", "", "k.yaml:1:1: found a list: want a kitchen"},
	} {
		var sets []string
		if c.set != "" {
			sets = []string{c.set}
		}
		_, err := cooked(c.text, sets...)
		rthstest.WantError(t, err, c.want)
	}
}

// Documentation and schema come from the same tags.
func TestFormatDocuments(t *testing.T) {
	text := string(rthstest.Must(kitchens().Schema("kitchen", "a kitchen")))
	for _, want := range []string{`"title": "kitchen"`, `"const": "wood"`,
		`"description": "number of flames"`, `"default": 4`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	want := `"herbs":{"description":"mass, g","type":"object","additionalProperties":{"type":"number"}}`
	gas := `{"description":"gas stove (none)","type":"object","properties":{` +
		`"kind":{"description":"gas stove","const":"gas"},` +
		`"flames":{"description":"number of flames","type":"integer","default":4}},"additionalProperties":false,` +
		`"required":["kind"]}`
	var short bytes.Buffer
	if err := json.Compact(&short, []byte(text)); err != nil || strings.Count(short.String(), gas) != 2 ||
		!strings.Contains(short.String(), want) {
		t.Errorf("%s\nwant %s in it, and twice %s", short.String(), want, gas)
	}
	blocks := kitchens().Blocks()
	if len(blocks) != 5 || !blocks[3].List || len(blocks[2].Kinds) != 2 || blocks[1].DefaultText() != "2" {
		t.Errorf("%+v", blocks)
	}
}

// A node is the same after a way through JSON; what is missing there is nothing.
func TestNodeThroughJSON(t *testing.T) {
	root := rthstest.Must(Parse("k.yaml", []byte(kitchenText), "a kitchen"))
	var again Node
	if err := json.Unmarshal(rthstest.Must(json.Marshal(root)), &again); err != nil {
		t.Fatal(err)
	}
	if got := again.Mended(); got.Flow() != root.Flow() || got.Keys[1].Value.At != root.Keys[1].Value.At {
		t.Errorf("%s\nwant %s", got.Flow(), root.Flow())
	}
	var odd Node
	if err := json.Unmarshal([]byte(`{"shape": 1, "keys": [null, {"name": "a"}], "items": [null, {"shape": 9}]}`),
		&odd); err != nil {
		t.Fatal(err)
	}
	if got := odd.Mended().Flow(); got != `{"": , a: }` {
		t.Errorf("%q", got)
	}
}
