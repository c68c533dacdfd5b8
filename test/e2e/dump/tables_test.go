package dump

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// isCompared says whether two answers of a server can be compared: component statuses
// come in any order.
func isCompared(name string) bool { return name != "componentstatuses.v1." }

// isMade says whether anyone can make an object of a type. A request for a pod's
// certificate has to come from its node.
func isMade(name string) bool {
	return name != "podcertificaterequests.v1.certificates.k8s.io" && isCompared(name)
}

func TestTheTablesOfADumpAreThoseOfTheServer(t *testing.T) {
	kubectl(t, "", "create", "namespace", "tables")
	files, err := filepath.Glob(filepath.Join("testdata", "tables", "*.yaml"))
	if err != nil || len(files) < 10 {
		t.Fatalf("the fixtures: %q, %v", files, err)
	}
	for _, file := range files {
		put(t, strings.NewReplacer("REQUEST", signingRequest(t), "CERTIFICATE", certificate(t)).Replace(readText(t, file)))
	}
	kubectl(t, "", "wait", "--for=condition=Established", "crd", "--all")
	put(t, readText(t, filepath.Join("testdata", "sprockets.yaml")))
	var types, made []string
	for _, group := range fixture.types.Items {
		for _, version := range group.Versions {
			for _, resource := range version.Resources {
				name := resource.Resource + "." + version.Version + "." + group.Name
				if isCompared(name) {
					types = append(types, name)
				}
				if isMade(name) {
					made = append(made, strings.TrimSuffix(strings.ToLower(resource.ResponseKind.Kind)+"."+group.Name, ".")+"/")
				}
			}
		}
	}
	// Types are asked for together, as kubectl takes its time for each start.
	all := strings.Join(types, ",")
	dump := kubectl(t, "", "get", all+",sprockets", "-A", "-o", "json")
	names := "\n" + kubectl(t, "", "get", all, "-A", "-o", "name")
	for _, prefix := range made {
		if !strings.Contains(names, "\n"+prefix) {
			t.Errorf("no fixture is a %s", prefix)
		}
	}
	for _, question := range []string{
		all + " -A", all + " -A -o wide", "sprockets -A", "sprockets -n tables -o wide",
		// A server marks the default only in a list, and has a cell too many for an address.
		"storageclasses fast", "storageclasses -l !x", "ipaddresses -L ipaddress.kubernetes.io/managed-by",
		"pods running -n tables -o wide",
	} {
		compare(t, dump, strings.Fields(question)...)
	}
}

// put makes objects as a manifest has them: their status too, and gone as far as a
// finalizer lets them if their name says so.
func put(t *testing.T, manifest string) {
	t.Helper()
	kubectl(t, manifest, "apply", "--server-side", "-f", "-")
	var withStatus, going []string
	for document := range strings.SplitSeq(manifest, "---\n") {
		var object struct {
			Metadata struct{ Finalizers []string }
			Status   map[string]any
		}
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			t.Fatal(err)
		}
		if object.Status != nil {
			withStatus = append(withStatus, document)
		}
		if object.Metadata.Finalizers != nil {
			going = append(going, document)
		}
	}
	if withStatus != nil {
		kubectl(t, strings.Join(withStatus, "---\n"), "apply", "--server-side", "--force-conflicts", "--subresource=status", "-f", "-")
	}
	if going != nil {
		kubectl(t, strings.Join(going, "---\n"), "delete", "--wait=false", "-f", "-")
	}
}

// compare compares what kubectl prints with what we print of a dump. Ages go on while
// both do their work: those that we print have to lie between kubectl's before and after.
func compare(t *testing.T, dump string, question ...string) {
	t.Helper()
	get := append([]string{"get"}, question...)
	before := kubectl(t, "", get...)
	got, stderr := list(t, dump, append(question, "--now", "now")...)
	after := kubectl(t, "", get...)
	if stderr != "" || !harness.SameButForAges(before, got, after) {
		t.Errorf("%s: stderr %q, the server's table and ours:\n%s", strings.Join(question, " "), stderr,
			cmp.Diff(strings.Split(before, "\n"), strings.Split(got, "\n")))
	}
}

// signingRequest is a request for a certificate, in base64.
func signingRequest(t *testing.T) string {
	t.Helper()
	request, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key(t))
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: request}))
}

// certificate is one that signs others, as text between quotes.
func certificate(t *testing.T) string {
	t.Helper()
	signer := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true, NotAfter: time.Now().Add(time.Hour)}
	own := key(t)
	signed, err := x509.CreateCertificate(rand.Reader, signer, signer, own.Public(), own)
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Quote(string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})))
}

func key(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
