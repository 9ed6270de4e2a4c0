package workbench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"rths/scenarios"
)

// A change of the benchmark scenario, from its text to what the page draws.
func BenchmarkTry(b *testing.B) {
	d, err := Open(b.TempDir(), os.Getenv("RTHS_RECORDS"), "")
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	text, err := scenarios.Files.ReadFile("benchmark-siso.yaml")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		in, _ := json.Marshal(Try{Place: Place{"demo.yaml", fmt.Sprintf("%s\n# %d\n", text, i)}, Points: 1500})
		if _, err := d.Call(context.Background(), "try", in, nil); err != nil {
			b.Fatal(err)
		}
	}
}
