package decode

import (
	"encoding/binary"
	encodingjson "encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
)

// framesOf reads a stream to its end, a buffer at a time.
func framesOf(framer runtime.Framer, stream io.Reader, size int) (frames []string, err error) {
	reader := framer.NewFrameReader(io.NopCloser(stream))
	defer reader.Close()
	frame := ""
	buffer := make([]byte, size)
	for {
		n, err := reader.Read(buffer)
		frame += string(buffer[:n])
		switch {
		case errors.Is(err, io.ErrShortBuffer):
			continue
		case err != nil:
			return frames, err
		}
		frames = append(frames, frame)
		frame = ""
	}
}

func TestFramesAreThoseOfApimachinery(t *testing.T) {
	for _, text := range []string{
		"", "\n", `{"a":1}`, "{\"a\":1}\n{\"b\":[2,\"}\"]}\n", `{"a":"\u00e9\"{"}{"b":{}}`,
		`{"a":1}{"b`, `{"a":1} garbage`, "{\"a\":1,\"a\":2}\n", "{\"a\":\"\xff\"}\n",
	} {
		for _, size := range []int{1, 7, 4096} {
			want, wantErr := framesOf(json.Framer, strings.NewReader(text), size)
			got, err := framesOf(JSONFramer{Framer: json.Framer}, iotest.OneByteReader(strings.NewReader(text)), size)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%q in %d bytes: got %q, want %q", text, size, got, want)
			}
			for _, end := range []error{io.EOF, io.ErrUnexpectedEOF} {
				// client-go compares them as they are.
				if (err == end) != (wantErr == end) {
					t.Errorf("%q in %d bytes: got %v, want %v", text, size, err, wantErr)
				}
			}
		}
	}
}

func TestAnErrorOfTheConnectionComesThroughAsItIs(t *testing.T) {
	broken := errors.New("connection reset by peer")
	stream := io.MultiReader(strings.NewReader(`{"a":1}{"b":`), iotest.ErrReader(broken))
	frames, err := framesOf(JSONFramer{Framer: json.Framer}, stream, 100)
	if len(frames) != 1 || err != broken {
		t.Errorf("%q, %v", frames, err)
	}
}

func TestAnEventIsHandedOnBeforeItsLineEnds(t *testing.T) {
	stream, server := io.Pipe()
	reader := JSONFramer{Framer: json.Framer}.NewFrameReader(stream)
	go func() {
		_, _ = io.WriteString(server, `{"a":{}`) // which the reader waits for
		_, _ = io.WriteString(server, `,"b":1}`)
	}()
	buffer := make([]byte, 100)
	n, err := reader.Read(buffer)
	if string(buffer[:n]) != `{"a":{},"b":1}` || err != nil {
		t.Errorf("%q, %v", buffer[:n], err)
	}
	if err := reader.Close(); err != nil {
		t.Error(err)
	}
}

func TestManyAndLargeEventsComeWhole(t *testing.T) {
	var want []string
	for n := range 300 {
		want = append(want, `{"a":"`+strings.Repeat("x{}\\n", n*37)+`","b":{"c":[`+strings.Repeat(`{"d":"}"},`, n)+`null]}}`)
	}
	for _, stream := range []string{strings.Join(want, "\n") + "\n", strings.Join(want, ""), strings.ReplaceAll(strings.Join(want, " "), ":{", ":\n{")} {
		got, err := framesOf(JSONFramer{Framer: json.Framer}, iotest.HalfReader(strings.NewReader(stream)), 5000)
		if err != io.EOF || strings.ReplaceAll(strings.Join(got, ""), "\n", "") != strings.Join(want, "") || len(got) != len(want) {
			t.Errorf("got %d events, want %d; %v", len(got), len(want), err)
		}
	}
}

// FuzzWatchFrames compares where we divide a stream with where apimachinery does.
func FuzzWatchFrames(f *testing.F) {
	for _, text := range []string{"", "{}{}", "{\"a\":\"}{\"}\n[1] 2 null", `{"a":{"b":[]}}{"c`, "{\"a\":\"\xff\"}", "{} x", "\"\\u12\"{}"} {
		f.Add(text, uint8(7))
	}
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		want, wantErr := framesOf(json.Framer, strings.NewReader(text), int(size)+1)
		got, err := framesOf(JSONFramer{Framer: json.Framer}, strings.NewReader(text), int(size)+1)
		switch {
		case (wantErr == io.EOF) && !(err == io.EOF && reflect.DeepEqual(got, want)):
			t.Errorf("%q: got %q, %v; want %q", text, got, err, want)
		case len(got) > len(want) || !reflect.DeepEqual(got, want[:len(got)]):
			t.Errorf("%q: got %q, want no other than %q", text, got, want)
		}
	})
}

// metaScheme knows the events of a watch.
func metaScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	return scheme
}

