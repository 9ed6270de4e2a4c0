package report_test

import (
	"fmt"
	"slices"
	"strings"

	"rths"
	"rths/method/criteria"
	"rths/model/integrate"
	"rths/result/record"
)

// meant fills in the fields of values and channels that tests write by their names alone, as a run has them.
func meant(m *record.Manifest, channels []rths.Channel) {
	for _, list := range []*record.Values{&m.Criteria, &m.Indicators, &m.Compensator} {
		*list = slices.Clone(*list)
		for i := range *list {
			v := &(*list)[i]
			bare, unit := rths.CutUnit(v.Name)
			v.Unit = unit
			v.Quantity, v.Exact = strings.CutSuffix(bare, "_true")
			fmt.Sscanf(v.Quantity, "J%d", &v.Number)
		}
	}
	for i := range channels {
		if channels[i].Quantity == "" {
			channels[i].Meaning = meaningOf(channels[i].Name)
		}
	}
}

// meaningOf is what a channel of a test is.
func meaningOf(name string) (m rths.Meaning) {
	for form, quantity := range map[string]string{
		"ref_x%d": criteria.ReferenceX, "floor%d_acc": criteria.FloorAcceleration, "drift%d": criteria.Drift,
		"storey%d_drift_m": integrate.StoreyDrift, "storey%d_force_N": integrate.StoreyForce,
	} {
		var n int
		if fmt.Sscanf(name, form, &n); n > 0 && fmt.Sprintf(form, n) == name {
			return rths.Meaning{Quantity: quantity, Floor: n}
		}
	}
	for _, q := range criteria.Points {
		if point, ok := strings.CutPrefix(name, q+"_"); ok && (point[0] == 'x' || strings.HasPrefix(point, "theta")) {
			return rths.Meaning{Quantity: q, Coordinate: point}
		}
	}
	m.Quantity, _ = rths.CutUnit(name)
	return m
}
