package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"rths/campaign/study"
)

// shardCommand makes one shard of a batch. It is hidden: tasks of a cluster call it.
func shardCommand() *cobra.Command {
	workers := 1
	c := &cobra.Command{
		Use:     "shard FOLDER NUMBER",
		Hidden:  true,
		Short:   "Make the runs of one shard",
		Example: "  rths shard runs/gains/slurm/0123456789abcdef 7",
		Args:    want(2, "the folder of the batch and the number of the shard"),
		RunE: func(cmd *cobra.Command, args []string) error {
			number, err := strconv.Atoi(args[1])
			if err != nil || number < 0 {
				return fmt.Errorf("shard %q: want a number from 0", args[1])
			}
			if err := study.PlayShard(cmd.Context(), args[0], number, workers); err != nil {
				return failed{fmt.Errorf("shard %d on %s: %w", number, host(), err)}
			}
			return nil
		},
	}
	c.Flags().IntVar(&workers, "workers", 1, "runs at the same time")
	return c
}

// host is the name of this computer.
func host() string {
	name, err := os.Hostname()
	if err != nil {
		return "a computer without a name"
	}
	return name
}
