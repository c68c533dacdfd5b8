package cache

import (
	"reflect"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

// Identity is what makes an object of one type the same object at two times. A
// name alone does not: it is free again after a deletion, and some aggregated
// APIs serve several objects under one.
type Identity struct {
	types.NamespacedName
	// Context tells apart objects of several clusters: a copy of a cluster, restored from
	// a backup, has the uids of the original.
	Context string
	// UID is empty where a server, or a file, gives objects none.
	UID types.UID
	// Namesake tells apart objects that nothing else does: see Namesakes.
	Namesake int
}

// Identity returns the row's identity.
func (r *Row) Identity() Identity {
	return Identity{types.NamespacedName{Namespace: r.Namespace, Name: r.Name}, r.Context(), r.UID, r.Namesake}
}

// Anonymous is the identity as far as it goes without a UID: whatever has the
// name, also when it is deleted and created anew.
func (i Identity) Anonymous() Identity {
	i.UID = ""
	return i
}

// unnumbered is the identity as far as it goes in the list of one Target.
func (i Identity) unnumbered() Identity {
	i.Namesake, i.Context = 0, ""
	return i
}

// ObjectKey is an identity among the objects of all Targets.
type ObjectKey struct {
	Target Target
	Identity
}

// Key returns whose event it is. The event has a Row.
func (e *Event) Key() ObjectKey { return ObjectKey{e.Target, e.Row.Identity()} }

// keyMark separates a name from the rest of an identity in a storage key. No name
// holds it: the path of a request could not.
const keyMark = "\x00"

// GetNamespace and GetName are for client-go's informers, which make the storage key of
// them: what has one key is one object to them. So it is more than the name, and what
// Pack has made of both comes as the name, so that it is one text for all who hold it. For
// the namespace and the name themselves, read Namespace and Name.

// GetNamespace returns the first part of the row's storage key, empty where GetName has
// all of it.
func (r *Row) GetNamespace() string {
	if r.key != "" {
		return ""
	}
	return r.Namespace
}

// GetName returns the row's storage key, but for what GetNamespace has of it.
func (r *Row) GetName() string {
	name := r.key
	if name == "" {
		name = r.Name + r.uidOfKey()
	}
	if r.Namesake > 0 {
		name += keyMark + strconv.Itoa(r.Namesake)
	}
	return name
}

func (r *Row) uidOfKey() string {
	if r.UID == "" {
		return ""
	}
	return keyMark + string(r.UID)
}

// Pack has the row keep the texts that no other row has in one piece of memory, which
// is its storage key as well. It is called before the row enters the cache, and can be
// called twice; the row's identity does not change after it, but for the Namesake.
func (r *Row) Pack() {
	if r.key != "" {
		return
	}
	var namespace string
	if r.Namespace != "" {
		namespace = r.Namespace + "/"
	}
	uid := r.uidOfKey()
	text := namespace + r.Name + uid + r.ResourceVersion
	end := len(text) - len(r.ResourceVersion)
	r.key, r.ResourceVersion = text[:end], text[end:]
	r.Namespace = text[:len(r.Namespace)]
	r.Name = text[len(namespace) : end-len(uid)]
	r.UID = types.UID(text[end-len(r.UID) : end])
	if strings.HasPrefix(r.Name, r.GenerateName) {
		r.GenerateName = r.Name[:len(r.GenerateName)]
	}
}

// NameOfKey returns the namespace and the name of the object that has this
// storage key.
func NameOfKey(key string) types.NamespacedName {
	key, _, _ = strings.Cut(key, keyMark)
	namespace, name, namespaced := strings.Cut(key, "/")
	if !namespaced {
		namespace, name = "", key
	}
	return types.NamespacedName{Namespace: namespace, Name: name}
}

// SameContent says whether two rows, in one form, show the same object in the
// same state. It is for servers that give no resourceVersion to compare.
func SameContent(a, b *Row) bool {
	return sameMetadata(a, b) && reflect.DeepEqual(a.Cells, b.Cells) && sameBody(a.Body, b.Body)
}

func sameBody(a, b Body) bool {
	if compared, ok := a.(ComparedBody); ok {
		return compared.Equal(b)
	}
	return reflect.DeepEqual(a, b)
}

func sameMetadata(a, b *Row) bool { return reflect.DeepEqual(a.ObjectMeta, b.ObjectMeta) }
