package dump

import (
	"bytes"
	"encoding/json"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// form is how a piece is written.
type form int

const (
	inJSON form = iota
	inYAML
	// inItem is YAML too: a sequence of one item.
	inItem
)

// piece is what is decoded at once: a document, or an item of a long list.
type piece struct {
	origin origin
	form   form
	text   []byte
	// list is the type of the list that the piece is an item of.
	list metav1.TypeMeta
	// err is why there is no text.
	err error
}

// decode finds the objects in a piece.
func (p piece) decode() *document {
	d := &document{origin: p.origin, list: p.list}
	raw, err := p.json()
	if err != nil {
		d.faults = []error{err}
		if parts := p.parts(); len(parts) > 0 {
			d.faults = nil
			for _, part := range parts {
				found := part.decode()
				d.objects = append(d.objects, found.objects...)
				if found.newest.After(d.newest) {
					d.newest = found.newest
				}
				d.faults = append(d.faults, found.faults...)
			}
		}
		return d
	}
	if err := d.read(raw); err != nil {
		d.faults = append(d.faults, p.origin.fault(err))
	}
	return d
}

// json returns the piece as JSON.
func (p piece) json() (span, error) {
	switch {
	case p.err != nil:
		return nil, p.err
	case p.form == inJSON:
		return p.text, nil
	}
	raw, err := yaml.YAMLToJSON(p.text)
	if err != nil {
		line, message := yamlFault(err)
		fault := p.origin.fault(errors.New(message))
		fault.Line += line
		if p.form == inYAML {
			fault.lost = lostYAML(p.text)
		}
		return nil, fault
	}
	if p.form == inItem {
		raw = bytes.TrimSuffix(bytes.TrimPrefix(raw, []byte("[")), []byte("]"))
	}
	return raw, nil
}

// parts are the items of a YAML list, and what may be wrong with the list
// itself. There are none if the piece is something else.
func (p piece) parts() []piece {
	if p.form != inYAML {
		return nil
	}
	head, items := divide(p.text)
	if len(items) == 0 {
		return nil
	}
	var parts []piece
	about := piece{origin: p.origin, form: inYAML, text: head}
	list, err := about.listType()
	if err != nil {
		about.err = err
		parts = append(parts, about)
	}
	for _, item := range items {
		origin := p.origin
		origin.line += item.line
		parts = append(parts, piece{origin: origin, form: inItem, text: p.text[item.from:item.to], list: list})
	}
	return parts
}

// listType is the type of a list whose head the piece is. It is known, too, where
// something else in the head is wrong: kubectl cluster-info dump puts logs there.
func (p piece) listType() (metav1.TypeMeta, error) {
	raw, err := p.json()
	if err != nil {
		p.text = typeLines(p.text)
		if raw, typeErr := p.json(); typeErr == nil {
			var s shape
			_ = kubejson.Unmarshal(raw, &s) // a head without a type has none
			return s.self(), err
		}
		return metav1.TypeMeta{}, err
	}
	var s shape
	if err := kubejson.Unmarshal(raw, &s); err != nil {
		return metav1.TypeMeta{}, p.origin.fault(err)
	}
	return s.self(), nil
}

// compacted is JSON without the white space of an indented text, which is half of
// what kubectl prints.
func compacted(text []byte) ([]byte, error) {
	if bytes.IndexByte(text, '\n') < 0 {
		return text, nil
	}
	var compact bytes.Buffer
	err := json.Compact(&compact, text)
	return bytes.Clone(compact.Bytes()), err
}
