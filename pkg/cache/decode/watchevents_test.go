package decode

import (
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
			got, err := framesOf(JSONFramer{json.Framer}, iotest.OneByteReader(strings.NewReader(text)), size)
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
	frames, err := framesOf(JSONFramer{json.Framer}, stream, 100)
	if len(frames) != 1 || err != broken {
		t.Errorf("%q, %v", frames, err)
	}
}

// FuzzWatchFrames compares where we divide a stream with where apimachinery does.
func FuzzWatchFrames(f *testing.F) {
	for _, text := range []string{"", "{}{}", "{\"a\":\"}{\"}\n[1] 2 null", `{"a":{"b":[]}}{"c`, "{\"a\":\"\xff\"}", "{} x", "\"\\u12\"{}"} {
		f.Add(text, uint8(7))
	}
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		want, wantErr := framesOf(json.Framer, strings.NewReader(text), int(size)+1)
		got, err := framesOf(JSONFramer{json.Framer}, strings.NewReader(text), int(size)+1)
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

// BenchmarkEvent reads an event of a watch, as JSON and as protobuf.
func BenchmarkEvent(b *testing.B) {
	pod, scheme := runningPod(1), metaScheme()
	pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	text, err := encodingjson.Marshal(map[string]any{"type": "MODIFIED", "object": pod})
	if err != nil {
		b.Fatal(err)
	}
	message, err := pod.Marshal()
	if err != nil {
		b.Fatal(err)
	}
	event := &metav1.WatchEvent{Type: "MODIFIED", Object: runtime.RawExtension{Raw: envelope("v1", "Pod", message)}}
	raw, err := event.Marshal()
	if err != nil {
		b.Fatal(err)
	}
	for _, way := range []struct {
		name    string
		decoder runtime.Decoder
		read    Reader
		data    []byte
	}{
		{"json", EventSerializer{serializerOf(scheme)}, WholeJSON(podKind, false).Object, text},
		{"protobuf", protobuf.NewRawSerializer(scheme, scheme), WholeProtobuf(podKind, false).Object, raw},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var got metav1.WatchEvent
				if _, _, err := way.decoder.Decode(way.data, nil, &got); err != nil {
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
	for name, framer := range map[string]runtime.Framer{"ours": JSONFramer{json.Framer}, "apimachinery": json.Framer} {
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
