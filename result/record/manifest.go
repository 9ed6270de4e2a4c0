package record

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"

	"rths"
	"rths/scenario/files"
)

// LargestManifest is the largest manifest read, in bytes.
const LargestManifest = 64 << 20

// results are the lists of values that have docs and meanings.
func (m *Manifest) results() []Values { return []Values{m.Criteria, m.Indicators, m.Compensator} }

// prepare collects docs and meanings of the values and replaces numbers JSON cannot
// hold by 0.
func (m *Manifest) prepare() {
	docs := maps.Clone(m.Docs)
	if docs == nil {
		docs = map[string]string{}
	}
	meanings := maps.Clone(m.Meanings)
	if meanings == nil {
		meanings = map[string]ValueMeaning{}
	}
	for _, list := range m.results() {
		for _, v := range list {
			if v.Doc != "" {
				docs[v.Name] = v.Doc
			}
			if of := (ValueMeaning{v.Meaning, v.Unit, v.Family, v.Number}); of != (ValueMeaning{}) {
				meanings[v.Name] = of
			}
		}
	}
	m.Docs, m.Meanings = docs, meanings
	if m.Test != nil {
		m.Test = m.Test.prepared()
	}
	numbers := []*float64{&m.RateHz, &m.SimulatedS, &m.WallS, &m.RealtimeFactor}
	for _, s := range m.Spectra {
		for i := range s.Sa {
			numbers = append(numbers, &s.Sa[i])
		}
	}
	for _, x := range numbers {
		if !rths.Finite(*x) {
			*x = 0
		}
	}
}

// LoadManifest reads and checks the manifest of dir. The frames may be missing.
func LoadManifest(dir string) (Manifest, error) {
	var m Manifest
	file, err := files.Open(filepath.Join(dir, ManifestFile))
	if err != nil {
		return m, fmt.Errorf("record: %s is not the folder of a run: %w", dir, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, LargestManifest))
	if err != nil {
		return m, fmt.Errorf("record: reading the manifest: %w", err)
	}
	if m, err = ParseManifest(text); err != nil {
		return m, fmt.Errorf("record: %s: %w", file.Name(), err)
	}
	return m, nil
}

// ParseManifest reads what Manifest.Text has written.
func ParseManifest(text []byte) (m Manifest, err error) {
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("want the manifest of a run: %w", err)
	}
	if m.Format != Format {
		return m, fmt.Errorf("format %d: want %d", m.Format, Format)
	}
	for _, list := range m.results() {
		for i := range list {
			v := &list[i]
			of := m.Meanings[v.Name]
			v.Doc, v.Meaning, v.Unit, v.Family, v.Number = m.Docs[v.Name], of.Meaning, of.Unit, of.Family, of.Number
		}
	}
	return m, nil
}
