package scenario

import (
	"errors"
	"fmt"

	"rths/model/structure"
	"rths/scenario/files"
)

// ReadMatrices reads the matrices and influence vectors that stand in files into the blocks of the scenario, and lists
// the files. With shared, each file is read once.
func (s *Scenario) ReadMatrices(shared *Shared) ([]files.Input, error) {
	var read files.Inputs
	at := structure.At{Files: &read, BaseDir: s.baseDir}
	if shared != nil {
		at.Recall = shared.recallTable(&read)
	}
	if r, ok := s.Structure.Params.(structure.FileReader); ok {
		if err := r.Read(at); err != nil {
			return nil, s.atKey("structure.", err)
		}
	}
	for i := range s.MoreGround {
		if err := s.MoreGround[i].Influence.Read("influence", at); err != nil {
			return nil, s.atKey(fmt.Sprintf("more_ground[%d].", i+1), err)
		}
	}
	return read.Read, nil
}

// atKey gives the error of a file the place of its key.
func (s *Scenario) atKey(block string, err error) error {
	var k *structure.KeyError
	if errors.As(err, &k) {
		return s.At(block+k.Key, k.Err)
	}
	return err
}

// Matrices are the files that the structure of a scenario is read from. They are read, so that a bad one is an error.
func (c *Shared) Matrices(s *Scenario) ([]files.Input, error) { return s.clone().ReadMatrices(c) }

// recallTable is the table of a file, read once.
func (c *Shared) recallTable(read *files.Inputs) func(key string,
	table func(structure.Files) (*structure.Table, error)) (*structure.Table, error) {
	return func(key string, table func(structure.Files) (*structure.Table, error)) (*structure.Table, error) {
		return recalled(c, c.tables, key, read, func(own *files.Inputs) (*structure.Table, error) { return table(own) })
	}
}
