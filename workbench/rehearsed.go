package workbench

// Rehearse asks for a run with a record, as rths run makes it: a test in the laboratory wants one. The text must be
// saved, since the test reads the file.
type Rehearse struct {
	Place
	Revision string `json:"revision"`
}

// Rehearsed is what has become of it, and what comes next.
type Rehearsed struct {
	Sentence string   `json:"sentence"`
	Folder   string   `json:"folder"` // of the record, in the folder of the desk
	Remarks  []string `json:"remarks"`
	Rig      bool     `json:"rig"` // the scenario says which rig to load
	Commands []string `json:"commands"`
}
