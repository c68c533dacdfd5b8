package printers

import (
	"cmp"
	"errors"
	"math/big"
	"reflect"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
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
	if n := quantity(s); n != nil {
		return sortValue{rank: number, number: n}
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return sortValue{rank: instant, time: t}
	}
	return sortValue{rank: text, text: s}
}

// quantity is the number that s writes, as Kubernetes writes quantities; nil if
// it does not. Numbers with an exponent beyond any quantity are not expanded:
// an object's name can look like one of a hundred million digits.
func quantity(s string) *big.Rat {
	if len(s) > 64 || !strings.ContainsAny(s, "0123456789") {
		return nil
	}
	if e := strings.LastIndexAny(s, "eE"); e >= 0 && len(s)-e > len("e-99") {
		return nil
	}
	q, err := resource.ParseQuantity(s)
	if err != nil {
		return nil
	}
	n, ok := new(big.Rat).SetString(q.AsDec().String())
	if !ok {
		return nil
	}
	return n
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
