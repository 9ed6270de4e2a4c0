//go:build !js

package scenario

// Schema is the JSON Schema of a scenario, for editors that complete and check YAML.
func Schema() ([]byte, error) {
	return format().Schema("rths scenario", "A real-time hybrid simulation. Units are SI unless the key names another.")
}
