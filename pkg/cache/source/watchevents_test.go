package source

import (
	encodingjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
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
			got, err := framesOf(jsonFramer{json.Framer}, iotest.OneByteReader(strings.NewReader(text)), size)
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
	frames, err := framesOf(jsonFramer{json.Framer}, stream, 100)
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
		got, err := framesOf(jsonFramer{json.Framer}, strings.NewReader(text), int(size)+1)
		switch {
		case (wantErr == io.EOF) && !(err == io.EOF && reflect.DeepEqual(got, want)):
			t.Errorf("%q: got %q, %v; want %q", text, got, err, want)
		case len(got) > len(want) || !reflect.DeepEqual(got, want[:len(got)]):
			t.Errorf("%q: got %q, want no other than %q", text, got, want)
		}
	})
}

func FuzzWatchEvent(f *testing.F) {
	for _, text := range []string{
		`{"type":"ADDED","object":{"kind":"Pod"}}`, `{"object":null,"type":"DELETED","more":[1]}`, `{"type":1}`, `[]`, `null`, `{"Type":"ADDED"}`,
		`{"type":"ADDED","object":1,"object":2}`, `{"type":"\u0041DDED"}`, `{"t\u0079pe":"ADDED"}`, `{"type":"A"} {}`, `{"type":"A"`,
	} {
		f.Add(text)
	}
	c := newCodecs()
	f.Fuzz(func(t *testing.T, text string) {
		var want, got metav1.WatchEvent
		_, _, wantErr := c.json.Decode([]byte(text), nil, &want)
		_, _, err := eventSerializer{c.json}.Decode([]byte(text), nil, &got)
		if wantErr != nil {
			return // what is less than an event is refused when its type is read
		}
		if err != nil || got.Type != want.Type || string(got.Object.Raw) != string(want.Object.Raw) {
			t.Errorf("%q: got %v %q %q, want %q %q", text, err, got.Type, got.Object.Raw, want.Type, want.Object.Raw)
		}
	})
}

// watchOnePod watches a server with one pod, which speaks protobuf if it can.
func watchOnePod(t *testing.T, version string) (events []runtime.Object, accepted string) {
	t.Helper()
	pod := &corev1.Pod{}
	pod.Name, pod.Spec.NodeName = "a", "node-a"
	config := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/version" {
			answer(w, version)
			return
		}
		accepted = r.Header.Get("Accept")
		if !strings.HasPrefix(accepted, protobufType) {
			sendWatch(w, r, `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{"nodeName":"node-a"}}}`)
			return
		}
		message, _ := pod.Marshal()
		event := &metav1.WatchEvent{Type: "ADDED", Object: runtime.RawExtension{Raw: envelope("v1", "Pod", message)}}
		raw, _ := event.Marshal()
		w.Header().Set("Content-Type", protobufType+";stream=watch")
		fmt.Fprintf(w, "%s%s", []byte{0, 0, byte(len(raw) >> 8), byte(len(raw))}, raw)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	_, events = eventsOf(t, from(t, config, pods(), cache.Whole), 1)
	return events, accepted
}

func TestAWatchIsInProtobufFromAServerOfOurVersionOnly(t *testing.T) {
	for version, want := range map[string]bool{ours: true, `{"major":"1","minor":"1"}`: false, "{}": false} {
		events, accepted := watchOnePod(t, version)
		if got := strings.Contains(accepted, protobufType); got != want {
			t.Errorf("%s: accepted %s", version, accepted)
		}
		object, err := events[0].(*cache.Row).Unstructured()
		if err != nil {
			t.Fatal(err)
		}
		if spec, _ := object.Object["spec"].(map[string]any); object.GetName() != "a" || object.GetKind() != "Pod" || spec["nodeName"] != "node-a" {
			t.Errorf("%s: got %v", version, object.Object)
		}
	}
}

func TestTextThatIsAtHandIsNotCopied(t *testing.T) {
	body := jsonBody(`{"apiVersion":"v1","kind":"Pod","spec":{"weight":12,"words":"1e5"}}`)
	if n := testing.AllocsPerRun(10, func() { _, _ = body.JSON() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkEvent reads an event of a watch, as JSON and as protobuf.
func BenchmarkEvent(b *testing.B) {
	pod, c := runningPod(1), newCodecs()
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
	form := wholeForm(pods().Kind, false, c)
	for _, way := range []struct {
		name    string
		decoder runtime.Decoder
		read    reader
		data    []byte
	}{
		{"json", eventSerializer{c.json}, form.object.json, text},
		{"protobuf", c.rawProtobuf, form.typedEvent.protobuf, raw},
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
