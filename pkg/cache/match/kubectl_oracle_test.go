package match_test

import (
	"context"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/kubectl/pkg/cmd/wait"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

// oneObject is a cluster of one object, as far as kubectl wait asks.
type oneObject struct {
	dynamic.NamespaceableResourceInterface
	object map[string]any
}

func (o oneObject) Resource(schema.GroupVersionResource) dynamic.NamespaceableResourceInterface {
	return o
}
func (o oneObject) Namespace(string) dynamic.ResourceInterface { return o }
func (o oneObject) Get(context.Context, string, metav1.GetOptions, ...string) (*unstructured.Unstructured, error) {
	return &unstructured.Unstructured{Object: o.object}, nil
}

// kubectlParses has kubectl itself read the values of --for.
func kubectlParses(t testing.TB, texts ...string) (*wait.WaitOptions, error) {
	t.Helper()
	getter := genericclioptions.NewTestConfigFlags().WithClientConfig(
		clientcmd.NewDefaultClientConfig(*clientcmdapi.NewConfig(), &clientcmd.ConfigOverrides{
			ClusterInfo: clientcmdapi.Cluster{Server: "http://nowhere.invalid"},
		}))
	flags := wait.NewWaitFlags(getter, genericiooptions.NewTestIOStreamsDiscard())
	flags.ForCondition = texts
	return flags.ToOptions(nil)
}

// kubectlAnswers has kubectl itself ask the first condition once.
func kubectlAnswers(t testing.TB, options *wait.WaitOptions, row *cache.Row) (met bool, problem string) {
	t.Helper()
	object, err := row.Unstructured()
	if err != nil {
		t.Fatal(err)
	}
	options.Timeout, options.DynamicClient = 0, oneObject{object: object.Object}
	info := &resource.Info{
		Name: "a", Object: object,
		Mapping: &meta.RESTMapping{Resource: schema.GroupVersionResource{Version: "v1", Resource: "things"}},
	}
	_, met, err = options.ConditionFn[0](t.Context(), info, options)
	if err != nil && !strings.HasPrefix(err.Error(), "condition not met for") {
		problem = err.Error()
	}
	return met, problem
}

// sameAsKubectl compares what both make of one value of --for and one object.
// Where kubectl gives up on an object, it is unmet here, and why says kubectl's words.
func sameAsKubectl(t *testing.T, text string, row *cache.Row) {
	t.Helper()
	options, wantErr := kubectlParses(t, text)
	condition, err := match.DefaultCostLimit.ParseFor([]string{text}, false)
	if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
		t.Fatalf("%q: parsed with %v, kubectl with %v", text, err, wantErr)
	}
	if err != nil {
		return
	}
	wantMet, problem := kubectlAnswers(t, options, row)
	met, why, err := condition.Check(t.Context(), row, nil)
	if met != wantMet {
		t.Errorf("%q: met is %v (%s, %v), kubectl says %v", text, met, why, err, wantMet)
	}
	said := why
	if err != nil {
		said = err.Error()
	}
	if !strings.Contains(said, problem) {
		t.Errorf("%q: says %q, kubectl %q", text, said, problem)
	}
	if err != nil && err.Error() != problem {
		t.Errorf("%q: ends with %v, kubectl with %q", text, err, problem)
	}
}

