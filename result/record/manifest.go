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

// prepare collects the docs of the values and replaces numbers JSON cannot
// hold by 0.
func (m *Manifest) prepare() {
	docs := maps.Clone(m.Docs)
	if docs == nil {
		docs = map[string]string{}
	}
	for _, list := range []Values{m.Criteria, m.Indicators, m.Compensator} {
		for _, v := range list {
			if v.Doc != "" {
				docs[v.Name] = v.Doc
			}
		}
	}
	m.Docs = docs
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
	for _, list := range []Values{m.Criteria, m.Indicators, m.Compensator} {
		for i := range list {
			list[i].Doc = m.Docs[list[i].Name]
		}
	}
	return m, nil
}
