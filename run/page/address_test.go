package page

import (
	"net"
	"strings"
	"testing"

	"rths/kit/rthstest"
)

// An address that another program listens at is named, with what to do.
func TestAddressInUse(t *testing.T) {
	taken := rthstest.Must(net.Listen("tcp", "127.0.0.1:0"))
	defer taken.Close()
	_, err := Listen(Config{Address: taken.Addr().String()})
	rthstest.WantError(t, err, "--page: "+taken.Addr().String()+
		" is in use by another program: end that one, or take another port")
	if err != nil && strings.Contains(err.Error(), "bind") {
		t.Errorf("%v: want no words of the system", err)
	}
}
