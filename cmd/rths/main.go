// Command rths runs real-time hybrid simulations: it describes, rehearses and
// judges them. See rths --help.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"rths/result/record"
	"rths/scenario/files"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// Exit statuses.
const (
	exitDone   = 0
	exitFailed = 1 // the run diverged, failed or was stopped
	exitWrong  = 2 // wrong use or wrong input
)

// failed marks an error of a run, in contrast to one of use or input.
type failed struct{ error }

func (f failed) Unwrap() error { return f.error }

// run is main with its surroundings as arguments.
func run(args []string, stdout, stderr io.Writer) int {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // a terminal that has closed; nohup ignores it
		signal.Notify(signals, syscall.SIGHUP)
	}
	defer signal.Stop(signals)
	a := &app{}
	root := rootCommand(a)
	root.SetArgs(args)
	out, errs := &printer{to: stdout}, &printer{to: stderr}
	defer errs.close()
	root.SetOut(out)
	root.SetErr(errs)
	complete(root)
	err := untilStopped(signals, &a.stopControl, root.ExecuteContext)
	if err == errStopped {
		files.Abandon()
		fmt.Fprintf(stderr, "rths: %v\n", err) // errs may be in use
		return exitFailed
	}
	if out.close(); out.err != nil {
		err = failed{out.err}
	}
	if err == nil {
		return exitDone
	}
	fmt.Fprintf(errs, "rths: %v\n", err)
	var f failed
	if errors.As(err, &f) {
		return exitFailed
	}
	if a.json { // exactly one document, also when there is no result
		_ = record.WriteJSON(out, map[string]string{"error": err.Error()})
	}
	return exitWrong
}

// app holds the flags every command has.
type app struct {
	stopControl
	json    bool
	records string
}

func rootCommand(a *app) *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:   "rths",
		Short: "Real-time hybrid simulation: run, compensate, judge",
		Long: `rths runs real-time hybrid simulations. A structure is split into a numerical
part and a specimen; the actuator between them lags, a compensator removes the
lag, and criteria say how well. A test is described in one scenario file.

Exit status: 0 done, 1 the run failed or diverged, 2 wrong use or wrong input.`,
		Example: `  rths demo                                  the main job on an artificial earthquake
  rths run scenarios/benchmark-siso.yaml     the single-actuator RTHS benchmark
  rths doc compensators                      methods, plants and ground motions`,
		Args: wantCommand,
		RunE: func(root *cobra.Command, _ []string) error {
			if version {
				return a.printVersion(root.OutOrStdout())
			}
			return root.Help()
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.PersistentFlags().BoolVar(&a.json, "json", false,
		"print one JSON document on standard output and nothing else there")
	root.PersistentFlags().StringVar(&a.records, "records", os.Getenv("RTHS_RECORDS"),
		"folder of named ground motions (default $RTHS_RECORDS)")
	root.PersistentFlags().Lookup("records").DefValue = "" // the usage states the default already
	root.Flags().BoolVar(&version, "version", false, "print the revision of the program and the version of Go")
	root.SetFlagErrorFunc(wrongFlag)
	root.AddCommand(
		initCommand(a), runCommand(a), testCommand(a), doctorCommand(a), replayCommand(a), recoverCommand(a), rigCommand(a),
		demoCommand(a), docCommand(a), lintCommand(a), capacityCommand(a), explainCommand(a), schemaCommand(),
		reportCommand(a), bodeCommand(a), stabilityCommand(a), groundCommand(a), benchmarkCommand(a), identifyCommand(a),
		judgeCommand(a), runsCommand(a), importCommand(a),
		studyCommand(a), calibrateCommand(a), adviseCommand(a), exportCommand(a), depositCommand(a), shardCommand(),
		loopCommand(), numericalCommand(), docsCommand(a), uiCommand(a), licensesCommand(a), manCommand(root),
	)
	group(root)
	return root
}
