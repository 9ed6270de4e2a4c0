package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"rths"
)

// Values are results in the order they are shown. In JSON they are an object
// in that order; a value that is not finite is null there and NaN when read.
type Values []rths.Value

// Of is the value of a name, NaN where there is none.
func (v Values) Of(name string) float64 {
	for _, x := range v {
		if x.Name == name {
			return x.V
		}
	}
	return math.NaN()
}

// MarshalJSON writes the values as one object, in order.
func (v Values) MarshalJSON() ([]byte, error) {
	row := Row{}
	for _, x := range v {
		row.Put(x.Name, x.V)
	}
	return row.MarshalJSON()
}

// Number is null in JSON if not finite; a null reads as NaN.
type Number float64

// MarshalJSON writes it.
func (n Number) MarshalJSON() ([]byte, error) { return number(float64(n)), nil }

// UnmarshalJSON reads a number or null.
func (n *Number) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(data, (*float64)(n))
}

func number(x float64) []byte {
	if !rths.Finite(x) {
		return []byte("null")
	}
	b, _ := json.Marshal(x) // a finite number always has a JSON form
	return b
}

// UnmarshalJSON reads an object of numbers and nulls, in order.
func (v *Values) UnmarshalJSON(data []byte) error {
	*v = nil
	dec := json.NewDecoder(bytes.NewReader(data))
	first, err := dec.Token()
	if err != nil || first == nil {
		return err
	}
	if first != json.Delim('{') {
		return fmt.Errorf("values: found %v: want an object of numbers", first)
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		x := new(float64)
		if err := dec.Decode(&x); err != nil {
			return fmt.Errorf("values: %v: want a number or null: %w", name, err)
		}
		if x == nil {
			x = new(math.NaN())
		}
		*v = append(*v, rths.Value{Name: name.(string), V: *x}) // keys of an object are strings
	}
	return nil
}
