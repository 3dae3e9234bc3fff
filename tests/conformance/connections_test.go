package conformance

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/gateway-api/conformance/echo-basic/tcpserver"
	"sigs.k8s.io/gateway-api/conformance/utils/suite"
)

// listen opens the ports of a Gateway for TCP and TLS, to which the suite connects. They stay open until the process ends.
func (d *dataPlane) listen(gateway, address string, listeners []any) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, listener := range listeners {
		listener := listener.(map[string]any)
		protocol, port := fmt.Sprint(listener["protocol"]), fmt.Sprint(listener["port"])
		at := net.JoinHostPort(address, port)
		if protocol != "TCP" && protocol != "TLS" || d.sockets[at] {
			continue
		}
		d.sockets[at] = true
		socket, err := net.Listen("tcp", at)
		if err != nil {
			fmt.Println(err)
			continue
		}
		go func() {
			for {
				connection, err := socket.Accept()
				if err != nil {
					return
				}
				go func() {
					defer connection.Close()
					arguments := []string{"--gateway", gateway, "--port", port}
					if protocol == "TLS" {
						d.serveTLS(connection, arguments)
					} else if chosen := d.reached(append(arguments, "http://"+at+"/")); chosen != nil {
						d.echo(connection, chosen, nil)
					}
				}()
			}
		}()
	}
}

// reached is the backend that a connection reaches; nil if it is closed.
func (d *dataPlane) reached(arguments []string) *backend {
	found, err := d.explain.outcome(arguments...)
	if err != nil {
		return nil
	}
	if chosen := found.choose(); chosen != nil && chosen.Answers {
		return chosen
	}
	return nil
}

// serveTLS closes the connection unless explain finds a backend for the server name. The handshake is the same whether the listener ends TLS
// or passes it through: one of two certificates is for the server name.
func (d *dataPlane) serveTLS(connection net.Conn, arguments []string) {
	var chosen *backend
	handshake := func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		if chosen = d.reached(append(arguments, "--sni", hello.ServerName, "https://"+hello.ServerName+"/")); chosen == nil {
			connection.Close()
			return nil, errClosed
		}
		certificates, err := d.certificates()
		return &tls.Config{Certificates: certificates}, err
	}
	secured := tls.Server(connection, &tls.Config{GetConfigForClient: handshake})
	if secured.Handshake() == nil {
		state := secured.ConnectionState()
		d.echo(secured, chosen, &state)
	}
}

func (d *dataPlane) certificates() ([]tls.Certificate, error) {
	var all []tls.Certificate
	for _, name := range []string{"tls-passthrough-checks-certificate", "tls-terminate-checks-certificate"} {
		secret := &corev1.Secret{}
		key := client.ObjectKey{Namespace: suite.InfrastructureNamespace, Name: name}
		if err := d.cluster.Get(context.Background(), key, secret); err != nil {
			return nil, err
		}
		certificate, err := tls.X509KeyPair(secret.Data[corev1.TLSCertKey], secret.Data[corev1.TLSPrivateKeyKey])
		if err != nil {
			return nil, err
		}
		all = append(all, certificate)
	}
	return all, nil
}

// echo answers as the TCP backend of the suite does, which has TLS on port 8443.
func (d *dataPlane) echo(connection net.Conn, chosen *backend, state *tls.ConnectionState) {
	pod, port, err := d.pod(chosen)
	if err != nil {
		return
	}
	answer := tcpserver.TCPAssertions{
		Context: tcpserver.Context{Namespace: chosen.Namespace, Service: chosen.Service, Pod: pod},
		IsTLS:   state != nil && port == "8443",
	}
	if answer.IsTLS {
		answer.TLSAssertion = &tcpserver.TLSAssertions{
			ServerName: state.ServerName, NegotiatedProtocol: tls.VersionName(state.Version),
		}
	}
	text, _ := json.Marshal(answer)
	replies := map[string]string{"PING": "PONG", "IS_TLS": fmt.Sprint(answer.IsTLS), "TEST": string(text)}
	fmt.Fprint(connection, tcpserver.WelcomeMessage)
	for lines := bufio.NewScanner(connection); lines.Scan(); {
		fmt.Fprintln(connection, replies[lines.Text()])
	}
}

// pod is a pod of a Service, with the port of the container: one that the Service selects, or one of its EndpointSlices.
func (d *dataPlane) pod(chosen *backend) (name, port string, err error) {
	ctx, namespace := context.Background(), client.InNamespace(chosen.Namespace)
	service := &corev1.Service{}
	if err := d.cluster.Get(ctx, client.ObjectKey{Namespace: chosen.Namespace, Name: chosen.Service}, service); err != nil {
		return "", "", err
	}
	for _, known := range service.Spec.Ports {
		if int(known.Port) == chosen.Port {
			port = known.TargetPort.String()
		}
	}
	slices := &discoveryv1.EndpointSliceList{}
	if err := d.cluster.List(ctx, slices, namespace, client.MatchingLabels{discoveryv1.LabelServiceName: service.Name}); err != nil {
		return "", "", err
	}
	endpoints := map[string]bool{}
	for _, slice := range slices.Items {
		for _, endpoint := range slice.Endpoints {
			endpoints[strings.Join(endpoint.Addresses, "")] = true
		}
	}
	pods := &corev1.PodList{}
	if err := d.cluster.List(ctx, pods, namespace, client.MatchingLabels(service.Spec.Selector)); err != nil {
		return "", "", err
	}
	for _, pod := range pods.Items {
		if len(service.Spec.Selector) > 0 || endpoints[pod.Status.PodIP] {
			return pod.Name, port, nil
		}
	}
	return "", "", fmt.Errorf("Service %s/%s has no pod", chosen.Namespace, chosen.Service)
}
