package plan_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldlabel"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
)

func kindOf(group, kind string, namespaced bool) cache.Target {
	return cache.Target{Kind: schema.GroupVersionKind{Group: group, Version: "v1", Kind: kind}, Namespaced: namespaced}
}

// What is left to the server: all objects that are selected have to be among those
// that it answers with.
func TestWhatIsFixedIsLeftToTheServer(t *testing.T) {
	pods, nodes, widgets := kindOf("", "Pod", true), kindOf("", "Node", false), kindOf("example.com", "Widget", true)
	inShop, labelled := pods, pods
	inShop.Namespace, labelled.LabelSelector, labelled.FieldSelector = "shop", "tier=web", "status.phase!=Failed"
	for _, test := range []struct {
		target                   cache.Target
		by                       []string
		namespace, label, fields string
	}{
		{pods, []string{"node=n1"}, "", "", "spec.nodeName=n1"},
		{pods, []string{"node="}, "", "", "spec.nodeName="},
		{pods, []string{"node!="}, "", "", "spec.nodeName!="},
		{pods, []string{"node!=n1", "node!=n2"}, "", "", "spec.nodeName!=n1,spec.nodeName!=n2"},
		{pods, []string{"node=n1", "node=n2"}, "", "", ""},
		{pods, []string{"node=n1", "node="}, "", "", ""},
		{pods, []string{"phase=Running", "node=n1"}, "", "", "spec.nodeName=n1,status.phase=Running"},
		{pods, []string{"spec.nodeName=n,1"}, "", "", `spec.nodeName=n\,1`},
		{pods, []string{"spec.schedulerName=mine"}, "", "", "spec.schedulerName=mine"},
		{pods, []string{"spec.nodeName=10"}, "", "", "spec.nodeName=10"},
		{pods, []string{"node=10"}, "", "", "spec.nodeName=10"},
		{pods, []string{"spec.hostNetwork=true"}, "", "", "spec.hostNetwork=true"},
		{pods, []string{"spec.hostNetwork!=false"}, "", "", ""}, // it need not be there
		{pods, []string{"spec.hostNetwork="}, "", "", ""},
		{pods, []string{"status.podIPs=x"}, "", "", ""},
		{pods, []string{"spec.priorityClassName=high"}, "", "", ""},
		{pods, []string{"namespace=shop"}, "shop", "", ""},
		{pods, []string{"namespace=shop", "namespace=dev"}, "", "", ""},
		{pods, []string{"namespace!=shop"}, "", "", "metadata.namespace!=shop"},
		{pods, []string{"namespace!=shop", "namespace!=dev"}, "", "", "metadata.namespace!=shop,metadata.namespace!=dev"},
		{pods, []string{"namespace!="}, "", "", ""},
		{pods, []string{"name!=web"}, "", "", "metadata.name!=web"},
		{pods, []string{"namespace=no/name"}, "", "", ""},
		{inShop, []string{"namespace=dev", "name=web"}, "shop", "", "metadata.name=web"},
		{nodes, []string{"name=n1"}, "", "", "metadata.name=n1"},
		{nodes, []string{"spec.unschedulable=false"}, "", "", "spec.unschedulable=false"},
		{widgets, []string{"name=a", "spec.color=red"}, "", "", "metadata.name=a"},
		{pods, []string{"label=app=web"}, "", "app in (web)", ""},
		{pods, []string{"label=app=web", "label=app=db"}, "", "app in (db,web)", ""},
		{pods, []string{"label=app"}, "", "app", ""},
		{pods, []string{"label=app=web", "label=tier"}, "", "", ""},
		{pods, []string{"label!=app=web", "label!=tier"}, "", "app notin (web),!tier", ""},
		{pods, []string{"label=app:web"}, "", "", ""},
		{pods, []string{"label=app=two words"}, "", "", ""},
		{pods, []string{"label="}, "", "", ""},
		{labelled, []string{"label=app=web", "node=n1"}, "", "tier=web,app in (web)", "status.phase!=Failed,spec.nodeName=n1"},
	} {
		query, err := index.ParseQuery(test.by)
		if err != nil {
			t.Fatal(err)
		}
		registry, err := index.NewRegistry(nil)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := query.Bind(registry, test.target)
		if err != nil {
			t.Fatal(err)
		}
		pushed := plan.PushDown(test.target, plan.Listed, plan.Conditions(bound, anything(t)))
		asked, reasons := pushed.Asked, pushed.Reasons
		if asked.Namespace != test.namespace || asked.LabelSelector != test.label || asked.FieldSelector != test.fields {
			t.Errorf("%s %q: asked for %q, %q, %q; want %q, %q, %q", test.target.Kind.Kind, test.by,
				asked.Namespace, asked.LabelSelector, asked.FieldSelector, test.namespace, test.label, test.fields)
		}
		if (len(reasons) > 0) != (asked != test.target) {
			t.Errorf("%q: reasons %q", test.by, reasons)
		}
	}
}

