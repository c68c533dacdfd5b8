package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/process"
)

// patience is how long a program may take to become ready on a busy machine.
const patience = 90 * time.Second

// logTail is how many bytes of a program's log an error quotes.
const logTail = 2000

var errEnded = errors.New("it ended")

// waitFor returns when check does not fail any more. It gives up when ctx is
// done, when the program ends, or after patience; the error of the last two has
// the end of the program's log.
func waitFor(caller context.Context, program *process.Process, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(caller, patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-program.Done():
			err = errEnded
		case <-ctx.Done():
		case <-tick.C:
			continue
		}
		if caller.Err() != nil {
			return context.Cause(caller)
		}
		return fmt.Errorf("%s did not become ready: %w; the end of its log:\n%s", program.Name(), err, program.LogTail(logTail))
	}
}

func (c *Cluster) etcdReady(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://etcd/readyz", nil)
	if err != nil {
		return err
	}
	response, err := c.etcdClient().Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("etcd answers %s", response.Status)
	}
	return nil
}

// apiServerReady asks as the admin: an answer says that the server is the one
// of this cluster, that its own first objects are there, and the rights too.
func apiServerReady(ctx context.Context, client kubernetes.Interface) error {
	if err := client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error(); err != nil {
		return err
	}
	_, err := client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceDefault, metav1.GetOptions{})
	return err
}

// controllersReady waits for what the controllers do first of all.
func controllersReady(ctx context.Context, client kubernetes.Interface) error {
	_, err := client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
	return err
}
