package printers

import (
	"cmp"
	"errors"
	"math/big"
	"reflect"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

// rank orders values of different kinds among each other.
type rank int

const (
	missing rank = iota
	emptyText
	boolean
	number
	instant
	text
)

// sortValue is a field's value in a form that compares by what it means.
type sortValue struct {
	rank   rank
	truth  bool
	number *big.Rat
	time   time.Time
	text   string
}

// newSortValue reads a field of an object: null, a boolean, a number, or a
// string, which may be a quantity or an RFC 3339 time. The error is for values
// that have no order.
func newSortValue(field any) (sortValue, error) {
	switch v := field.(type) {
	case nil:
		return sortValue{}, nil
	case bool:
		return sortValue{rank: boolean, truth: v}, nil
	case string:
		return textValue(v), nil
	}
	switch v := reflect.ValueOf(field); {
	case v.CanInt():
		return sortValue{rank: number, number: new(big.Rat).SetInt64(v.Int())}, nil
	case v.CanFloat():
		if n := new(big.Rat).SetFloat64(v.Float()); n != nil {
			return sortValue{rank: number, number: n}, nil
		}
		return sortValue{}, nil
	case v.Kind() == reflect.Map:
		return sortValue{}, errors.New("it is a map")
	case v.Kind() == reflect.Slice:
		return sortValue{}, errors.New("it is a list")
	}
	return sortValue{}, errors.New("it has no order")
}

func textValue(s string) sortValue {
	if s == "" {
		return sortValue{rank: emptyText}
	}
	if quantity, ok := fieldpath.Quantity(s); ok {
		if n, ok := new(big.Rat).SetString(quantity.AsDec().String()); ok {
			return sortValue{rank: number, number: n}
		}
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return sortValue{rank: instant, time: t}
	}
	return sortValue{rank: text, text: s}
}

// compare returns -1, 0 or 1. Neither value may be missing.
func (v sortValue) compare(other sortValue) int {
	if v.rank != other.rank {
		return cmp.Compare(v.rank, other.rank)
	}
	switch v.rank {
	case boolean:
		switch {
		case v.truth == other.truth:
			return 0
		case other.truth:
			return -1
		}
		return 1
	case number:
		return v.number.Cmp(other.number)
	case instant:
		return v.time.Compare(other.time)
	case text:
		return cmp.Compare(v.text, other.text)
	}
	return 0
}
