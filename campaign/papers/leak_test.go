package papers

import (
	"rths/kit/rthstest"
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails if a worker of a suite is left when all tests are done.
func TestMain(m *testing.M) {
	rthstest.FewCollections()
	goleak.VerifyTestMain(m)
}