// asKubectl are kubectl's documented examples, and what comes near them.
func asKubectl() []string {
	return []string{
		`condition=Ready`, `condition=Ready=false`, `jsonpath={.status.phase}=Running`,
		`jsonpath={.status.conditions[?(@.type=="Ready")].status}=True`,
		`jsonpath={.status.loadBalancer.ingress}`, `create`, `condition=ContainersReady=False`,
		`condition=available`, `condition=AVAILABLE=FALSE`, `condition=Ready=`,
		`condition=Progressing`, `condition=Failed=true=false`, `condition`, `cond=invalid`, ``, ` create`,
		`jsonpath=`, `jsonpath`, `jsonpath=.`, `jsonpath={}`, `jsonpath={.}`, `jsonpath==`, `jsonpath=abc`,
		`jsonpath={.metadata.name}`, `jsonpath=.metadata.name=web`, `jsonpath=metadata.name="web"`,
		`jsonpath={.metadata.name}='test=wrong'`, `jsonpath={.metadata.name}=`, `jsonpath={.metadata.name}=''`,
		`jsonpath={.metadata.name}==web`, `jsonpath={.metadata.name}=we==b`, `jsonpath={.metadata.name}= web `,
		`jsonpath={=True`, `jsonpath={.status.conditions[?(@.type=="Failed"||@.type=="Complete")].status}=True`,
		`jsonpath=status.conditions[?(@.type=="Available")].status=False`,
		`jsonpath=.status.containers[?(@.name=="a")].ready`, `jsonpath=.status.containers[?(@.name=="a")].ready=true`,
		`jsonpath=.status.containers[*].ready=true`, `jsonpath=.status.containers[*].ready`, `jsonpath=.status.containers`,
		`jsonpath=.status=x`, `jsonpath={.spec.replicas}=3`, `jsonpath={.spec.replicas}=03`, `jsonpath=.spec.ratio=0.5`,
		`jsonpath=.spec.big=9007199254740993`, `jsonpath=.spec.big=9007199254740992`, `jsonpath=.spec.paused=false`,
		`jsonpath=.spec.nothing`, `jsonpath=.spec.nothing=<nil>`, `jsonpath=.spec.empty`, `jsonpath=.spec.missing`,
		`jsonpath=.status.none[0].ready=true`, `jsonpath=.status.phase[0]=x`, `jsonpath=.status.none[?(@.x==1)]=x`,
		`jsonpath=.status.containers[?(@.name==1)].ready=x`, `jsonpath={.status.containers[0]['name','ready']}=a`,
		`jsonpath=.status.containers[0].name=a`, `jsonpath=.status.containers[-1:].name=b`, `jsonpath=..phase=Pending`,
		`jsonpath={.metadata.annotations.example\.com/a}=x`, `jsonpath={$.metadata.name}=web`, `jsonpath={"x"}=x`,
	}
}

func TestConditionsMeanWhatTheyMeanToKubectl(t *testing.T) {
	rows := map[string]*cache.Row{
		"a rollout": rowOf(t, rollout),
		"a pod":     rowOf(t, webPod),
		"bare":      rowOf(t, `{metadata: {name: web, annotations: {example.com/a: x}}}`),
		"a service": rowOf(t, `{metadata: {name: lb}, status: {loadBalancer: {ingress: [{ip: 10.0.0.1}]}}}`),
		"malformed": rowOf(t, `{metadata: {generation: x}, status: {conditions: [x, {type: 1}, {type: Ready}, {type: Ready, status: "True"}]}}`),
		"odd":       rowOf(t, `{metadata: {name: web}, status: {conditions: {type: Ready}}}`),
		"odder":     rowOf(t, `{metadata: {name: web}, status: [1]}`),
		"null":      rowOf(t, `{metadata: {name: web}, status: {conditions: null, containers: null}}`),
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			for _, text := range asKubectl() {
				sameAsKubectl(t, text, row)
			}
		})
	}
}

// FuzzConditionsMeanWhatTheyMeanToKubectl leaves out what kubectl cannot read
// and we can: comparisons other than = and what stands in brackets.
func FuzzConditionsMeanWhatTheyMeanToKubectl(f *testing.F) {
	for _, text := range asKubectl() {
		f.Add(text, `{"metadata":{"name":"web","generation":2},"status":{"phase":"Running","observedGeneration":1,"conditions":[{"type":"Ready","status":"True"}]}}`)
	}
	f.Fuzz(func(t *testing.T, text, object string) {
		row, err := decodeRow([]byte(object))
		if err != nil || strings.ContainsAny(text, `!\<>`) || strings.HasPrefix(text, "cel=") || strings.EqualFold(text, "delete") {
			return
		}
		if _, err := kubectlParses(t, text); err != nil && strings.Contains(text, "[") {
			return
		}
		if _, err := match.DefaultCostLimit.ParseFor([]string{text}, false); err != nil && strings.Contains(err.Error(), "unrecognized identifier") {
			return
		}
		sameAsKubectl(t, text, row)
	})
}
