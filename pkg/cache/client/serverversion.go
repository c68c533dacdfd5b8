package client

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"
)

// Our own version of Kubernetes' API: that of the module k8s.io/api.
const (
	apiMajor = "1"
	apiMinor = "37"
)

// serverVersion is what is known of the server's version. It is asked for when it
// first matters.
type serverVersion struct {
	mu    sync.Mutex
	asked time.Time
	ours  bool
}

// isOurs reports whether the server is of the minor version that our structs are
// of. Newer servers have fields that those lack, and so do older ones: fields
// that were removed. Without an answer it is not.
func (v *serverVersion) isOurs(ctx context.Context, client rest.Interface) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.asked.IsZero() && time.Since(v.asked) < versionLasts {
		return v.ours
	}
	data, err := client.Get().AbsPath("/version").MaxRetries(0).Timeout(versionTimeout).Do(ctx).Raw()
	if ctx.Err() != nil {
		return false
	}
	var info version.Info
	v.asked = time.Now()
	v.ours = err == nil && json.Unmarshal(data, &info) == nil && info.Major == apiMajor && info.Minor == apiMinor
	return v.ours
}
