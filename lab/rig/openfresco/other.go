//go:build !linux

package openfresco

import "errors"

// listen is of Linux only.
func listen(*Config) (stream, error) {
	return nil, errors.New("a client of OpenFresco's protocol needs Linux: run the scenario on a computer with Linux")
}
