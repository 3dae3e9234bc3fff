package conformance

import (
	"context"
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/stretchr/testify/require"
)

// resources are the namespaced resources that the suite creates.
var resources = append(
	gatewayResources("backendtlspolicies", "gateways", "grpcroutes", "httproutes", "listenersets", "referencegrants", "tcproutes",
		"tlsroutes", "udproutes"),
	schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"},
	schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
	schema.GroupVersionResource{Version: "v1", Resource: "pods"},
	schema.GroupVersionResource{Version: "v1", Resource: "secrets"},
	schema.GroupVersionResource{Version: "v1", Resource: "services"},
)

func gatewayResources(names ...string) []schema.GroupVersionResource {
	var all []schema.GroupVersionResource
	for _, name := range names {
		all = append(all, schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1", Resource: name})
	}
	return all
}

// controllers do what kube-controller-manager and the kubelets of a cluster do, as far as the suite needs it.
type controllers struct {
	client  kubernetes.Interface
	dynamic dynamic.Interface
	pods    int
}

// runControllers runs the controllers until the test and its parallel subtests have ended.
func runControllers(t *testing.T, config *rest.Config) {
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	dynamic, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	own := &controllers{client: client, dynamic: dynamic}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() {
		for ctx.Err() == nil {
			// An object may change or be deleted at the same time. The next round sees the new state.
			_ = own.startPods(ctx)
			_ = own.emptyNamespaces(ctx)
			time.Sleep(250 * time.Millisecond)
		}
	}()
}

// startPods creates a ready pod for each Deployment that does not have one.
func (c *controllers) startPods(ctx context.Context) error {
	deployments, err := c.client.AppsV1().Deployments("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	pods, err := c.client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, pod := range pods.Items {
		known[pod.Namespace+"/"+pod.Name] = true
	}
	for _, deployment := range deployments.Items {
		if !known[deployment.Namespace+"/"+podName(deployment.Name)] {
			if err := c.startPod(ctx, &deployment); err != nil {
				return err
			}
		}
	}
	return nil
}

// podName is a name as a Deployment gives it to its pods: the suite removes the last two parts.
func podName(deployment string) string { return deployment + "-6b9d4c7f58-abcde" }

func (c *controllers) startPod(ctx context.Context, deployment *appsv1.Deployment) error {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: deployment.Namespace, Name: podName(deployment.Name), Labels: deployment.Spec.Template.Labels,
		},
		Spec: deployment.Spec.Template.Spec,
	}
	pod.Spec.NodeName = "node"
	pod, err := c.client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	c.pods++
	address := fmt.Sprintf("10.1.%d.%d", c.pods/250, c.pods%250+1)
	pod.Status = corev1.PodStatus{
		Phase: corev1.PodRunning, PodIP: address, PodIPs: []corev1.PodIP{{IP: address}},
		Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
	}
	_, err = c.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	return err
}

// emptyNamespaces deletes everything in the Namespaces that are being deleted, and removes their finalizers.
func (c *controllers) emptyNamespaces(ctx context.Context) error {
	namespaces, err := c.client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, namespace := range namespaces.Items {
		if namespace.DeletionTimestamp == nil {
			continue
		}
		at := metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
		for _, resource := range resources {
			if err := c.dynamic.Resource(resource).Namespace(namespace.Name).DeleteCollection(ctx, at, metav1.ListOptions{}); err != nil {
				return err
			}
		}
		namespace.Spec.Finalizers = nil
		if _, err := c.client.CoreV1().Namespaces().Finalize(ctx, &namespace, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	return nil
}
