package workloads

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Names of what never comes up: it is there to be seen in that state.
const (
	// StuckPod is a pod in the namespace dev that no node can take.
	StuckPod = "stuck"
	// UnboundClaim is a claim in the namespace dev that no volume satisfies.
	UnboundClaim = "unbound"
)

// waitUntil returns when the check returns no error any more. What it still
// misses after patience is in the error.
func waitUntil(ctx context.Context, config *rest.Config, check func(context.Context, kubernetes.Interface) error) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	var missing error
	err = wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		missing = check(ctx, client)
		return missing == nil, nil
	})
	if err != nil {
		return fmt.Errorf("the sample workloads are not up: %w", errors.Join(missing, err))
	}
	return nil
}

// workloadsReady returns an error that names the first thing that is not up yet,
// StuckPod and UnboundClaim apart.
func workloadsReady(ctx context.Context, client kubernetes.Interface) error {
	for _, check := range []func(context.Context, kubernetes.Interface) error{
		deploymentsReady, statefulSetsReady, daemonSetsReady, jobsReady, claimsReady,
	} {
		if err := check(ctx, client); err != nil {
			return err
		}
	}
	return nil
}

// nodesReady waits for the taints to go that keep pods off a new node.
func nodesReady(ctx context.Context, client kubernetes.Interface) error {
	list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, n := range list.Items {
		ready := slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
			return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
		})
		if !ready || len(n.Spec.Taints) > 0 {
			return fmt.Errorf("node %s is not ready", n.Name)
		}
	}
	return nil
}

func deploymentsReady(ctx context.Context, client kubernetes.Interface) error {
	list, err := client.AppsV1().Deployments("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, d := range list.Items {
		if d.Status.ObservedGeneration < d.Generation || d.Status.AvailableReplicas != *d.Spec.Replicas {
			return fmt.Errorf("deployment %s/%s: %d of %d replicas", d.Namespace, d.Name, d.Status.AvailableReplicas, *d.Spec.Replicas)
		}
	}
	return nil
}

func statefulSetsReady(ctx context.Context, client kubernetes.Interface) error {
	list, err := client.AppsV1().StatefulSets("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, s := range list.Items {
		if s.Status.ObservedGeneration < s.Generation || s.Status.AvailableReplicas != *s.Spec.Replicas {
			return fmt.Errorf("statefulset %s/%s: %d of %d replicas", s.Namespace, s.Name, s.Status.AvailableReplicas, *s.Spec.Replicas)
		}
	}
	return nil
}

func daemonSetsReady(ctx context.Context, client kubernetes.Interface) error {
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	list, err := client.AppsV1().DaemonSets("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, d := range list.Items {
		if int(d.Status.NumberAvailable) != len(nodes.Items) {
			return fmt.Errorf("daemonset %s/%s: on %d of %d nodes", d.Namespace, d.Name, d.Status.NumberAvailable, len(nodes.Items))
		}
	}
	return nil
}

func jobsReady(ctx context.Context, client kubernetes.Interface) error {
	list, err := client.BatchV1().Jobs("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, j := range list.Items {
		if j.Status.CompletionTime == nil {
			return fmt.Errorf("job %s/%s is not complete", j.Namespace, j.Name)
		}
	}
	return nil
}

func claimsReady(ctx context.Context, client kubernetes.Interface) error {
	list, err := client.CoreV1().PersistentVolumeClaims("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, c := range list.Items {
		if c.Name != UnboundClaim && c.Status.Phase != corev1.ClaimBound {
			return fmt.Errorf("claim %s/%s is %s", c.Namespace, c.Name, c.Status.Phase)
		}
	}
	return nil
}
