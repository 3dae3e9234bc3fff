package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// dumpAge is how old the objects may be for which statuses are computed. The suite asks again until a status is as expected.
const dumpAge = 150 * time.Millisecond

// computedStatuses are the statuses that `portcullis status` computes for all objects of the cluster. The controller never reads the
// Secrets and ConfigMaps of a cluster, but the command reads those in files.
type computedStatuses struct {
	dynamic  dynamic.Interface
	file     string
	mutex    sync.Mutex
	computed time.Time
	statuses map[string]map[string]any
}

func newComputedStatuses(t *testing.T, config *rest.Config) *computedStatuses {
	dynamic, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	return &computedStatuses{dynamic: dynamic, file: filepath.Join(t.TempDir(), "cluster.json")}
}

// of is the status of an object, or nil if Portcullis computes none.
func (c *computedStatuses) of(kind, namespace, name string) (map[string]any, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if time.Since(c.computed) > dumpAge {
		if err := c.compute(); err != nil {
			return nil, err
		}
		c.computed = time.Now()
	}
	return runtime.DeepCopyJSON(c.statuses[kind+"/"+namespace+"/"+name]), nil
}

func (c *computedStatuses) compute() error {
	if err := c.dump(); err != nil {
		return err
	}
	output, err := exec.Command(*program, "status", "--complete", "--objects", c.file, "--config", *config, "--output", "json").Output()
	if err != nil {
		return fmt.Errorf("portcullis status: %w", withStderr(err))
	}
	var all []struct {
		Ref    string
		Status map[string]any
	}
	if err := json.Unmarshal(output, &all); err != nil {
		return err
	}
	c.statuses = map[string]map[string]any{}
	for _, one := range all {
		c.statuses[one.Ref] = one.Status
	}
	return nil
}

// dump writes the objects of the cluster into the file.
func (c *computedStatuses) dump() error {
	clusterScoped := append(gatewayResources("gatewayclasses"), schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
	items := []any{}
	for _, resource := range append(clusterScoped, resources...) {
		list, err := c.dynamic.Resource(resource).List(context.Background(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, item := range list.Items {
			items = append(items, item.Object)
		}
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		return err
	}
	return os.WriteFile(c.file, text, 0o600)
}

// withStderr adds what a program printed as errors.
func withStderr(err error) error {
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return fmt.Errorf("%w: %s", err, failed.Stderr)
	}
	return err
}
