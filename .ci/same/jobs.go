package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// job is some commands in a folder of their own.
type job struct {
	name     string
	files    map[string]string // written first, by name
	beside   []string          // command that runs while the others do, as a virtual rig
	commands [][]string
}

// suites are the suites that take seconds; rths benchmark --all runs them all in half a minute.
var suites = []string{"adm", "kalman", "multiaxial", "nonlinear", "predictors", "siso", "soil", "stability"}

// lists are the commands that print what the program knows.
var lists = [][]string{
	{"schema"}, {"man", "man"}, {"doc", "compensators"}, {"init"}, {"lint", "no-such-scenario"},
	{"nope"}, {"run"}, {"licenses"}, {"import-opensees", "--snippet"},
}

// jobs are all jobs, on the scenarios and studies of the tree at root.
func jobs(root string) ([]job, error) {
	out := []job{{name: "lists", commands: lists}, scenarioless(), analyses(), laboratory()}
	scenarios, err := filepath.Glob(filepath.Join(root, "scenarios", "*.yaml"))
	if err != nil {
		return nil, err
	}
	templates, err := filepath.Glob(filepath.Join(root, "scenarios", "init", "*.yaml"))
	if err != nil {
		return nil, err
	}
	for _, s := range slices.Concat(scenarios, templates) {
		name, _ := filepath.Rel(root, s)
		out = append(out, job{name: strings.TrimSuffix(name, ".yaml"), commands: [][]string{
			{"lint", s},
			{"run", s, "--out", "run", "--report", "--csv"},
			{"run", s, "--json", "--out", "again"},
			{"bode", s, "--json"},
			{"stability", s, "--json"},
			{"export", s, "--c", "c"},
			{"export", s, "--fmu", "compensator.fmu", "--sources-only"},
		}})
	}
	studies, err := filepath.Glob(filepath.Join(root, "studies", "*.yaml"))
	if err != nil {
		return nil, err
	}
	for _, s := range studies {
		j, err := study(root, s)
		if err != nil {
			return nil, err
		}
		out = append(out, j)
	}
	for _, s := range suites {
		out = append(out, job{name: "suite " + s, commands: [][]string{{"benchmark", s}, {"benchmark", s, "--json"}}})
	}
	return out, nil
}

// fewer are the counts of a shipped study, which takes minutes, that a job makes smaller.
var fewer = regexp.MustCompile(`(points|perturbed|particles|iterations): \d+`)

// study is a shipped study or calibration with few runs.
func study(root, path string) (job, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return job{}, err
	}
	small := fewer.ReplaceAllString(string(text), "$1: 3")
	small = strings.ReplaceAll(small, "../scenarios", filepath.Join(root, "scenarios"))
	command := "study"
	if strings.Contains(small, "\ncalibrate:") {
		command = "calibrate"
	}
	name := filepath.Base(path)
	return job{name: "studies/" + strings.TrimSuffix(name, ".yaml"), files: map[string]string{name: small},
		commands: [][]string{
			{"lint", name}, {command, name, "--out", "out", "--plots", "svg", "--workers", "1"},
		}}, nil
}

// frame is a short test with adaptation, noise and a limit.
const frame = `name: frame
rate_hz: 1024
seed: 1
ground: {kind: clough-penzien, duration_s: 4, pga_g: 0.1}
structure: {kind: silva2020, case: 1}
specimen: {kind: silva2020}
transfer: {kind: silva2020}
sensors: {displacement_noise_power: 6.25e-14, force_noise_power: 1.16e-3}
compensator: {kind: amb}
limits:
  - {channel: measured_m, trip: 0.006}
  - {channel: error_m, trip: 0.0006}
  - {channel: force_N, trip: 8000}
`

// scenarioless reads and judges records.
func scenarioless() job {
	return job{name: "records", files: map[string]string{"frame.yaml": frame}, commands: [][]string{
		{"run", "frame.yaml", "--out", "runs/amb", "--parquet", "--mat"},
		{"run", "frame.yaml", "--set", "compensator={kind: pi}", "--out", "runs/pi"},
		{"run", "runs/amb", "--out", "runs/again"},
		{"run", "frame.yaml", "--set", "limits=[{channel: error_m, trip: 1e-5}]", "--out", "runs/tripped"},
		{"report", "runs/amb", "runs/pi", "-o", "both.html"},
		{"report", "runs/amb", "--plots", "svg"},
		{"report", "runs/amb", "--figure", "tracking", "-o", "tracking.svg"},
		{"report", "runs/amb", "runs/pi", "--table", "tex"},
		{"judge", "runs/amb", "--json"}, {"judge", "runs/amb", "--out", "judged"},
		{"identify", "runs/amb", "--json"}, {"identify", "runs/amb", "--out", "identified"},
		{"runs", "runs", "--json", "--sort", "folder"}, {"runs", "runs", "--rebuild", "--sort", "folder"},
		{"export", "runs/amb", "--end", "--frozen", "--limits", "--c", "learnt"},
	}}
}

// analyses are answers before a test, and searches.
func analyses() job {
	return job{name: "analyses", files: map[string]string{"frame.yaml": frame}, commands: [][]string{
		{"stability", "frame.yaml", "--perturbed", "5", "--out", "stability"},
		{"bode", "frame.yaml", "--perturbed", "2", "--out", "bode"},
		{"study", "frame.yaml", "--compensator", "amb,pi,none", "--perturbed", "3", "--out", "study", "--plots", "svg",
			"--workers", "1"},
		{"advise", "frame.yaml", "--runs", "2400", "--out", "advice", "--plots", "svg"},
	}}
}

// laboratory is a test with a rig in another process. Its times are never the same.
func laboratory() job {
	const rig = "127.0.0.1:17411"
	return job{name: "laboratory", files: map[string]string{"test.yaml": frame + "rig: {kind: udp, address: " + rig +
		", clock: lockstep, watchdog_ms: 1500}\n"},
		beside: []string{"rig", "test.yaml"},
		commands: [][]string{
			{"run", "test.yaml", "--out", "runs/rehearsal"},
			{"test", "test.yaml", "--soft", "--yes", "--report", "--rehearsal", "runs/rehearsal", "--out", "runs/test"},
			{"replay", "runs/test"}, {"recover", "runs/test"}, {"report", "runs/test", "-o", "test.html"},
			{"runs", "runs", "--json", "--sort", "folder"},
		}}
}
