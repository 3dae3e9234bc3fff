// Package conformance runs the conformance suite of the Gateway API. Portcullis writes the statuses, and `portcullis explain` answers
// requests in place of a data plane.
package conformance

import (
	"flag"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/gateway-api/conformance"
	"sigs.k8s.io/gateway-api/pkg/features"
)

var (
	program = flag.String("portcullis", "portcullis", "the program")
	config  = flag.String("portcullis-config", "", "its configuration")
	offline = flag.Bool("offline", false, "compute statuses with `portcullis status` from files that include Secrets and ConfigMaps")
)

func TestConformance(t *testing.T) {
	options := conformance.DefaultOptions(t)
	options.RestConfig.QPS, options.RestConfig.Burst = 500, 1000
	direct := rest.CopyConfig(options.RestConfig)
	scheme := options.Client.Scheme()
	cluster, err := client.New(direct, client.Options{Scheme: scheme})
	require.NoError(t, err)
	runControllers(t, direct)

	plane := &dataPlane{
		explain:   &explainer{kubeconfig: os.Getenv("KUBECONFIG"), answers: map[string]*cachedAnswer{}, slots: make(chan struct{}, 3)},
		cluster:   cluster,
		addresses: &addressBook{},
		logs:      &podLogs{},
		sockets:   map[string]bool{},
	}
	var statuses *computedStatuses
	if *offline {
		statuses = newComputedStatuses(t, direct)
	}
	options.RestConfig.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return &apiTransport{next: next, plane: plane, statuses: statuses}
	})
	options.Client, err = client.New(options.RestConfig, client.Options{Scheme: scheme})
	require.NoError(t, err)
	options.RoundTripper, options.GRPCClient = plane, plane

	for _, feature := range features.AllFeatures.UnsortedList() {
		if strings.HasPrefix(string(feature.Name), "Mesh") {
			options.ExemptFeatures = append(options.ExemptFeatures, feature.Name)
		}
	}
	conformance.RunConformanceWithOptions(t, options)
}
