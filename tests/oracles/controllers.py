"""The controllers whose answers are recorded, as they are installed for each part of the worlds."""

import os
import subprocess
from dataclasses import dataclass

from priorities import PREFIX

XDS_PORT = 8001
INGRESS, GATEWAY, CONTOUR = "networking.k8s.io/v1", "gateway.networking.k8s.io/v1", "projectcontour.io/v1"
# The kinds of the worlds, in the order of a recording.
KINDS = (("Ingress", INGRESS), ("HTTPRoute", GATEWAY), ("ReferenceGrant", "gateway.networking.k8s.io/v1beta1"))


@dataclass(frozen=True)
class Installation:
    """A controller with one configuration, and the worlds that it serves."""

    ingress_class: str
    ingress_controller: str
    # The name and the namespace of the Gateway, and the controller of its class.
    gateway: dict
    gateway_controller: str
    # The kinds of worlds: family, variant of the Gateway, whether a world serves every host, the share of the requests, and the number of
    # worlds in a batch.
    worlds: tuple
    # The number of the first world.
    first: int
    # The kinds with which a recording tests that everything before is served: one for each source of the controller.
    probes: tuple
    has_proxies: bool = False
    # Annotations that an Ingress may have, with their values.
    annotations: tuple = ()

    @property
    def has_gateway(self):
        return any(variant for _, variant, *_ in self.worlds)


def each(key, *values):
    """An annotation with each of its values."""
    return tuple((key, value) for value in values)


class Contour:
    """Contour with Envoy."""

    name = "Contour"
    kinds = (KINDS[0], ("HTTPProxy", CONTOUR), *KINDS[1:])
    # The port on which the proxy listens for port 80 of the Gateway.
    first_port = 8080
    programs = ("contour", "envoy")

    def __init__(self, contour, envoy):
        self.contour, self.envoy = contour, envoy
        common = {
            "ingress_class": "contour", "ingress_controller": "projectcontour.io/ingress-controller",
            "gateway": {"name": "contour", "namespace": "projectcontour"}, "gateway_controller": "projectcontour.io/gateway-controller",
            "has_proxies": True, "annotations": each("ingress.kubernetes.io/force-ssl-redirect", "true", "false"),
        }
        plain = (("ingress", None, False, 15, 40), ("proxy", None, False, 30, 40), ("mixed", None, False, 3, 40), ("ingress", None, True, 1, 1))
        with_gateway = (
            ("route", "one", False, 27, 40), ("route", "ports", False, 8, 40), ("route", "listeners", False, 9, 16), ("mixed", "one", False, 4, 40),
            ("route", "one", True, 2, 1), ("mixed", "one", True, 1, 1),
        )
        self.installations = (
            Installation(worlds=plain, first=1, probes=("HTTPProxy",), **common),
            Installation(worlds=with_gateway, first=100_001, probes=("HTTPRoute",), **common),
        )

    def start(self, servers, installation):
        """Starts Contour, which serves the Gateway if the worlds have one, and Envoy."""
        settings = {"gateway": {"gatewayRef": installation.gateway}} if installation.has_gateway else {}
        config, bootstrap, admin = (servers.folder / name for name in ("contour.json", "envoy.json", "admin.sock"))
        servers.write(config, settings)
        admin.unlink(missing_ok=True)
        local = "127.0.0.1"
        xds = [f"--xds-address={local}", f"--xds-port={XDS_PORT}"]
        servers.start(
            "contour", self.contour, "serve", f"--kubeconfig={servers.kubeconfig}", *xds, "--insecure", "--disable-leader-election",
            f"--envoy-service-http-address={local}", "--envoy-service-http-port=8080", f"--envoy-service-https-address={local}",
            "--envoy-service-https-port=8443", f"--stats-address={local}", f"--http-address={local}", f"--health-address={local}",
            f"--debug-http-address={local}", f"--config-path={config}",
            # Statuses are written in time for their batch.
            "--kubernetes-client-qps=1000", "--kubernetes-client-burst=2000",
        )
        options = [f"--admin-address={admin}", "--dns-lookup-family=v4"]
        with open(servers.logs / "bootstrap.log", "a", encoding="utf-8") as log:
            subprocess.run([self.contour, "bootstrap", *xds, *options, bootstrap], check=True, stdout=log, stderr=log)
        node = ["--service-cluster", "contour", "--service-node", "oracles", "--concurrency", "1", "--log-level", "warn"]
        servers.start("envoy", self.envoy, "-c", bootstrap, *node)


class Traefik:
    """Traefik with its providers for Ingresses, for the Gateway API, and for Ingresses of ingress-nginx."""

    name = "Traefik"
    kinds = KINDS
    # An entry point serves the listeners with its own port.
    first_port = 80
    programs = ("traefik",)

    def __init__(self, traefik):
        self.traefik = traefik
        gateway = {"gateway": {"name": "traefik", "namespace": "traefik"}, "gateway_controller": "traefik.io/gateway-controller"}
        own = {
            **gateway, "ingress_class": "traefik", "ingress_controller": "traefik.io/ingress-controller",
            "annotations": each(f"{PREFIX}priority", "1", "30", "1000") + each(f"{PREFIX}pathmatcher", "PathRegexp", "Path"),
        }
        nginx = {
            **gateway, "ingress_class": "nginx", "ingress_controller": "k8s.io/ingress-nginx",
            "annotations": each("nginx.ingress.kubernetes.io/use-regex", "true", "false")
            + each("nginx.ingress.kubernetes.io/rewrite-target", "/new", "/new/$1") + each("nginx.ingress.kubernetes.io/app-root", "/start"),
        }
        with_gateway = (
            ("route", "one", False, 34, 40), ("route", "ports", False, 6, 40), ("route", "listeners", False, 8, 16), ("mixed", "one", False, 4, 40),
            ("route", "one", True, 1, 1),
        )
        self.installations = (
            Installation(worlds=(("ingress", None, False, 30, 40), ("ingress", None, True, 2, 1)), first=200_001, probes=("Ingress",), **own),
            Installation(worlds=with_gateway, first=300_001, probes=("Ingress", "HTTPRoute"), **own),
            Installation(worlds=(("ingress", None, False, 15, 40),), first=400_001, probes=("Ingress",), **nginx),
        )

    def start(self, servers, installation):
        """Starts Traefik with the providers for an installation."""
        providers = ["kubernetesIngressNGINX" if installation.ingress_class == "nginx" else "kubernetesIngress"]
        if installation.has_gateway:
            providers.append("kubernetesGateway")
        options = [part for name in providers for part in (f"--providers.{name}=true", f"--providers.{name}.throttleDuration=100ms")]
        servers.start(
            "traefik", self.traefik, "--entryPoints.http.address=:80", "--entryPoints.other.address=:81", "--log.level=WARN", *options,
            "--providers.providersThrottleDuration=100ms", "--global.checkNewVersion=false", "--global.sendAnonymousUsage=false",
            environment={**os.environ, "KUBECONFIG": str(servers.kubeconfig)},
        )
