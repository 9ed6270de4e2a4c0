package scenarios

import (
	"path"
	"strings"
)

// Case is a scenario to begin with.
type Case struct {
	Name string `json:"case"`
	Doc  string `json:"doc"` // its first comment line
	Text string `json:"-"`
}

// Cases are the scenarios to begin with.
func Cases() (out []Case, err error) {
	list, err := Templates.ReadDir("init")
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		text, err := Templates.ReadFile(path.Join("init", f.Name()))
		if err != nil {
			return nil, err
		}
		first, _, _ := strings.Cut(string(text), "\n")
		out = append(out, Case{strings.TrimSuffix(f.Name(), ".yaml"), strings.TrimPrefix(first, "# "), string(text)})
	}
	return out, nil
}
