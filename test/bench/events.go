package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
)

const (
	// recorded is how many changes are recorded. A replay begins with the first again
	// when it has come to the last.
	recorded = 10_000
	// recordedAtOnce is how many of them are made before all have to be read.
	recordedAtOnce = 200
	// warming is how long a replay goes on before it is measured.
	warming = 10 * time.Second
)

// forms are the ways in which tools ask for events. A request is answered with the first
// whose type it accepts first, with the same part of the object.
var forms = []form{
	{"application/json;as=Table", "Object"},
	{"application/json;as=Table", ""},
	{"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata", ""},
	{"application/vnd.kubernetes.protobuf", ""},
	{"application/json", ""},
}

// form is one way to ask for events.
type form struct{ mediaType, includeObject string }

// accept is the form as an Accept header.
func (f form) accept() string {
	if strings.Contains(f.mediaType, ";as=") {
		return f.mediaType + ";v=v1;g=meta.k8s.io"
	}
	return f.mediaType
}

// formOf is the form that a request asks for.
func formOf(r *http.Request) (form, error) {
	first, _, _ := strings.Cut(r.Header.Get("Accept"), ",")
	include := r.URL.Query().Get("includeObject")
	for _, f := range forms {
		if strings.HasPrefix(first, f.mediaType) && (f.includeObject == "" || f.includeObject == include) {
			return f, nil
		}
	}
	return form{}, fmt.Errorf("events were not recorded as %q", first)
}

// recording are the frames of one stream, in one form.
type recording struct {
	contentType string
	body        io.ReadCloser
	in          *bufio.Reader
	frames      [][]byte
}

