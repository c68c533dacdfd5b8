package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
)

// standInVersion is the resourceVersion of its lists.
const standInVersion = 10_000_000

// standIn answers in place of an API server with many pods, page by page, in JSON and in
// protobuf, with what that server would send. Each answer is made once: from then on
// the machine is left to who asks. Nothing changes: its watches stay silent.
type standIn struct {
	pods []corev1.Pod
	// managed is left out of the pods: it is large, and nearly the same for all.
	managed []metav1.ManagedFieldsEntry

	mu      sync.Mutex
	answers map[string][]byte
}

// newStandIn has so many pods, which are like one that an API server has made.
func newStandIn(made *corev1.Pod, s size, count int) *standIn {
	in := &standIn{pods: make([]corev1.Pod, count), managed: made.ManagedFields, answers: map[string][]byte{}}
	like := made.DeepCopy()
	like.ManagedFields = nil
	for n := range in.pods {
		in.pods[n] = *likeMade(like, s, n)
	}
	slices.SortFunc(in.pods, func(a, b corev1.Pod) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	return in
}

// likeMade is the n-th pod, with what the API server has made of another.
func likeMade(made *corev1.Pod, s size, n int) *corev1.Pod {
	pod, own := made.DeepCopy(), realisticPod(s, n)
	sum := sha256.Sum256([]byte(own.Name))
	at := made.CreationTimestamp.Add(-time.Duration(n/100) * time.Second)
	own.UID = types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]))
	own.ResourceVersion, own.Generation, own.CreationTimestamp = strconv.Itoa(1000+3*n), made.Generation, metav1.NewTime(at)
	pod.ObjectMeta, pod.Status = own.ObjectMeta, realisticStatus(n)
	pod.Status.StartTime = &own.CreationTimestamp
	pod.Spec.NodeName = own.Spec.NodeName
	for i := range pod.Spec.Containers {
		pod.Spec.Containers[i].Image = own.Spec.Containers[i].Image
		pod.Spec.Containers[i].VolumeMounts = own.Spec.Containers[i].VolumeMounts
	}
	for i := range pod.Spec.Volumes {
		pod.Spec.Volumes[i].Name = own.Spec.Volumes[i].Name
	}
	return pod
}

// put has it answer in place of a cluster's API server, at the URL that it returns.
func (in *standIn) put(ctx context.Context, c *cluster.Cluster) (url string, err error) {
	tcp, err := c.TCPProxy(ctx)
	if err != nil {
		return "", err
	}
	gateway, err := c.GatewayTo(ctx, tcp)
	if err != nil {
		return "", err
	}
	gateway.Answer(faultproxy.List("pods"), faultproxy.Always, http.HandlerFunc(in.list))
	gateway.Answer(faultproxy.Watch("pods"), faultproxy.Always, http.HandlerFunc(in.watch))
	return gateway.URL(), nil
}

var errForm = errors.New("the stand-in has whole objects alone")

func (in *standIn) list(w http.ResponseWriter, r *http.Request) {
	answer, contentType, err := in.page(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotAcceptable)
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	_, _ = w.Write(answer) // who does not read it any more need not
}

// page returns a page in the form that is asked for first, compressed.
func (in *standIn) page(r *http.Request) (answer []byte, contentType string, err error) {
	contentType, _, _ = strings.Cut(r.Header.Get("Accept"), ",")
	info, ok := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), contentType)
	if !ok {
		return nil, "", errForm // a Table, metadata
	}
	query := r.URL.Query()
	from, _ := strconv.Atoi(query.Get("continue")) // empty is from the first on
	limit, _ := strconv.Atoi(query.Get("limit"))   // empty is all
	in.mu.Lock()
	defer in.mu.Unlock()
	key := fmt.Sprint(contentType, from, limit)
	if answer := in.answers[key]; answer != nil {
		return answer, contentType, nil
	}
	answer, err = in.encoded(info.Serializer, from, limit)
	in.answers[key] = answer
	return answer, contentType, err
}

func (in *standIn) encoded(serializer runtime.Serializer, from, limit int) ([]byte, error) {
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: strconv.Itoa(standInVersion)}}
	to := len(in.pods)
	if left := int64(to - from - limit); limit > 0 && left > 0 {
		to = from + limit
		list.Continue, list.RemainingItemCount = strconv.Itoa(to), &left
	}
	list.Items = slices.Clone(in.pods[from:to])
	for i := range list.Items {
		list.Items[i].ManagedFields = in.managedBy(&list.Items[i])
	}
	var answer bytes.Buffer
	compressed := gzip.NewWriter(&answer)
	err := scheme.Codecs.EncoderForVersion(serializer, corev1.SchemeGroupVersion).Encode(list, compressed)
	err = errors.Join(err, compressed.Close())
	return answer.Bytes(), err
}

