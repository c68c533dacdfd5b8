package compress

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// textBody is an object that is decoded from its text.
type textBody struct{ text Bytes }

func (b textBody) Bytes() Bytes           { return b.text }
func (textBody) Of(text Bytes) cache.Body { return textBody{text} }
func (b textBody) Unstructured() (object *unstructured.Unstructured, err error) {
	object = &unstructured.Unstructured{Object: map[string]any{}}
	return object, b.text.Read(func(text []byte) error {
		object.Object["text"] = string(text)
		return nil
	})
}

// pod is like others, but for names and checksums.
func pod(n int) []byte {
	sum := sha256.Sum256([]byte(fmt.Sprint(n)))
	return fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-%d","namespace":"ns-%d","labels":{"app":"web","tier":"front"}},`+
		`"spec":{"containers":[{"name":"web","image":"shop/web:1.%d","ports":[{"containerPort":8080}],"resources":{"requests":{"cpu":"100m","memory":"128Mi"}},`+
		`"livenessProbe":{"httpGet":{"path":"/healthz","port":8080},"initialDelaySeconds":5,"periodSeconds":10}}],"nodeName":"node-%d"},`+
		`"status":{"phase":"Running","containerStatuses":[{"containerID":"containerd://%x","ready":true}]}}`, n, n%10, n%30, n%200, sum)
}

// odd are objects that are like no others.
func odd() [][]byte {
	noise := make([]byte, 100_000)
	_, _ = rand.New(rand.NewSource(1)).Read(noise)
	return [][]byte{
		{}, {7}, noise, noise[:300],
		[]byte(strings.Repeat("certificate ", 30_000)),
		bytes.Repeat(pod(1), 200), pod(1)[:40],
		append(append([]byte(nil), noise[:66_000]...), pod(3)...),
	}
}

func rowOf(text []byte, position int) *cache.Row {
	return &cache.Row{Body: textBody{Plain(text)}, Position: position}
}

// kept compresses objects, as they come in a list.
func kept(c *Compressor, objects [][]byte) []*cache.Row {
	rows := make([]*cache.Row, len(objects))
	for n, object := range objects {
		rows[n] = rowOf(object, n+1)
		c.Compress(rows[n])
	}
	return rows
}

func pods(count int) [][]byte {
	objects := make([][]byte, count)
	for n := range objects {
		objects[n] = pod(n)
	}
	return objects
}

func bytesOf(row *cache.Row) Bytes { return row.Body.(Body).Bytes() }

func TestEveryObjectIsReadAsItCame(t *testing.T) {
	objects := pods(3 * renewed)
	for n, object := range odd() {
		for at := n; at < len(objects); at += renewed / 2 {
			objects[at] = object
		}
	}
	rows := kept(&Compressor{}, objects)
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for n, row := range rows {
				got, err := bytesOf(row).Get()
				if err != nil || !bytes.Equal(got, objects[n]) {
					t.Errorf("object %d is %.80q; %v", n, got, err)
				}
				read, err := row.Unstructured()
				if err != nil || read.Object["text"] != string(objects[n]) {
					t.Errorf("object %d is read as %.80q; %v", n, read.Object["text"], err)
				}
			}
		})
	}
	readers.Wait()
}

func TestFewObjectsAreKeptAsTheyCame(t *testing.T) {
	objects := pods(enough)
	for n, row := range kept(&Compressor{}, objects) {
		if &bytesOf(row).data[0] != &objects[n][0] {
			t.Fatalf("object %d is not the bytes that came", n)
		}
	}
}

func TestManyObjectsTakeAFractionOfTheirRoom(t *testing.T) {
	plain, compressed := 0, 0
	for n, row := range kept(&Compressor{}, pods(2*enough))[enough:] {
		plain, compressed = plain+len(pod(enough+n)), compressed+cap(bytesOf(row).data)
	}
	if compressed*4 > plain {
		t.Errorf("%d bytes of %d are left", compressed, plain)
	}
}

func TestWhatIsNotLessWhenCompressedIsKeptAsItCame(t *testing.T) {
	c := &Compressor{}
	kept(c, pods(enough))
	noise := odd()[2]
	if row := kept(c, [][]byte{noise})[0]; bytesOf(row).by != nil {
		t.Error("noise is kept compressed")
	}
}

// A list goes through namespaces that have little in common.
func TestAListRenewsItsDictionary(t *testing.T) {
	c := &Compressor{}
	kept(c, pods(enough+1))
	first := c.encoder.dictionary
	kept(c, pods(renewed+1))
	if first == nil || c.encoder.dictionary == first {
		t.Errorf("the dictionary is %p, and was %p", c.encoder.dictionary, first)
	}
}