// record opens a watch of all pods in each form, changes pods, and returns what came.
func record(ctx context.Context, config *rest.Config, s size) (map[form]*recording, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	all := map[form]*recording{}
	defer func() {
		for _, r := range all {
			_ = r.body.Close() // what is wanted of it has been read
		}
	}()
	for _, f := range forms {
		if all[f], err = open(ctx, config, f); err != nil {
			delete(all, f)
			return nil, err
		}
	}
	for n := 0; n < recorded; n += recordedAtOnce {
		if err := recordSome(ctx, client, s, n, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// recordSome changes some pods, and reads the events: a server ends the watch of who
// falls behind.
func recordSome(ctx context.Context, client kubernetes.Interface, s size, from int, all map[form]*recording) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var reading sync.WaitGroup
	for _, r := range all {
		reading.Go(func() {
			if err := r.read(recordedAtOnce); err != nil {
				cancel(fmt.Errorf("recording events as %s: %w", r.contentType, err))
			}
		})
	}
	err := relabel(ctx, client, s, from)
	if err != nil {
		for _, r := range all {
			_ = r.body.Close() // which ends the reading
		}
	}
	reading.Wait()
	return cmp.Or(context.Cause(ctx), err)
}

// relabel gives some pods another label.
func relabel(ctx context.Context, client kubernetes.Interface, s size, from int) error {
	patch := []byte(`{"metadata":{"labels":{"run":"` + strconv.Itoa(from) + `"}}}`)
	return each(ctx, from, from+recordedAtOnce, func(ctx context.Context, n int) error {
		n %= s.pods
		_, err := client.CoreV1().Pods(namespace(n%s.namespaces)).Patch(ctx, podName(n), types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	})
}

// open opens a watch of the changes that come from now on.
func open(ctx context.Context, config *rest.Config, f form) (*recording, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	ask := func(query, accept string) (*http.Response, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, config.Host+"/api/v1/pods?"+query, nil)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Accept", accept)
		return client.Do(request)
	}
	version, err := latest(ask)
	if err != nil {
		return nil, err
	}
	query := "watch=true&resourceVersion=" + version
	if f.includeObject != "" {
		query += "&includeObject=" + f.includeObject
	}
	response, err := ask(query, f.accept()) //nolint:bodyclose // who reads the recording does
	if err != nil {
		return nil, err
	}
	return &recording{
		contentType: response.Header.Get("Content-Type"), body: response.Body, in: bufio.NewReaderSize(response.Body, 1<<16),
	}, nil
}

// latest is the present resourceVersion.
func latest(ask func(query, accept string) (*http.Response, error)) (string, error) {
	response, err := ask("limit=1", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io")
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	_, text, _ = bytes.Cut(text, []byte(`"resourceVersion":"`))
	version, _, found := bytes.Cut(text, []byte(`"`))
	if !found {
		return "", errors.New("the list of pods has no resourceVersion")
	}
	return string(version), nil
}

// read reads so many frames: lines of JSON, or protobuf with its length in front.
func (r *recording) read(frames int) error {
	for range frames {
		frame, err := r.frame()
		if err != nil {
			return err
		}
		r.frames = append(r.frames, frame)
	}
	return nil
}

func (r *recording) frame() ([]byte, error) {
	if strings.Contains(r.contentType, "json") {
		return r.in.ReadBytes('\n')
	}
	prefix, err := r.in.Peek(4)
	if err != nil {
		return nil, err
	}
	frame := make([]byte, 4+binary.BigEndian.Uint32(prefix))
	_, err = io.ReadFull(r.in, frame)
	return frame, err
}

// replays answers watches with what was recorded, so many events a second, each of
// them when its time has come, until the watch is given up.
type replays struct {
	recordings map[form]*recording
	perSecond  int
	// begun receives when a watch begins.
	begun chan struct{}
}

func (p *replays) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	asked, err := formOf(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotAcceptable)
		return
	}
	recording := p.recordings[asked]
	w.Header().Set("Content-Type", recording.contentType)
	flush := http.NewResponseController(w).Flush
	select {
	case p.begun <- struct{}{}:
	default: // nobody waits for it
	}
	began := time.Now()
	for n := 0; flush() == nil; n++ {
		due := began.Add(time.Duration(n) * time.Second / time.Duration(p.perSecond))
		select {
		case <-r.Context().Done():
			return
		case <-time.After(time.Until(due)):
		}
		if _, err := w.Write(recording.frames[n%len(recording.frames)]); err != nil {
			return
		}
	}
}

// events prints what an event costs that comes alone, of kubectl and of the plugin. The
// events are recorded: an API server beside them would not leave them the time.
func (b *bench) events(ctx context.Context, out io.Writer, c *cluster.Cluster, config *rest.Config, o options) error {
	all, err := record(ctx, config, o.size)
	if err != nil {
		return err
	}
	behind, err := c.TCPProxy(ctx)
	if err != nil {
		return err
	}
	gateway, err := c.GatewayTo(ctx, behind)
	if err != nil {
		return err
	}
	player := &replays{recordings: all, perSecond: changesEach, begun: make(chan struct{}, 1)}
	gateway.Answer(faultproxy.Watch("pods"), faultproxy.Always, player)
	kubeconfig, err := c.Kubeconfig(cluster.Admin, cluster.KubeconfigOptions{Server: gateway.URL()})
	if err != nil {
		return err
	}
	b.env = append(b.env, "KUBECONFIG="+kubeconfig)
	if o.hold {
		return held(ctx, "KUBECONFIG="+kubeconfig)
	}
	fmt.Fprintf(out, "%d events a second, each by itself, for %v; medians of %d run(s): kubectl, ours, our share\n\n", changesEach, o.replay, o.runs)
	heading(out, "stream", "CPU of an event", "printed in a second")
	for _, st := range streamsOf() {
		if !strings.Contains(st.format, o.only) {
			continue
		}
		theirs, ours, err := b.replay(ctx, st, player, o)
		if err != nil {
			return err
		}
		line(out, st.format+": "+code("kubectl "+strings.Join(st.kubectl, " "))+", "+code("kubectl informer "+strings.Join(st.plugin, " ")),
			compared(microseconds(theirs.cpu), microseconds(ours.cpu), theirs.cpu.Seconds(), ours.cpu.Seconds()),
			fmt.Sprintf("%d, %d", theirs.received, ours.received))
	}
	return nil
}

// replay follows a replayed stream with both tools in turns, and returns the medians.
func (b *bench) replay(ctx context.Context, st stream, player *replays, o options) (theirs, ours cost, err error) {
	var all [2][]cost
	for range b.runs {
		for n, tool := range [][]string{slices.Concat([]string{b.kubectl}, st.kubectl), slices.Concat([]string{b.plugin}, st.plugin)} {
			var c cost
			err := b.reading(ctx, tool, func(ctx context.Context, tool process, stdout io.Reader) (err error) {
				c, err = player.measure(ctx, tool, counting(stdout, "\n"), o.replay)
				return err
			})
			if err != nil {
				return theirs, ours, err
			}
			all[n] = append(all[n], c)
		}
	}
	return median(all[0]), median(all[1]), nil
}

// measure returns what an event costs, and as what was received how many are printed in
// a second. Each is a line, in all formats.
func (p *replays) measure(ctx context.Context, tool process, printed *counter, long time.Duration) (cost, error) {
	select {
	case <-p.begun:
	case <-printed.ended:
		return cost{}, errEnded
	case <-ctx.Done():
		return cost{}, context.Cause(ctx)
	}
	var events, cpu [2]int64
	for n, wait := range []time.Duration{warming, long} {
		select {
		case <-time.After(wait):
		case <-printed.ended:
			return cost{}, errEnded
		case <-ctx.Done():
			return cost{}, context.Cause(ctx)
		}
		events[n], cpu[n] = printed.pods.Load(), int64(tool.cpu())
	}
	count := events[1] - events[0]
	if count == 0 {
		return cost{}, errors.New("no event was printed")
	}
	return cost{cpu: time.Duration((cpu[1] - cpu[0]) / count), received: count * int64(time.Second) / int64(long)}, nil
}
