package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

var configMaps = cache.Target{
	Resource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
	Kind:     schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, Namespaced: true, Namespace: "shop",
}

// asked is the question of most tests.
func asked() Question {
	return Question{Cluster: Cluster{UID: "1", Server: "https://one", Authority: "a"}, Targets: []cache.Target{configMaps}}
}

func row(name, version string) *cache.Row {
	r := &cache.Row{}
	r.APIVersion, r.Kind = "v1", "ConfigMap"
	r.Namespace, r.Name, r.UID, r.ResourceVersion = "shop", name, types.UID("uid-of-"+name), version
	r.Labels = map[string]string{"app": strings.Repeat(name, 100)}
	return r
}

func changeOf(r *cache.Row) Change {
	return Change{Key: cache.ObjectKey{Target: configMaps, Identity: r.Identity()}, Row: r, Form: cache.Metadata}
}

// within opens the state of a question, uses it, and closes it.
func within(t *testing.T, path string, q Question, use func(*File, *Journal)) {
	t.Helper()
	file, err := Open(path, q)
	if err != nil {
		t.Fatal(err)
	}
	journal := NewJournal(file, func(err error) { t.Errorf("broken: %v", err) })
	use(file, journal)
	if err := journal.Close(); err != nil {
		t.Fatal(err)
	}
}

// contents describes what a state has of the ConfigMaps.
func contents(t *testing.T, path string) (lines []string) {
	t.Helper()
	within(t, path, asked(), func(f *File, _ *Journal) {
		earlier := f.Section(configMaps).Earlier()
		for _, object := range earlier.Objects {
			line := object.Name + " " + object.ResourceVersion
			if object.Unconfirmed {
				line += " unconfirmed"
			}
			if loaded := earlier.Load(object.Identity); loaded.ResourceVersion != object.ResourceVersion || loaded.Labels["app"] != strings.Repeat(object.Name, 100) {
				t.Errorf("of %s was loaded %+v", object.Name, loaded.ObjectMeta)
			}
			lines = append(lines, line)
		}
		if earlier.Complete {
			lines = append(lines, "complete")
		}
	})
	return lines
}

