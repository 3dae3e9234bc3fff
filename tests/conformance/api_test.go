package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var (
	gatewayAPIPath = regexp.MustCompile(`^/apis/gateway\.networking\.k8s\.io/`)
	logPath        = regexp.MustCompile(`^/api/v1/namespaces/([^/]+)/pods/([^/]+)/log$`)
)

// apiTransport is between the suite and the API server. It gives each Gateway an address of its own, answers requests for the logs of
// pods, and replaces statuses by those that `portcullis status` computes if there are any.
type apiTransport struct {
	next     http.RoundTripper
	plane    *dataPlane
	statuses *computedStatuses
}

func (t *apiTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if found := logPath.FindStringSubmatch(request.URL.Path); found != nil {
		lines := t.plane.logs.of(found[1] + "/" + found[2])
		return &http.Response{
			StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1, Request: request, Header: http.Header{},
			Body: io.NopCloser(strings.NewReader(lines)),
		}, nil
	}
	response, err := t.next.RoundTrip(request)
	isRead := err == nil && request.Method == http.MethodGet && response.StatusCode == http.StatusOK
	if !isRead || !gatewayAPIPath.MatchString(request.URL.Path) {
		return response, err
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		return nil, err
	}
	if body, err = t.changed(body); err != nil {
		return nil, err
	}
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	response.Header.Del("Content-Length")
	return response, nil
}

// changed is an object, or a list of objects, as the suite reads it.
func (t *apiTransport) changed(body []byte) ([]byte, error) {
	var read unstructured.Unstructured
	if err := json.Unmarshal(body, &read.Object); err != nil {
		return nil, err
	}
	objects := []map[string]any{read.Object}
	kind := read.GetKind()
	if read.IsList() {
		objects = nil
		kind = strings.TrimSuffix(kind, "List")
		for _, item := range read.Object["items"].([]any) {
			objects = append(objects, item.(map[string]any))
		}
	}
	for _, object := range objects {
		if err := t.change(kind, &unstructured.Unstructured{Object: object}); err != nil {
			return nil, err
		}
	}
	return json.Marshal(read.Object)
}

func (t *apiTransport) change(kind string, object *unstructured.Unstructured) error {
	if t.statuses != nil {
		status, err := t.statuses.of(kind, object.GetNamespace(), object.GetName())
		if err != nil {
			return err
		}
		if status != nil {
			object.Object["status"] = status
		}
	}
	if kind != "Gateway" {
		return nil
	}
	requested, _, _ := unstructured.NestedSlice(object.Object, "spec", "addresses")
	written, _, _ := unstructured.NestedSlice(object.Object, "status", "addresses")
	if len(requested) > 0 || len(written) == 0 {
		return nil
	}
	name := object.GetNamespace() + "/" + object.GetName()
	address := t.plane.addresses.of(name)
	listeners, _, _ := unstructured.NestedSlice(object.Object, "spec", "listeners")
	t.plane.listen(name, address, listeners)
	return unstructured.SetNestedSlice(object.Object, []any{map[string]any{"type": "IPAddress", "value": address}}, "status", "addresses")
}

// addressBook has an address for each Gateway. Portcullis gives all Gateways the addresses of the published Service, but the suite names
// the Gateway of a request only by its address.
type addressBook struct {
	mutex    sync.Mutex
	gateways []string
}

// of is the address of a Gateway, `namespace/name`.
func (b *addressBook) of(gateway string) string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	for index, known := range b.gateways {
		if known == gateway {
			return address(index)
		}
	}
	b.gateways = append(b.gateways, gateway)
	return address(len(b.gateways) - 1)
}

// gateway is the Gateway that has the address.
func (b *addressBook) gateway(wanted string) (string, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	for index, known := range b.gateways {
		if address(index) == wanted {
			return known, nil
		}
	}
	return "", fmt.Errorf("no Gateway has the address %s", wanted)
}

func address(index int) string { return fmt.Sprintf("127.77.%d.%d", index/250, index%250+1) }

// podLogs are the logs of the pods, which contain the mirrored requests.
type podLogs struct {
	mutex sync.Mutex
	logs  map[string]string
}

func (l *podLogs) of(pod string) string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.logs[pod]
}

func (l *podLogs) add(pod, line string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.logs == nil {
		l.logs = map[string]string{}
	}
	l.logs[pod] += line + "\n"
}
