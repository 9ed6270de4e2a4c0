package main

import (
	"context"
	"slices"

	"rths/scenario"
)

// remedy is a setting that may make an unstable loop stable. If the loop is stable with beyond
// as well, the setting is not at the edge; "": any.
type remedy struct{ set, beyond string }

// remedies are tried in order, by the kind of the compensator. scenario/testdata/matrix.txt says where each one helps.
var remedies = map[string][]remedy{
	"mbc-lqg": {
		{"compensator.model=plant", ""}, {"compensator.error_weight=10", "compensator.error_weight=30"}, {"compensator.error_weight=3", "compensator.error_weight=10"},
		{"compensator.error_weight=1", "compensator.error_weight=3"}, {"compensator.error_weight=0.3", "compensator.error_weight=1"},
	},
	"pe":   {{"compensator.order=1", ""}},
	"hinf": {{"compensator.w2_num=[0.004, 0.5]", ""}},
	"smc":  {{"compensator.lambda_rad_s=50", ""}},
	"mpc":  {{"compensator.move_weight=0.1", ""}},
}

// others are tried last: kinds that take their defaults from the plant.
var others = []remedy{{"compensator.kind=amb", ""}, {"compensator.kind=mbc", ""}}

// remedy is the first setting with which the loop of a scenario is stable; "": none is known.
func (f source) remedy(ctx context.Context, path, kind string, o scenario.Options) string {
	for _, r := range slices.Concat(remedies[kind], others) {
		if f.stableWith(ctx, path, r.set, o) && (r.beyond == "" || f.stableWith(ctx, path, r.beyond, o)) {
			return r.set
		}
	}
	return ""
}

func (f source) stableWith(ctx context.Context, path, set string, o scenario.Options) bool {
	f.sets = append(slices.Clone(f.sets), set)
	s, err := f.load(path)
	if err != nil {
		return false
	}
	r, err := s.Build(ctx, o)
	if err != nil {
		return false
	}
	growth, err := r.Growth(ctx)
	return err == nil && growth == nil
}