func TestOneObjectIsNotNarrowed(t *testing.T) {
	one := kindOf("", "Pod", true)
	one.Name = "web"
	if pushed := plan.PushDown(one, plan.Listed, conditions(t, one, "", "node=n1")); pushed.Asked != one || pushed.Narrows() {
		t.Errorf("asked for %+v", pushed)
	}
}

// anything is no expression.
func anything(t *testing.T) *match.Where {
	t.Helper()
	return expressions(t)
}

func expressions(t *testing.T, texts ...string) *match.Where {
	t.Helper()
	where, err := match.DefaultCostLimit.Compile(match.ObjectOnly, texts...)
	if err != nil {
		t.Fatal(err)
	}
	return where
}

// conditions are those of --by and of one --where, which may be empty.
func conditions(t *testing.T, target cache.Target, where string, by ...string) []plan.Condition {
	t.Helper()
	query, err := index.ParseQuery(by)
	if err != nil {
		t.Fatal(err)
	}
	registry, err := index.NewRegistry(nil)
	if err != nil {
		t.Fatal(err)
	}
	bound, err := query.Bind(registry, target)
	if err != nil {
		t.Fatal(err)
	}
	if where == "" {
		return plan.Conditions(bound, anything(t))
	}
	return plan.Conditions(bound, expressions(t, where))
}

// What an expression has no answer for is reported: it is asked for, too.
func TestWhatAnExpressionFixesIsLeftToTheServer(t *testing.T) {
	pods, nodes, widgets := kindOf("", "Pod", true), kindOf("", "Node", false), kindOf("example.com", "Widget", true)
	const none = ""
	for _, test := range []struct {
		target                               cache.Target
		where                                string
		namespace, label, fields, unanswered string
	}{
		{pods, `object.metadata.namespace == "shop"`, "shop", "", "", none},
		{pods, `object.metadata.namespace != "shop"`, "", "", "metadata.namespace!=shop", none},
		{pods, `object.metadata.namespace in ["shop"]`, "shop", "", "", none},
		{pods, `object.metadata.namespace in ["shop", "dev"]`, "", "", "", none},
		{nodes, `object.metadata.namespace == "shop"`, "", "", "", none},
		{nodes, `object.metadata.name == "n1"`, "", "", "metadata.name=n1", none},
		{widgets, `object.metadata.name == "n1"`, "", "", "metadata.name=n1", none},
		{pods, `object.spec.nodeName == "n1"`, "", "", "spec.nodeName=n1", "spec.nodeName="},
		{pods, `object.spec.nodeName == ""`, "", "", "spec.nodeName=", none},
		{pods, `object.spec.nodeName != "n1"`, "", "", "spec.nodeName!=n1", none},
		{pods, `object.spec.nodeName != ""`, "", "", "", none}, // what has none is to be reported
		{pods, `object.?spec.?nodeName.orValue("") == "n1"`, "", "", "spec.nodeName=n1", none},
		{pods, `object.?spec.?nodeName.orValue("") == ""`, "", "", "spec.nodeName=", none},
		{pods, `object.?spec.?nodeName.orValue("n1") == "n1"`, "", "", "", none}, // that is two values
		{pods, `object.?spec.?nodeName.orValue("n1") != "n1"`, "", "", "spec.nodeName!=n1", none},
		{pods, `object.spec.nodeName == "n1" && object.status.phase == "Running"`, "", "", "spec.nodeName=n1", "spec.nodeName="},
		{pods, `object.spec.nodeName == "n1" && object.metadata.namespace == "shop"`, "shop", "", "spec.nodeName=n1", "shop spec.nodeName="},
		{pods, `object.metadata.namespace == "shop" && object.spec.nodeName == "n1"`, "shop", "", "spec.nodeName=n1", "shop spec.nodeName="},
		{pods, `object.spec.hostNetwork == "true"`, "", "", "", none}, // it is never text
		{pods, `object.spec.hostNetwork != "true"`, "", "", "", none},
		{pods, `object.metadata.labels["app"] == "web"`, "", "app in (web)", "", "!app"},
		{pods, `object.metadata.labels.app in ["web", "db"]`, "", "app in (db,web)", "", "!app"},
		{pods, `object.metadata.labels.app != "web"`, "", "app notin (web)", "", none},
		{pods, `object.metadata.labels.app == ""`, "", "app in ()", "", "!app"},
		{pods, `object.metadata.?labels.app.orValue("") == "web"`, "", "app in (web)", "", none},
		{pods, `object.metadata.?labels.app.orValue("web") == "web"`, "", "", "", none},
		{pods, `object.metadata.?labels.app.orValue("") == ""`, "", "", "", none},
		{pods, `object.metadata.labels["two words"] == "web"`, "", "", "", none},
		{pods, `object.metadata.labels["a=b"] == "web"`, "", "", "", none},
		{pods, `object.metadata.labels.app == "two words"`, "", "", "", none},
		{pods, `object.metadata.annotations.app == "web"`, "", "", "", none},
		{widgets, `object.spec.color == "red"`, "", "", "", none},
	} {
		pushed := plan.PushDown(test.target, plan.Listed, conditions(t, test.target, test.where))
		unanswered := none
		if u := pushed.Unanswered; u != nil {
			unanswered = strings.TrimSpace(u.Namespace + " " + u.LabelSelector + u.FieldSelector)
		}
		if a := pushed.Asked; a.Namespace != test.namespace || a.LabelSelector != test.label || a.FieldSelector != test.fields || unanswered != test.unanswered {
			t.Errorf("%s: asked for %q, %q, %q and %q", test.where, a.Namespace, a.LabelSelector, a.FieldSelector, unanswered)
		}
	}
}

