package release

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/kubectl-informer/kubectl-informer/hack/release/archive"
	"github.com/kubectl-informer/kubectl-informer/hack/release/product"
	"sigs.k8s.io/yaml"
)

// packedFile is a file that GoReleaser packs.
type packedFile struct {
	Src  string
	Info fileInfo
}

type fileInfo struct{ Owner, Group, MTime string }

// goreleaser is what of its configuration must be as in hack/release, for
// GoReleaser to make the archives whose sums are in krew's manifest.
type goreleaser struct {
	Builds []struct {
		GOOS         []string
		GOARCH       []string
		Env          []string
		ModTimestamp string `json:"mod_timestamp"`
	}
	Archives []struct {
		BuildsInfo fileInfo `json:"builds_info"`
		Files      []packedFile
	}
	NFPMs []struct{ MTime string }
	Krews []struct{ Name string }
	Casks []struct{ Manpages []string } `json:"homebrew_casks"`
}

func configuration(t *testing.T) goreleaser {
	t.Helper()
	var config goreleaser
	if err := yaml.Unmarshal(read(t, filepath.Join(root, ".goreleaser.yaml")), &config); err != nil {
		t.Fatal(err)
	}
	if len(config.Builds) != 1 || len(config.Archives) != 1 || len(config.NFPMs) != 1 || len(config.Krews) != 1 || len(config.Casks) != 1 {
		t.Fatalf("not one of each: %+v", config)
	}
	return config
}

func TestGoReleaserBuildsWithTheSameGo(t *testing.T) {
	build := configuration(t).Builds[0]
	if want := "GOTOOLCHAIN=" + fixture.source.Toolchain; !slices.Contains(build.Env, want) {
		t.Errorf("the environment is %q, without %q", build.Env, want)
	}
	var got []product.Platform
	for _, system := range build.GOOS {
		for _, arch := range build.GOARCH {
			got = append(got, product.Platform{OS: system, Arch: arch})
		}
	}
	if diff := cmp.Diff(product.Platforms(), got); diff != "" {
		t.Error(diff)
	}
}

func TestGoReleaserTellsTheSameTimesAndOwners(t *testing.T) {
	config := configuration(t)
	stamp := strconv.FormatInt(archive.Modified().Unix(), 10)
	if got := config.Builds[0].ModTimestamp; got != stamp {
		t.Errorf("programs are of %s, want %s", got, stamp)
	}
	want := fileInfo{Owner: "root", Group: "root", MTime: archive.Modified().Format(time.RFC3339)}
	packed := config.Archives[0]
	for _, file := range append(packed.Files, packedFile{"the program", packed.BuildsInfo}) {
		if file.Info != want {
			t.Errorf("%s: got %+v, want %+v", file.Src, file.Info, want)
		}
	}
	if got := config.NFPMs[0].MTime; got != want.MTime {
		t.Errorf("packages are of %s, want %s", got, want.MTime)
	}
}

func TestGoReleaserNamesThePluginAndItsPages(t *testing.T) {
	config := configuration(t)
	if got := config.Krews[0].Name; got != "informer" {
		t.Errorf("krew would call the plugin %q", got)
	}
	pages, err := filepath.Glob(filepath.Join(root, product.Pages, "*.1"))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, page := range pages {
		want = append(want, "man/"+filepath.Base(page))
	}
	if diff := cmp.Diff(strings.Join(want, "\n"), strings.Join(config.Casks[0].Manpages, "\n")); diff != "" {
		t.Errorf("Homebrew would link other pages than there are:\n%s", diff)
	}
}
