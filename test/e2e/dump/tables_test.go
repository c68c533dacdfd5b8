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
)

// isCompared says whether two answers of a server can be compared: component statuses
// come in any order.
func isCompared(name string) bool { return name != "componentstatuses.v1." }

// isMade says whether anyone can make an object of a type. A request for a pod's
// certificate has to come from its node.
func isMade(name string) bool { return name != "podcertificaterequests.v1.certificates.k8s.io" }

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
	for _, group := range fixture.types.Items {
		var types []string
		for _, version := range group.Versions {
			for _, resource := range version.Resources {
				name := resource.Resource + "." + version.Version + "." + group.Name
				if isCompared(name) {
					types = append(types, name)
				}
				if isMade(name) && kubectl(t, "", "get", name, "-A", "-o", "name") == "" {
					t.Errorf("no fixture is one of %s", name)
				}
			}
		}
		compare(t, strings.Join(types, ","), "-A")
		compare(t, strings.Join(types, ","), "-A", "-o", "wide")
	}
	compare(t, "sprockets", "-A")
	compare(t, "sprockets", "-n", "tables", "-o", "wide")
	// A server marks the default only in a list, and has a cell too many for an address.
	compare(t, "storageclasses", "fast")
	compare(t, "storageclasses", "-l", "!x")
	compare(t, "ipaddresses", "-L", "ipaddress.kubernetes.io/managed-by")
	compare(t, "pods", "running", "-n", "tables", "-o", "wide")
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
// both do their work: where kubectl prints the same before and after us, that is what
// we have to print.
func compare(t *testing.T, types string, args ...string) {
	t.Helper()
	get := append([]string{"get", types}, args...)
	dump := kubectl(t, "", "get", "crd,"+types, "-A", "-o", "json")
	for range 30 {
		before := kubectl(t, "", get...)
		got, stderr := list(t, dump, append([]string{types, "--now", "now"}, args...)...)
		if kubectl(t, "", get...) != before {
			continue
		}
		if got != before || stderr != "" {
			t.Errorf("%s %s: stderr %q, the server's table and ours:\n%s", types, strings.Join(args, " "), stderr,
				cmp.Diff(strings.Split(before, "\n"), strings.Split(got, "\n")))
		}
		return
	}
	t.Errorf("%s: what kubectl prints never stays the same", types)
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
