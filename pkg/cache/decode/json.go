package decode

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// unexpectedError says what the server sent where something else was expected.
type unexpectedError struct{ what string }

// Error is a sentence about the server.
func (e *unexpectedError) Error() string { return "the server sent " + e.what }

// unmarshal decodes JSON that a server sent. It allows what encoding/json allows.
func unmarshal(data []byte, into any) error {
	err := json.Unmarshal(data, into, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var unexpected *unexpectedError
	switch {
	case errors.As(err, &unexpected):
		return unexpected
	case errors.As(err, new(*json.SemanticError)):
		return fmt.Errorf("the server sent JSON that is not of Kubernetes' API: %w", err)
	}
	return err
}

// elements calls visit for each element of the array at which the decoder stands,
// and visit reads it. It reports whether there is an array: null is none.
func elements(d *jsontext.Decoder, visit func() error) (bool, error) {
	if d.PeekKind() != '[' {
		value, err := d.ReadValue()
		if err == nil && string(value) != "null" {
			err = &unexpectedError{fmt.Sprintf("%.20q where an array was expected", value)}
		}
		return false, err
	}
	if _, err := d.ReadToken(); err != nil {
		return true, err
	}
	for d.PeekKind() != ']' {
		if err := visit(); err != nil {
			return true, err
		}
	}
	_, err := d.ReadToken()
	return true, err
}