func expectStored(t *testing.T, path string, want ...string) {
	t.Helper()
	if got := contents(t, path); !slices.Equal(got, want) {
		t.Errorf("stored:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func newPath(t *testing.T) string { return filepath.Join(t.TempDir(), "state") }

func TestWhatIsNotedIsThereForTheNextRun(t *testing.T) {
	path := newPath(t)
	a, b := row("a", "1"), row("b", "2")
	within(t, path, asked(), func(_ *File, j *Journal) {
		j.Note(changeOf(a), changeOf(b))
		j.Complete(configMaps)
	})
	expectStored(t, path, "a 1", "b 2", "complete")
	within(t, path, asked(), func(_ *File, j *Journal) {
		j.Note(changeOf(row("a", "3")))
		gone := changeOf(b)
		gone.Gone = true
		j.Later(gone) // is written at the end, too
	})
	expectStored(t, path, "a 3", "complete")
}

func TestAnObjectIsUnconfirmedUntilItIsReported(t *testing.T) {
	path := newPath(t)
	a, b := row("a", "1"), row("b", "1")
	about := func(r *cache.Row) Change {
		change := changeOf(r)
		change.Unconfirmed = true
		return change
	}
	within(t, path, asked(), func(_ *File, j *Journal) {
		j.Later(about(a), about(b))
		if err := j.Commit(); err != nil {
			t.Fatal(err)
		}
		j.Note(changeOf(b))
	})
	expectStored(t, path, "a 1 unconfirmed", "b 1")
	within(t, path, asked(), func(_ *File, j *Journal) {
		leaving := about(b)
		leaving.Row = nil
		j.Later(leaving)
	})
	expectStored(t, path, "a 1 unconfirmed", "b 1 unconfirmed")
	// What is about to be reported and reported before the next transaction is one change.
	within(t, path, asked(), func(_ *File, j *Journal) { j.Later(about(a), changeOf(a)); j.Later(changeOf(b)) })
	expectStored(t, path, "a 1", "b 1")
}

// Rows of each form come back as they were.
func TestARowComesBackInTheFormInWhichItWasKept(t *testing.T) {
	path := newPath(t)
	columns := &cache.Columns{{Name: "Name", Type: "string"}, {Name: "Data", Type: "integer"}}
	table, whole, namesake := row("table", "1"), row("whole", "2"), row("table", "")
	table.Columns, table.Cells = columns, []any{"table", int64(3)}
	whole.Body = cache.MapBody{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"big": int64(9007199254740993)}}
	namesake.UID, namesake.Namesake = "", 2
	within(t, path, asked(), func(_ *File, j *Journal) {
		for form, r := range map[cache.Representation]*cache.Row{cache.Cells: table, cache.Whole: whole} {
			change := changeOf(r)
			change.Form = form
			j.Note(change)
		}
		j.Note(changeOf(namesake))
	})
	within(t, path, asked(), func(f *File, _ *Journal) {
		section := f.Section(configMaps)
		if section.Has(cache.Cells) || section.Has(cache.Whole) || !section.Has(cache.Metadata) {
			t.Error("not all objects have cells, nor are all whole")
		}
		load := section.Earlier().Load
		if got := load(table.Identity()); !cache.SameContent(got, table) || !slices.Equal(*got.Columns, *columns) {
			t.Errorf("the table's row is %+v", got)
		}
		got, err := load(whole.Identity()).Unstructured()
		if err != nil || fmt.Sprint(got.Object["data"]) != "map[big:9007199254740993]" {
			t.Errorf("the whole object is %v, %v", got, err)
		}
		if got := load(namesake.Identity()); got.Identity() != namesake.Identity() {
			t.Errorf("the namesake is %+v", got.Identity())
		}
	})
}

func TestTheStateOfSomethingElseIsRefused(t *testing.T) {
	secrets := configMaps
	secrets.Resource.Resource, secrets.Kind.Kind = "secrets", "Secret"
	elsewhere := configMaps
	elsewhere.Namespace = "bakery"
	for name, test := range map[string]struct {
		change func(*Question)
		words  string
	}{
		"the same":                       {func(*Question) {}, ""},
		"the same cluster elsewhere":     {func(q *Question) { q.Cluster.Server = "https://two" }, ""},
		"its certificates renewed":       {func(q *Question) { q.Cluster.Authority = "b" }, ""},
		"kube-system not readable":       {func(q *Question) { q.Cluster.UID = "" }, ""},
		"another cluster":                {func(q *Question) { q.Cluster = Cluster{UID: "2", Server: "https://two"} }, "of the cluster at https://one, not of that at https://two"},
		"another cluster in its place":   {func(q *Question) { q.Cluster.UID = "2" }, "the cluster at https://one is another one"},
		"an unknown cluster elsewhere":   {func(q *Question) { q.Cluster = Cluster{Server: "https://two"} }, "not of that at https://two"},
		"an unknown cluster in place":    {func(q *Question) { q.Cluster = Cluster{Server: "https://one", Authority: "b"} }, "another certificate authority"},
		"another type":                   {func(q *Question) { q.Targets = []cache.Target{secrets} }, "configmaps.v1 -n shop, not secrets.v1 -n shop"},
		"another namespace":              {func(q *Question) { q.Targets = []cache.Target{elsewhere} }, "configmaps.v1 -n shop, not configmaps.v1 -n bakery"},
		"one more type":                  {func(q *Question) { q.Targets = append(q.Targets, secrets) }, "not of secrets.v1 -n shop, which is asked for now"},
		"no type left":                   {func(q *Question) { q.Targets = nil }, "also of configmaps.v1 -n shop, which is not asked for now"},
		"one whose server is down":       {func(q *Question) { q.Targets, q.Unresolved = nil, true }, ""},
		"a category that has grown":      {func(q *Question) { q.Targets = append(q.Targets, secrets); q.FromCategory = []cache.Target{secrets} }, ""},
		"another --by":                   {func(q *Question) { q.Narrowed = []string{"--by node=a"} }, "nothing narrows it, not --by node=a"},
		"another version, by discovery":  {func(q *Question) { q.Targets[0].Resource.Version = "v2" }, "configmaps.v1 -n shop, not configmaps.v2 -n shop"},
		"another shard":                  {func(q *Question) { q.Targets[0].Shard, _ = cache.ParseShard("1/2") }, "configmaps.v1 -n shop of the shard shardRange("},
		"another selector of the server": {func(q *Question) { q.Targets[0].LabelSelector = "a=b" }, "configmaps.v1 -n shop -l a=b"},
	} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			within(t, path, asked(), func(_ *File, j *Journal) { j.Note(changeOf(row("a", "1"))) })
			q := asked()
			test.change(&q)
			file, err := Open(path, q)
			if err == nil {
				err = file.Close()
			}
			switch {
			case test.words == "" && err != nil:
				t.Error(err)
			case test.words != "" && (err == nil || !strings.Contains(err.Error(), test.words) || !strings.Contains(err.Error(), adviceOther)):
				t.Errorf("got %v", err)
			}
			expectStored(t, path, "a 1") // whatever was asked
		})
	}
}