func serializerOf(scheme *runtime.Scheme) runtime.Serializer {
	return json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{})
}

func FuzzWatchEvent(f *testing.F) {
	for _, text := range []string{
		`{"type":"ADDED","object":{"kind":"Pod"}}`, `{"object":null,"type":"DELETED","more":[1]}`, `{"type":1}`, `[]`, `null`, `{"Type":"ADDED"}`,
		`{"type":"ADDED","object":1,"object":2}`, `{"type":"\u0041DDED"}`, `{"t\u0079pe":"ADDED"}`, `{"type":"A"} {}`, `{"type":"A"`,
	} {
		f.Add(text)
	}
	serializer := serializerOf(metaScheme())
	f.Fuzz(func(t *testing.T, text string) {
		var want, got metav1.WatchEvent
		_, _, wantErr := serializer.Decode([]byte(text), nil, &want)
		_, _, err := EventSerializer{serializer}.Decode([]byte(text), nil, &got)
		if wantErr != nil {
			return // what is less than an event is refused when its type is read
		}
		if err != nil || got.Type != want.Type || string(got.Object.Raw) != string(want.Object.Raw) {
			t.Errorf("%q: got %v %q %q, want %q %q", text, err, got.Type, got.Object.Raw, want.Type, want.Object.Raw)
		}
	})
}

// repeated is a stream that has the same text again and again.
type repeated struct {
	text []byte
	at   int
}

func (r *repeated) Read(buffer []byte) (int, error) {
	if r.at == len(r.text) {
		r.at = 0
	}
	n := copy(buffer, r.text[r.at:])
	r.at += n
	return n, nil
}

func (*repeated) Close() error { return nil }

// BenchmarkEvent reads an event of a watch from its stream, in the forms in which it can
// be had.
func BenchmarkEvent(b *testing.B) {
	pod, scheme := runningPod(1), metaScheme()
	pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	partial := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"}, ObjectMeta: pod.ObjectMeta}
	must := func(data []byte, err error) []byte {
		if err != nil {
			b.Fatal(err)
		}
		return data
	}
	text := func(object any) []byte {
		return append(must(encodingjson.Marshal(map[string]any{"type": "MODIFIED", "object": object})), '\n')
	}
	message := func(kind string, data []byte) []byte {
		event := &metav1.WatchEvent{Type: "MODIFIED", Object: runtime.RawExtension{Raw: envelope("v1", kind, data)}}
		raw := must(event.Marshal())
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(raw))), raw...)
	}
	table := func(object any) []byte {
		return text(map[string]any{"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": map[string]any{}, "columnDefinitions": nil,
			"rows": []any{map[string]any{"cells": []any{pod.Name, "2/2", "Running", 0, "5d"}, "object": object}}})
	}
	tables := NewTables(podKind, false)
	fromJSON := func(stream io.ReadCloser) streaming.Decoder {
		return streaming.NewDecoder(JSONFramer{Framer: json.Framer, DropManagedFields: true}.NewFrameReader(stream), EventSerializer{serializerOf(scheme)})
	}
	fromProtobuf := func(stream io.ReadCloser) streaming.Decoder {
		return streaming.NewDecoder(protobuf.LengthDelimitedFramer.NewFrameReader(stream), protobuf.NewRawSerializer(scheme, scheme))
	}
	for _, way := range []struct {
		name   string
		stream []byte
		open   func(io.ReadCloser) streaming.Decoder
		read   Reader
	}{
		{"cells-with-metadata", table(partial), fromJSON, tables.WithMetadata().Object},
		{"cells-with-object", table(pod), fromJSON, tables.WithObjects().Object},
		{"whole-json", text(pod), fromJSON, WholeJSON(podKind, false).Object},
		{"whole-protobuf", message("Pod", must(pod.Marshal())), fromProtobuf, WholeProtobuf(podKind, false).Object},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			decoder := way.open(&repeated{text: way.stream})
			for b.Loop() {
				var got metav1.WatchEvent
				if _, _, err := decoder.Decode(nil, &got); err != nil {
					b.Fatal(err)
				}
				if _, err := way.read(got.Object.Raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFrames finds the events in a stream, as we do and as apimachinery does.
func BenchmarkFrames(b *testing.B) {
	text, err := encodingjson.Marshal(map[string]any{"type": "MODIFIED", "object": runningPod(1)})
	if err != nil {
		b.Fatal(err)
	}
	stream := strings.Repeat(string(text)+"\n", 100)
	for name, framer := range map[string]runtime.Framer{"ours": JSONFramer{Framer: json.Framer}, "apimachinery": json.Framer} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(stream)))
			for b.Loop() {
				if frames, err := framesOf(framer, strings.NewReader(stream), len(text)+1); len(frames) != 100 || err != io.EOF {
					b.Fatal(len(frames), err)
				}
			}
		})
	}
}