// What leaves a watch's selection is deleted there.
func TestOfAWatchOnlyWhatLastsIsLeftToTheServer(t *testing.T) {
	pods := kindOf("", "Pod", true)
	for _, test := range []struct {
		where                                string
		by                                   []string
		lastingNamespace, lasting, watched   string
		lastingLabels, watchedLabels, lister string
	}{
		{by: []string{"namespace=shop"}, lastingNamespace: "shop"},
		{by: []string{"name=web"}, lasting: "metadata.name=web", watched: "metadata.name=web"},
		{by: []string{"name!=web", "namespace!=dev"}, lasting: "metadata.name!=web,metadata.namespace!=dev", watched: "metadata.name!=web,metadata.namespace!=dev"},
		{by: []string{"node=n1"}, lasting: "spec.nodeName=n1", watched: "spec.nodeName=n1"},
		{by: []string{"spec.nodeName=n1"}, lasting: "spec.nodeName=n1", watched: "spec.nodeName=n1"},
		{by: []string{"node="}, watched: "spec.nodeName="},
		{by: []string{"node!=n1"}, watched: "spec.nodeName!=n1"},
		{by: []string{"node=n1", "node!=n2"}, watched: "spec.nodeName=n1,spec.nodeName!=n2"},
		{by: []string{"phase=Running"}, watched: "status.phase=Running"},
		{by: []string{"label=app=web"}, watchedLabels: "app in (web)"},
		{where: `object.metadata.name == "web"`, lasting: "metadata.name=web", watched: "metadata.name=web"},
		{where: `object.spec.nodeName == "n1"`}, // what has none is to be reported
		{where: `object.?spec.?nodeName.orValue("") == "n1"`, lasting: "spec.nodeName=n1", watched: "spec.nodeName=n1"},
		{where: `object.spec.nodeName != "n1"`, watched: "spec.nodeName!=n1"},
		{where: `object.metadata.labels.app == "web"`},
	} {
		asked := conditions(t, pods, test.where, test.by...)
		lasting, watched := plan.PushDown(pods, plan.Lasting, asked), plan.PushDown(pods, plan.Watched, asked)
		if a := lasting.Asked; a.Namespace != test.lastingNamespace || a.FieldSelector != test.lasting || a.LabelSelector != test.lastingLabels || lasting.Unanswered != nil {
			t.Errorf("%q %s: what lasts is %+v", test.by, test.where, a)
		}
		if a := watched.Asked; a.FieldSelector != test.watched || a.LabelSelector != test.watchedLabels || watched.Unanswered != nil {
			t.Errorf("%q %s: what is watched is %+v", test.by, test.where, a)
		}
		if nothing := plan.PushDown(pods, plan.Nothing, asked); nothing.Narrows() || nothing.Asked != pods {
			t.Errorf("%q %s: got %+v", test.by, test.where, nothing)
		}
	}
}