func TestATypeWhoseServerWasDownKeepsWhatIsStoredOfIt(t *testing.T) {
	path := newPath(t)
	within(t, path, asked(), func(_ *File, j *Journal) { j.Note(changeOf(row("a", "1"))); j.Complete(configMaps) })
	other := configMaps
	other.Namespace = "bakery"
	both := asked()
	both.Targets, both.FromCategory, both.Unresolved = []cache.Target{other}, []cache.Target{other}, true
	within(t, path, both, func(_ *File, j *Journal) { j.Complete(other) })
	expectStored(t, path, "a 1", "complete")
}

func TestOnlyOneProcessHasTheState(t *testing.T) {
	path := newPath(t)
	within(t, path, asked(), func(*File, *Journal) {
		if _, err := Open(path, asked()); err == nil || !strings.Contains(err.Error(), path+" is in use by another process") {
			t.Errorf("got %v", err)
		}
	})
}

func TestTheFileIsForItsUserAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("a file of a user is the user's alone")
		return
	}
	path := newPath(t)
	within(t, path, asked(), func(*File, *Journal) {})
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWhatIsNoStateIsRefused(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign")
	link := filepath.Join(dir, "link")
	for _, err := range []error{
		os.WriteFile(foreign, []byte(strings.Repeat("apiVersion: v1\n", 2000)), 0o600),
		os.WriteFile(filepath.Join(dir, "empty"), nil, 0o600),
		os.Symlink(foreign, link),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, words := range map[string]string{
		foreign:                       "is not a state of kubectl informer",
		filepath.Join(dir, "empty"):   "is empty",
		link:                          "is a symbolic link",
		dir:                           "is a folder",
		filepath.Join(dir, "no", "x"): "cannot be created: no such file or directory",
		filepath.Join(foreign, "x"):   "cannot be read: not a directory",
	} {
		if _, err := Open(path, asked()); err == nil || !strings.Contains(err.Error(), words) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v", path, err)
		}
	}
	if left, err := os.ReadFile(foreign); err != nil || len(left) != 15*2000 {
		t.Errorf("the foreign file has %d bytes, %v", len(left), err)
	}
}

// filled is a state of many objects.
func filled(t *testing.T) (path string, content []byte) {
	t.Helper()
	path = newPath(t)
	within(t, path, asked(), func(_ *File, j *Journal) {
		for n := range 500 {
			j.Later(changeOf(row(fmt.Sprintf("object-%03d", n), fmt.Sprint(n))))
			if n%50 == 0 {
				if err := j.Commit(); err != nil {
					t.Fatal(err)
				}
			}
		}
		j.Complete(configMaps)
	})
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, content
}

