package papers

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails if a worker of a suite is left when all tests are done.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
