package record

import (
	"fmt"

	"rths"
)

// manyOld is the share above which old readings are said in the first sentence of a run, %.
const manyOld = 1

// Stale says how many of a run's readings were old, where there are many; else it is empty.
func (m *Manifest) Stale() string {
	for _, v := range m.Indicators {
		if v.Name == rths.OldReadings && v.V > manyOld {
			return fmt.Sprintf("%s %% of the readings were old", Text("%.3g", v.V))
		}
	}
	return ""
}
