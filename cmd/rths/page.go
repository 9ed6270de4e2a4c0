package main

import (
	"errors"

	"github.com/spf13/cobra"

	"rths/run/page"
)

// pageUsage is the flag --page.
const pageUsage = "serve a live page at this address, as in 127.0.0.1:7480 (docs/guides/control-room.md)"

// openPage serves the page of a command, whose STOP stops it as the first Ctrl-C does. ask: somebody may arm from the
// page.
func (k *stopControl) openPage(cmd *cobra.Command, address, out string, ask bool) (*page.Live, error) {
	stop := func(who string) { k.ask(errors.New(who + " has pressed STOP")) }
	return page.Open(address, out, ask, stop, func(text string) { cmd.PrintErrln(text) })
}