// managedBy are the managers of a pod, which name its volume.
func (in *standIn) managedBy(pod *corev1.Pod) []metav1.ManagedFieldsEntry {
	entries := slices.Clone(in.managed)
	for i := range entries {
		fields := bytes.ReplaceAll(entries[i].FieldsV1.GetRawBytes(), []byte(tokenVolume(0)), []byte(pod.Spec.Volumes[1].Name))
		entries[i].FieldsV1 = metav1.NewFieldsV1(string(fields))
	}
	return entries
}

// watch has nothing to say, until it is given up.
func (in *standIn) watch(w http.ResponseWriter, r *http.Request) {
	contentType, _, _ := strings.Cut(r.Header.Get("Accept"), ",")
	w.Header().Set("Content-Type", contentType)
	if http.NewResponseController(w).Flush() == nil {
		<-r.Context().Done()
	}
}

// standIn has questions be answered by a stand-in from now on.
func (b *bench) standIn(ctx context.Context, c *cluster.Cluster, config *rest.Config, o options) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	made, err := client.CoreV1().Pods(namespace(0)).Get(ctx, podName(0), metav1.GetOptions{})
	if err != nil {
		return err
	}
	url, err := newStandIn(made, o.size, o.standIn).put(ctx, c)
	if err != nil {
		return err
	}
	b.wire.close()
	if b.wire, err = tap(ctx, url); err != nil {
		return err
	}
	kubeconfig, err := c.Kubeconfig(cluster.Admin, cluster.KubeconfigOptions{Server: b.wire.url()})
	b.env = append(b.env, "KUBECONFIG="+kubeconfig, "PATH="+b.path())
	return err
}

// onStandIn measures questions of many pods that a stand-in has. It is in a process of
// its own: to Linux, the peak memory of a command is that of who starts it, too.
func onStandIn(ctx context.Context, o options, dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	held := exec.CommandContext(ctx, self, "-hold", "-stand-in", strconv.Itoa(o.standIn),
		"-pods", strconv.Itoa(o.pods), "-widgets", strconv.Itoa(o.widgets), "-nodes", strconv.Itoa(o.nodes), "-namespaces", strconv.Itoa(o.namespaces))
	held.Cancel = func() error { return held.Process.Signal(os.Interrupt) }
	held.Stderr = os.Stderr
	stdout, err := held.StdoutPipe()
	if err != nil {
		stop()
		return err
	}
	if err := held.Start(); err != nil {
		stop()
		return err
	}
	defer func() {
		stop()
		_ = held.Wait() // it was interrupted
	}()
	kubeconfig, err := heldKubeconfig(stdout)
	if err != nil {
		return err
	}
	b, _, err := given(ctx, kubeconfig, dir, o.runs)
	if err != nil {
		return err
	}
	defer b.close()
	b.values = ownValues(o.size)
	return b.fromStandIn(ctx, os.Stdout, o.standIn)
}

// heldKubeconfig is what a cluster that is held prints of itself.
func heldKubeconfig(printed io.Reader) (string, error) {
	for lines := bufio.NewScanner(printed); lines.Scan(); {
		if _, rest, ok := strings.Cut(lines.Text(), "export KUBECONFIG="); ok {
			file, _, _ := strings.Cut(rest, " ")
			return file, nil
		}
	}
	return "", errors.New("the stand-in has ended before it was asked")
}

// fromStandIn prints what questions of many whole pods cost the plugin alone.
func (b *bench) fromStandIn(ctx context.Context, out io.Writer, pods int) error {
	heading(out, "pods", "question", "CPU", "CPU for 1 000", "peak RSS", "wall", "received")
	for _, q := range []question{{plugin: "list pods -A -o json"}, {plugin: "query pods -A", stdin: "--by node=node-1 -o name\n"}} {
		// The answers are made by that.
		if _, err := b.run(ctx, append([]string{b.plugin}, strings.Fields(q.plugin)...), q.stdin); err != nil {
			return err
		}
		if err := b.grown(ctx, out, q, pods); err != nil {
			return err
		}
	}
	return b.answers(ctx, out)
}
