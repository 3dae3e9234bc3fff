package conformance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"sigs.k8s.io/controller-runtime/pkg/client"
	pb "sigs.k8s.io/gateway-api/conformance/echo-basic/grpcechoserver"
	"sigs.k8s.io/gateway-api/conformance/utils/grpc"
	"sigs.k8s.io/gateway-api/conformance/utils/roundtripper"
)

// dataPlane answers the requests of the suite with what `portcullis explain` says that a client gets. It implements the HTTP client and the
// gRPC client of the suite, so these requests open no connection.
type dataPlane struct {
	explain   *explainer
	cluster   client.Client
	addresses *addressBook
	logs      *podLogs
	mutex     sync.Mutex
	sockets   map[string]bool
}

var errClosed = errors.New("EOF: the connection is closed")

// CaptureRoundTrip sends an HTTP request.
func (d *dataPlane) CaptureRoundTrip(request roundtripper.Request) (*roundtripper.CapturedRequest, *roundtripper.CapturedResponse, error) {
	host := request.Host
	if host == "" {
		host = request.URL.Host
	}
	arguments, err := d.entrance(request.URL.Host, request.URL.Scheme)
	if err != nil {
		return nil, nil, err
	}
	if request.ServerName != "" && request.URL.Scheme == "https" {
		arguments = append(arguments, "--sni", request.ServerName)
	}
	headers := map[string]string{"host": host}
	for name, values := range request.Headers {
		headers[name] = values[0]
	}
	method := request.Method
	if method == "" {
		method = http.MethodGet
	}
	target := url.URL{Scheme: request.URL.Scheme, Host: hostname(host), Path: request.URL.Path, RawQuery: request.URL.RawQuery}
	found, err := d.explain.outcome(append(append(arguments, headerArguments(headers)...), method, target.String())...)
	if err != nil {
		return nil, nil, err
	}
	received := &roundtripper.CapturedRequest{Method: method, Host: host}
	response := &roundtripper.CapturedResponse{StatusCode: found.Code, Protocol: "HTTP/1.1", Headers: http.Header{}}
	if request.Protocol == roundtripper.H2CPriorKnowledgeProtocol || request.Protocol == roundtripper.H2Protocol {
		response.Protocol = "HTTP/2.0"
	}
	switch found.Kind {
	case "redirect":
		response.RedirectRequest, err = redirect(found.Location)
	case "backends":
		err = d.forward(found, request, received, response)
	default:
		for _, header := range found.Headers {
			http.Header(response.Headers).Set(header.Name, header.Value)
		}
		if found.Kind == "none" && len(found.Reached) == 0 {
			response.StatusCode = http.StatusNotFound // No listener has the host.
		} else if found.Code == 0 {
			err = errClosed
		}
	}
	return received, response, err
}

