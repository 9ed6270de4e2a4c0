package decide

import (
	"testing"

	"rths/kit/rthstest"
)

func TestMain(m *testing.M) {
	rthstest.FewCollections()
	m.Run()
}
