package record

import (
	"fmt"

	"github.com/goccy/go-yaml"
)

// Settings are the keys of a scenario with dots, in order, and their values.
type Settings struct {
	Keys   []string
	Values map[string]string
}

// SettingsOf reads a scenario of a manifest. What is no scenario, as of judged data, has no settings.
func SettingsOf(scenario string) Settings {
	s := Settings{Values: map[string]string{}}
	var block yaml.MapSlice
	if yaml.UnmarshalWithOptions([]byte(scenario), &block, yaml.UseOrderedMap()) == nil {
		s.collect("", block)
	}
	return s
}

func (s *Settings) collect(prefix string, block yaml.MapSlice) {
	for _, item := range block {
		key := prefix + fmt.Sprint(item.Key)
		if inner, ok := item.Value.(yaml.MapSlice); ok {
			s.collect(key+".", inner)
			continue
		}
		s.Add(key, fmt.Sprint(item.Value))
	}
}

// Add adds a key that is not there.
func (s *Settings) Add(key, value string) {
	s.Keys = append(s.Keys, key)
	s.Values[key] = value
}
