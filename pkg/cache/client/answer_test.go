package client

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Pages are read into a buffer that is used again: the words and the kinds of errors stay
// those of client-go's rest client.
func TestAPageIsReadAsTheRestClientReadsIt(t *testing.T) {
	list := `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[` + podA + `]}`
	failure := `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","message":"too old","code":410}`
	for name, sent := range map[string]struct {
		code                    int
		contentType, body, size string
	}{
		"a list":                             {200, "application/json", list, ""},
		"a list, with parameters":            {200, "application/json; charset=utf-8", list, ""},
		"no type":                            {200, "", list, ""},
		"an odd type":                        {200, "application/;;", list, ""},
		"a page of a gateway":                {200, "text/html", "<html>", ""},
		"a failure that is no error of HTTP": {200, "application/json", failure, ""},
		"a success":                          {200, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Success"}`, ""},
		"a refusal":                          {403, "application/json", strings.Replace(failure, "Expired", "Forbidden", 1), ""},
		"a refusal of a gateway":             {502, "text/html", "<html>", ""},
		"protobuf that is not asked":         {200, protobufType, "k8s\x00", ""},
		"no JSON":                            {200, "application/json", "{", ""},
		"nothing":                            {200, "application/json", "", ""},
		"the end of a connection":            {200, "application/json", list, "100000"},
	} {
		t.Run(name, func(t *testing.T) {
			config := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = nil
				if sent.contentType != "" {
					w.Header().Set("Content-Type", sent.contentType)
				}
				if sent.size != "" {
					w.Header().Set("Content-Length", sent.size)
				}
				w.WriteHeader(sent.code)
				_, _ = w.Write([]byte(sent.body))
			})
			l := from(t, config, pods(), cache.Whole)
			ctx, _ := withExchange(t.Context(), cache.ListRequest)
			want, wantErr := l.request(l.pages).Do(ctx).Get()
			got, err := l.listed(t.Context(), l.pages, l.request(l.pages))
			if (err == nil) != (wantErr == nil) || err != nil && (err.Error() != wantErr.Error() || classify(err) != classify(wantErr)) {
				t.Errorf("got  %v\nwant %v", err, wantErr)
			}
			if err != nil {
				return
			}
			if _, isList := want.(*cache.RowList); isList {
				expectPodA(t, got.(*cache.RowList).Items[0], false)
			} else if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAPageKeepsNothingOfTheBufferOfTheLast(t *testing.T) {
	page := 0
	config := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		page++
		if page == 1 {
			answer(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[`+podA+`]}`)
			return
		}
		answer(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"8"},"items":[`+strings.Repeat(" ", 2000)+`]}`)
	})
	l := from(t, config, pods(), cache.Whole)
	first, err := l.ListWithContext(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	row := first.(*cache.RowList).Items[0]
	expectPodA(t, row, false)
	if spec, _ := body(t, row)["spec"].(map[string]any); spec["half"] != 0.5 {
		t.Errorf("got %v", spec)
	}
}
