package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"rths/kit/rthstest"
)

// A page has what the help says, and no line of a text is a request of man(7).
func TestManPage(t *testing.T) {
	c := &cobra.Command{Use: "rths", Short: `a \ b`, Run: func(*cobra.Command, []string) {}, Example: "  rths x",
		Long: "One.\n.fi two\n  three\n    four\n\n#### Five\n\n\tsix"}
	c.Flags().StringP("name", "n", "", "a <name>")
	c.AddCommand(&cobra.Command{Use: "below", Run: c.Run}, &cobra.Command{Use: "hidden", Hidden: true, Run: c.Run})
	got := manPage(c, "Jan 1970")
	for _, want := range []string{
		".nh\n.TH \"RTHS\" \"1\" \"Jan 1970\" \"rths\" \"Real-time hybrid simulation\"\n\n.SH NAME\nrths - a \\e b\n",
		"\n.SH DESCRIPTION\nOne.\n\\&.fi two\n.EX\n  three\n    four\n.EE\n\n.PP\n.SS Five\n\n.PP\n.EX\nsix\n.EE\n",
		"\n.SH OPTIONS\n\\fB-h\\fP, \\fB--help\\fP[=false]\n\thelp for rths\n\n.PP\n\\fB-n\\fP, \\fB--name\\fP=\"\"\n\ta <name>\n",
		"\n.SH EXAMPLE\n.EX\n  rths x\n.EE\n\n.SH SEE ALSO\n\\fBrths-below(1)\\fP\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// There is a page for each command, of the month that packages state.
func TestManPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "0")
	dir := t.TempDir()
	var out, errs strings.Builder
	if status := run([]string{"man", dir}, &out, &errs); status != exitDone || !strings.Contains(out.String(), " man pages\n") {
		t.Fatalf("%d %s%s", status, out.String(), errs.String())
	}
	page := string(rthstest.Must(os.ReadFile(filepath.Join(dir, "rths-import-opensees.1"))))
	if !strings.Contains(page, `"Jan 1970"`) || !strings.Contains(page, ".SH SEE ALSO\n\\fBrths(1)\\fP\n") {
		t.Error(page)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "today")
	if status := run([]string{"man", dir}, &out, &errs); status != exitWrong ||
		!strings.Contains(errs.String(), `SOURCE_DATE_EPOCH "today": want seconds since 1970`) {
		t.Errorf("%d %s", status, errs.String())
	}
}