// forward lets a backend answer, and copies the request to those that get copies.
func (d *dataPlane) forward(
	found *outcome, request roundtripper.Request, received *roundtripper.CapturedRequest, response *roundtripper.CapturedResponse,
) error {
	received.Path = found.Request.Path
	// In answers of explain, a host has no port.
	if found.Request.Host != hostname(received.Host) {
		received.Host = found.Request.Host
	}
	if query := request.URL.RawQuery; query != "" {
		received.Path += "?" + query
	}
	headers := http.Header{}
	for _, header := range found.Request.Headers {
		headers.Set(header.Name, header.Value)
	}
	received.Headers = headers
	for _, mirror := range found.Mirrors {
		if rand.Float64() < mirror.Share {
			if pod, _, err := d.pod(&mirror); err == nil {
				d.logs.add(mirror.Namespace+"/"+pod, fmt.Sprintf("Echoing back request made to %s to client (10.0.0.1:1)", received.Path))
			}
		}
	}
	chosen := found.choose()
	if chosen == nil || !chosen.Answers {
		response.StatusCode = http.StatusInternalServerError
		if chosen != nil && chosen.Code != 0 {
			response.StatusCode = chosen.Code
		}
		return nil
	}
	// The backends of the suite answer after as long as the client asks them to.
	delay, _ := time.ParseDuration(request.URL.Query().Get("delay"))
	if timeout := found.timeout(); timeout > 0 && delay > timeout {
		response.StatusCode = http.StatusGatewayTimeout
		return nil
	}
	var err error
	received.Namespace = chosen.Namespace
	if received.Pod, received.HTTPPort, err = d.pod(chosen); err != nil {
		return err
	}
	chosen.RequestHeaders.apply(headers)
	response.StatusCode = http.StatusOK
	// They also set the headers that the client asks them to set, such as `a:1,b:2`.
	for _, header := range strings.Split(strings.Join(request.Headers["X-Echo-Set-Header"], ","), ",") {
		if name, value, isPair := strings.Cut(header, ":"); isPair {
			http.Header(response.Headers).Add(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
	found.ResponseHeaders.apply(response.Headers)
	chosen.ResponseHeaders.apply(response.Headers)
	return nil
}

func redirect(location string) (*roundtripper.RedirectRequest, error) {
	target, err := url.Parse(location)
	if err != nil {
		return nil, err
	}
	return &roundtripper.RedirectRequest{Scheme: target.Scheme, Host: target.Hostname(), Port: target.Port(), Path: target.Path}, nil
}

// SendRPC calls a gRPC method.
func (d *dataPlane) SendRPC(_ *testing.T, address string, expected grpc.ExpectedResponse, _ time.Duration) (*grpc.Response, error) {
	method := "EchoThree"
	switch {
	case expected.EchoRequest != nil:
		method = "Echo"
	case expected.EchoTwoRequest != nil:
		method = "EchoTwo"
	}
	path := "/gateway_api_conformance.echo_basic.grpcecho.GrpcEcho/" + method
	headers := map[string]string{"host": address, "content-type": "application/grpc"}
	if request := expected.RequestMetadata; request != nil {
		for name, value := range request.Metadata {
			headers[name] = value
		}
		if request.Authority != "" {
			headers["host"] = request.Authority
		}
	}
	response := &grpc.Response{Headers: &metadata.MD{}, Trailers: &metadata.MD{}}
	arguments, err := d.entrance(address, "http")
	if err != nil {
		return response, err
	}
	target := url.URL{Scheme: "http", Host: hostname(headers["host"]), Path: path}
	found, err := d.explain.outcome(append(append(arguments, headerArguments(headers)...), http.MethodPost, target.String())...)
	if err != nil {
		return response, err
	}
	chosen := found.choose()
	switch {
	case found.Kind == "none":
		response.Code = codes.Unimplemented // the gRPC code of a 404
		return response, nil
	case chosen == nil || !chosen.Answers:
		response.Code = codes.Unavailable
		return response, nil
	}
	pod, _, err := d.pod(chosen)
	response.Response = &pb.EchoResponse{Assertions: &pb.Assertions{
		FullyQualifiedMethod: path, Context: &pb.Context{Namespace: chosen.Namespace, Pod: pod},
	}}
	return response, err
}

// Close has nothing to close.
func (d *dataPlane) Close() {}

// entrance are the arguments of explain for the Gateway and the port of an address.
func (d *dataPlane) entrance(address, scheme string) ([]string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		host, port = address, map[string]string{"http": "80", "https": "443"}[scheme]
	}
	gateway, err := d.addresses.gateway(host)
	return []string{"--gateway", gateway, "--port", port}, err
}

// headerArguments are the arguments of explain for headers. The header that makes each request unique would make each answer unique, too.
func headerArguments(headers map[string]string) []string {
	var pairs []string
	for name, value := range headers {
		if !strings.EqualFold(name, "X-Jitter") {
			pairs = append(pairs, "--header="+strings.ToLower(name)+"="+value)
		}
	}
	slices.Sort(pairs)
	return pairs
}

// hostname is a host without its port.
func hostname(host string) string { return (&url.URL{Host: host}).Hostname() }
