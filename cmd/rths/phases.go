package main

import (
	"github.com/spf13/cobra"
)

// phases are the groups of commands in the help, in the order of a test. Each command has its page in docs.
var phases = []struct {
	title string
	pages map[string]string
}{
	{"Prepare", map[string]string{
		"init": "guides/run-a-test.md", "ground": "guides/ground-motions.md", "identify": "guides/identify.md",
		"import-opensees": "guides/import-opensees.md", "ui": "guides/workbench.md",
	}},
	{"Check", map[string]string{
		"lint": "guides/run-a-test.md", "capacity": "guides/capacity.md", "stability": "guides/stability.md", "bode": "guides/bode.md",
		"advise": "guides/advise.md",
	}},
	{"Run", map[string]string{
		"demo": "start/first-run.md", "run": "guides/run-a-test.md", "study": "guides/studies.md",
		"calibrate": "guides/calibrate.md",
	}},
	{"Laboratory", map[string]string{
		"doctor": "guides/real-time-machine.md", "rig": "guides/virtual-laboratory.md",
		"test": "start/first-test-on-a-rig.md", "replay": "start/first-test-on-a-rig.md",
		"recover": "start/first-test-on-a-rig.md",
	}},
	{"Results", map[string]string{
		"report": "guides/results.md", "runs": "guides/find-runs.md", "judge": "guides/judge.md",
		"explain": "guides/capacity.md",
		"export":  "guides/export.md", "deposit": "guides/results.md",
	}},
	{"More", map[string]string{
		"doc": "reference/scenario.md", "docs": "index.md", "benchmark": "internals/validation.md",
		"schema": "start/install.md", "completion": "start/install.md", "licenses": "start/install.md",
		"man": "start/install.md",
	}},
}

// group puts each command into its phase, and names its page at the end of its help.
func group(root *cobra.Command) {
	root.SetHelpCommandGroupID("More")
	root.SetCompletionCommandGroupID("More")
	for _, p := range phases {
		root.AddGroup(&cobra.Group{ID: p.title, Title: p.title + ":"})
		for _, c := range root.Commands() {
			page, ok := p.pages[c.Name()]
			if !ok {
				continue
			}
			c.GroupID = p.title
			if c.Long == "" {
				c.Long = c.Short + "."
			}
			c.Long += "\n\nPage: docs/" + page + " (rths docs opens it)."
		}
	}
}
