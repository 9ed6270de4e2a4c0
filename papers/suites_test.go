package papers

import (
	"reflect"
	"strings"
	"testing"
)

// Every row of Suites is described, shows how to run it, and describes its flags.
func TestSuites(t *testing.T) {
	for _, s := range Suites {
		if s.Name == "" || s.Short == "" || s.Long == "" || !strings.Contains(s.Example, "rths benchmark "+s.Name) || s.New == nil {
			t.Errorf("%+v: want name, short and long text, an example of rths benchmark NAME, settings", s)
			continue
		}
		settings := reflect.Indirect(reflect.ValueOf(s.New())).Type()
		for _, f := range reflect.VisibleFields(settings) {
			if f.Tag.Get("flag") != "" && f.Tag.Get("usage") == "" {
				t.Errorf("%s: --%s has no usage", s.Name, f.Tag.Get("flag"))
			}
		}
	}
}