func TestWhatTheServerDecidesNobodyReads(t *testing.T) {
	pods := kindOf("", "Pod", true)
	for _, test := range []struct {
		by    []string
		known string
		form  cache.Representation
	}{
		{[]string{"node=n1"}, "node", cache.Metadata},
		{[]string{"spec.nodeName=n1"}, ".spec.nodeName", cache.Metadata},
		{[]string{"phase=Running", "namespace=shop", "label=app=web"}, "phase", cache.Metadata},
		{[]string{"node="}, "", cache.Whole},
		{[]string{"node!=n1"}, "", cache.Whole},
		{[]string{"node=n1", "node!=n2"}, "", cache.Whole},
		{[]string{"node=n1", "node=n2"}, "", cache.Whole},
		{[]string{"spec.hostNetwork=true"}, "", cache.Whole},
		{[]string{"node=n1", "image=nginx"}, "node", cache.Whole},
		{[]string{"name=web"}, "", cache.Metadata},
	} {
		query, err := index.ParseQuery(test.by)
		if err != nil {
			t.Fatal(err)
		}
		registry, err := index.NewRegistry(nil)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := query.Bind(registry, pods)
		if err != nil {
			t.Fatal(err)
		}
		p := plan.For(pods, false, plan.Need{Reader: "--by", Indexes: bound.Definitions()}).
			PushedDown(plan.PushDown(pods, plan.Listed, plan.Conditions(bound, anything(t))))
		known := ""
		for _, k := range p.Pushed.Known {
			known += k.Name
		}
		if known != test.known || p.NarrowForm != test.form {
			t.Errorf("%q: %q is known, fetched as %s", test.by, known, p.NarrowForm)
		}
		if whole := p.Form; whole != bound.Needs() {
			t.Errorf("%q: where the server refuses it is fetched as %s", test.by, whole)
		}
	}
}

// Some fields of a custom resource are selectable, and some of those are no text.
func TestWhatATypeDeclaresIsSelectedBy(t *testing.T) {
	pods, widgets := kindOf("", "Pod", true), kindOf("example.com", "Widget", true)
	declared := []fieldlabel.Field{{Path: "spec.color", IsText: true}, {Path: "spec.on"}}
	for _, test := range []struct {
		where              string
		by                 []string
		fields, unanswered string
		declares           bool
	}{
		{by: []string{"spec.color=red"}, fields: "spec.color=red", declares: true},
		{by: []string{".spec.color!=red"}, fields: "spec.color!=red", declares: true},
		{by: []string{"spec.color="}, fields: "spec.color=", declares: true},
		{by: []string{"spec.on=true"}, fields: "spec.on=true", declares: true},
		{by: []string{"spec.other=x"}, declares: true},
		{by: []string{"spec.other=x", "spec.other=y"}},
		{by: []string{"name=a", "label=app"}, fields: "metadata.name=a"},
		{where: `object.spec.color == "red"`, fields: "spec.color=red", unanswered: "spec.color=", declares: true},
		{where: `object.spec.color != "red"`, fields: "spec.color!=red", declares: true},
		{where: `object.spec.on == "true"`, declares: true}, // text is never true
		{where: `object.spec.on != "true"`, declares: true},
		{where: `object.metadata.name == "a"`, fields: "metadata.name=a"},
	} {
		asked := conditions(t, widgets, test.where, test.by...)
		if got := plan.Declares(widgets, asked); got != test.declares {
			t.Errorf("%q %s: it may pay to ask: %v", test.by, test.where, got)
		}
		if plan.Declares(pods, asked) {
			t.Errorf("%q %s: what pods are selected by is known", test.by, test.where)
		}
		pushed := plan.PushDown(widgets, plan.Listed, asked, declared...)
		unanswered := ""
		if pushed.Unanswered != nil {
			unanswered = pushed.Unanswered.FieldSelector
		}
		if pushed.Asked.FieldSelector != test.fields || unanswered != test.unanswered {
			t.Errorf("%q %s: asked for %q and %q", test.by, test.where, pushed.Asked.FieldSelector, unanswered)
		}
	}
}
