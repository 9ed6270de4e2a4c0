package session

import "os"

var endingSignals []os.Signal // a browser sends none