// openAndRead is an error, or all 500 objects are there and can be read.
func openAndRead(path string) error {
	file, err := Open(path, asked())
	if err != nil {
		return err
	}
	defer file.Close()
	section := file.Section(configMaps)
	if found := len(section.Earlier().Objects); found != 500 {
		return fmt.Errorf("silently only %d objects", found)
	}
	for _, object := range section.Earlier().Objects {
		section.Earlier().Load(object.Identity)
	}
	return section.Err()
}

// copyOf writes a file of its own: where bbolt has panicked over one, the process keeps
// it mapped, and locked.
func copyOf(t *testing.T, path string, content []byte) string {
	t.Helper()
	file, err := os.CreateTemp(filepath.Dir(path), "copy")
	if err == nil {
		_, err = file.Write(content)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.Name()
}

func TestAFileThatIsCutOffIsRefused(t *testing.T) {
	path, content := filled(t)
	used := int64(len(content))
	if err := openAndRead(path); err != nil {
		t.Fatal(err)
	}
	for n := range int64(50) {
		err := openAndRead(copyOf(t, path, content[:used*n/50]))
		var known *Error
		if err != nil && (!errors.As(err, &known) || strings.Contains(err.Error(), "in use")) {
			t.Errorf("cut off at %d/50: %v", n, err)
		}
		// bbolt makes the file longer than it needs: what is not used may be missing.
		if err == nil && n < 25 {
			t.Errorf("cut off at %d/50: no error", n)
		}
	}
}

// Whatever page is overwritten, by whatever: the file is refused, or whole.
func TestADamagedFileIsRefused(t *testing.T) {
	path, content := filled(t)
	const page = 4096
	refused := 0
	for _, damage := range [][]byte{{0}, {0xff}, []byte("lorem ipsum ")} {
		for at := 0; at < len(content); at += page {
			damaged := slices.Clone(content)
			for i := range page {
				damaged[at+i] = damage[i%len(damage)]
			}
			err := openAndRead(copyOf(t, path, damaged))
			var known *Error
			switch {
			case err == nil: // a free page, or one of the two that say where to begin
			case !errors.As(err, &known) || strings.Contains(err.Error(), "in use"):
				t.Errorf("page %d overwritten with %q: %v", at/page, damage, err)
			default:
				refused++
			}
		}
	}
	if refused < 10 {
		t.Errorf("only %d damages were noticed", refused)
	}
}

func TestOneByteOfARecordIsNotAnother(t *testing.T) {
	p, err := newPacker()
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	key := []byte("key")
	value := p.pack(key, record{form: cache.Whole, columns: 7, resourceVersion: "12", object: []byte("object")})
	r, err := parseRecord(key, value)
	if err != nil || r.form != cache.Whole || r.columns != 7 || r.resourceVersion != "12" || string(r.object) != "object" {
		t.Fatalf("got %+v, %v", r, err)
	}
	if _, err := parseRecord([]byte("kex"), value); err == nil {
		t.Error("it is taken for another object's")
	}
	for at := range value {
		damaged := slices.Clone(value)
		damaged[at] ^= 4
		if _, err := parseRecord(key, damaged); err == nil {
			t.Errorf("byte %d is not protected", at)
		}
		if _, err := parseRecord(key, value[:at]); err == nil {
			t.Errorf("%d bytes are taken for all", at)
		}
	}
}

func TestAQuestionThatIsTheSameIsNotWrittenAgain(t *testing.T) {
	path := newPath(t)
	within(t, path, asked(), func(_ *File, j *Journal) { j.Note(changeOf(row("a", "1"))); j.Complete(configMaps) })
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	within(t, path, asked(), func(_ *File, j *Journal) { j.Note(changeOf(row("a", "1"))); j.Complete(configMaps) })
	after, err := os.ReadFile(path)
	if err != nil || !slices.Equal(before, after) {
		t.Errorf("a run without changes has written, %v", err)
	}
}
