package study

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"rths/scenario"
)

// Check builds the base scenario, and reads the excitation of every level that changes it: a
// study of which these fail is wrong input.
func (b *Bench) Check(p *Plan) (*scenario.Run, error) {
	s, err := p.Template.With()
	if err != nil {
		return nil, err
	}
	run, err := s.Build(scenario.Options{RecordsDir: b.RecordsDir, Shared: b.Shared})
	if err != nil {
		return nil, fmt.Errorf("the base scenario: %w", err)
	}
	for _, v := range p.File.Variables {
		for _, set := range append(v.Levels, v.Of...) {
			block, _, _ := strings.Cut(v.Key, ".")
			if block, _, _ = strings.Cut(block, "["); block != "ground" && block != "more_ground" && block != "forces" && block != "target" {
				continue
			}
			s, err := p.Template.With(set)
			if err == nil {
				_, err = b.Shared.Shake(s, b.RecordsDir)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return run, nil
}

// Execute makes the missing runs of a folder on some workers. It stops when ctx ends, or when a
// row cannot be kept; rows that are there stay.
func (b *Bench) Execute(ctx context.Context, p *Plan, f *Folder, workers int, progress func(done, of int)) error {
	missing := f.Table.Missing()
	var keep sync.Mutex
	return Each(ctx, workers, len(missing), func(ctx context.Context, i int) error {
		row, err := b.Play(ctx, p.Template, p.Settings(missing[i]))
		if err != nil {
			return err
		}
		row.Run = missing[i]
		keep.Lock()
		defer keep.Unlock()
		return f.Add(row)
	}, progress)
}