// The objects of one owner follow each other in a list, and are like no others.
func TestObjectsAreCompressedWithThoseJustBeforeThem(t *testing.T) {
	const run, known = 1500, 1000 // objects of an owner, after how many they are in the dictionary
	noise := make([]byte, 4000)
	_, _ = rand.New(rand.NewSource(2)).Read(noise)
	var objects [][]byte
	for n := range enough + 3*run {
		owner := n / run
		objects = append(objects, append(pod(n), noise[owner*1000:(owner+1)*1000]...))
	}
	rows := kept(&Compressor{}, objects)
	for n := enough; n < len(rows); n++ {
		if n%run < known {
			continue
		}
		if size := bytesOf(rows[n]).Len(); size*4 > len(objects[n]) {
			t.Fatalf("object %d takes %d bytes of %d", n, size, len(objects[n]))
		}
	}
}

// Else each of a few old objects could keep a dictionary of its own in memory.
func TestEventsMakeOneDictionaryAtMost(t *testing.T) {
	c := &Compressor{}
	event := func(n int) *cache.Row {
		row := rowOf(pod(n), 0)
		c.Compress(row)
		return row
	}
	for n := range enough + 1 {
		event(n)
	}
	first := c.encoder.dictionary
	for n := range 2 * renewed {
		if row := event(n); bytesOf(row).by != first {
			t.Fatalf("event %d has another dictionary", n)
		}
	}
}

func TestARowIsCompressedOnce(t *testing.T) {
	c := &Compressor{}
	row := kept(c, pods(enough+1))[enough]
	before := bytesOf(row)
	if c.Compress(row); before.by == nil || &bytesOf(row).data[0] != &before.data[0] {
		t.Error("a row that was compressed was compressed again")
	}
}

func TestRowsWithoutBytesAreLeftAlone(t *testing.T) {
	dropped := 0
	transform := After(func(row *cache.Row) {
		dropped++
		row.Body = nil
	})
	for range enough + 1 {
		row := rowOf(pod(1), 1)
		if transform(row); row.Body != nil {
			t.Fatal("what was dropped is there again")
		}
	}
	maps := &cache.Row{Body: cache.MapBody{"kind": "Pod"}}
	After(func(*cache.Row) {})(maps)
	if _, ok := maps.Body.(cache.MapBody); !ok || dropped != enough+1 {
		t.Errorf("maps are %T; %d rows transformed", maps.Body, dropped)
	}
}

func TestEqualBytesAreEqualHoweverTheyAreKept(t *testing.T) {
	c := &Compressor{}
	objects := pods(enough + renewed + 2)
	objects[len(objects)-1] = objects[enough]
	rows := kept(c, objects)
	plain, first, second := Plain(pod(enough)), bytesOf(rows[enough]), bytesOf(rows[len(rows)-1])
	if first.by == nil || first.by == second.by {
		t.Fatal("the same object was to be compressed in two ways")
	}
	for _, a := range []Bytes{plain, first, second} {
		for _, b := range []Bytes{plain, first, second} {
			if !a.Equal(b) {
				t.Error("the same bytes are not equal")
			}
		}
		if a.Equal(Plain(pod(7))) || a.Equal(bytesOf(rows[enough+1])) {
			t.Error("other bytes are equal")
		}
	}
}

func TestDamagedBytesAreAnError(t *testing.T) {
	c := &Compressor{}
	damaged := bytesOf(kept(c, pods(enough+1))[enough])
	damaged.data = damaged.data[:len(damaged.data)/2]
	if _, err := damaged.Get(); err == nil {
		t.Error("they can be had")
	}
	if err := damaged.Read(func([]byte) error { return nil }); err == nil {
		t.Error("they can be read")
	}
	if damaged.Equal(damaged) != true || damaged.Equal(Plain(pod(enough))) || Plain(pod(enough)).Equal(damaged) {
		t.Error("they are equal to what they were")
	}
}

// FuzzBytes compresses any bytes with any dictionary.
func FuzzBytes(f *testing.F) {
	for _, object := range append(odd(), pod(1)) {
		f.Add(object, pod(2))
		f.Add(object, object)
	}
	f.Fuzz(func(t *testing.T, object, like []byte) {
		with := newEncoder([][]byte{like, object, like}, &rooms{})
		if with == nil {
			if 2*len(like)+len(object) >= 16 {
				t.Fatal("no dictionary")
			}
			return
		}
		got, err := Bytes{data: with.compress(nil, object), by: with.dictionary}.Get()
		if err != nil || !bytes.Equal(got, object) {
			t.Errorf("%q became %q; %v", object, got, err)
		}
	})
}
