package report

import (
	"strings"
	"testing"
)

// The ending of a file says its format, or none.
func TestWantEnding(t *testing.T) {
	for _, c := range []struct{ path, table, want string }{
		{"", "", ""}, {"page.html", "", ""}, {"page.HTM", "", ""}, {"page", "", ""}, {"table.csv", "csv", ""},
		{"page.pdf", "", "found the ending .pdf: want .html, or --figure NAME for a picture"},
		{"page.tex", "", "want .html, or --table tex for the criteria"},
		{"table.html", "csv", "found the ending .html: want .csv"},
	} {
		err := WantEnding(c.path, c.table)
		if (err == nil) != (c.want == "") || err != nil && !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s, table %q: %v: want %q", c.path, c.table, err, c.want)
		}
	}
}
