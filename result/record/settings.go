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
		s.take(prefix+fmt.Sprint(item.Key), item.Value)
	}
}

// take takes a value: a block, a list of blocks, whose entries count from 1, or any other.
func (s *Settings) take(key string, value any) {
	switch v := value.(type) {
	case yaml.MapSlice:
		s.collect(key+".", v)
		return
	case []any:
		if blocks := blocksOf(v); blocks != nil {
			for i, b := range blocks {
				s.collect(fmt.Sprintf("%s[%d].", key, i+1), b)
			}
			return
		}
	}
	s.Add(key, fmt.Sprint(value))
}

// blocksOf is a list of blocks; nil where it is another one.
func blocksOf(list []any) (out []yaml.MapSlice) {
	for _, entry := range list {
		b, ok := entry.(yaml.MapSlice)
		if !ok {
			return nil
		}
		out = append(out, b)
	}
	return out
}

// Add adds a key that is not there.
func (s *Settings) Add(key, value string) {
	s.Keys = append(s.Keys, key)
	s.Values[key] = value
}
