"""Records what a controller and its proxy answer to generated requests, in the form of tests/recorded/contour.json.gz.

Runs in a network namespace of its own, which run.sh makes. Every world has a domain of its own, so that a batch of worlds is applied at once.
"""

import argparse
import base64
import gzip
import json
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import worlds
from controllers import CONTOUR, GATEWAY, INGRESS, Contour, Traefik
from servers import BACKEND_PORT, Servers, complaints, recorded, send, start_backends

REQUESTS_OF_WORLD = 40


def named(kind, api, name, namespace=None, **more):
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **more}


def services():
    """The Services of every namespace with their endpoints, and which Service has which address."""
    made, addresses = [], {}
    for namespace in (*worlds.NAMESPACES, "oracles"):
        for name in worlds.SERVICES:
            address = f"10.200.1.{len(addresses) + 1}"
            addresses[address] = f"{namespace}/{name}"
            port = {"name": "http", "port": 80, "targetPort": BACKEND_PORT, "protocol": "TCP"}
            made.append(named("Service", "v1", name, namespace, spec={"ports": [port]}))
            slice_ = named("EndpointSlice", "discovery.k8s.io/v1", name, namespace, addressType="IPv4")
            slice_["metadata"]["labels"] = {"kubernetes.io/service-name": name}
            slice_["ports"] = [{"name": "http", "port": BACKEND_PORT, "protocol": "TCP"}]
            slice_["endpoints"] = [{"addresses": [address], "conditions": {"ready": True}}]
            made.append(slice_)
    return made, addresses


def gateway(installation, batch, variant):
    """The Gateway of a batch."""
    everyone = {"namespaces": {"from": "All"}}
    listeners = [{"name": "http", "port": 80, "protocol": "HTTP", "allowedRoutes": everyone}]
    if variant == "ports":
        listeners.append({"name": "other", "port": 81, "protocol": "HTTP", "allowedRoutes": everyone})
    if variant == "listeners":
        listeners[0]["hostname"] = "*.sync.test"
        listeners += [listener for world in batch for listener in worlds.listeners(world)]
    spec = {"gatewayClassName": installation.gateway["name"], "listeners": listeners}
    return named("Gateway", GATEWAY, **installation.gateway, spec=spec)


def probe(kind, installation, host):
    """An object with one rule for a host."""
    rule = {"backendRefs": [{"name": "s0", "port": 80}]}
    path = {"path": "/", "pathType": "Prefix", "backend": {"service": {"name": "s0", "port": {"number": 80}}}}
    match kind:
        case "Ingress":
            spec = {"ingressClassName": installation.ingress_class, "rules": [{"host": host, "http": {"paths": [path]}}]}
            return named(kind, INGRESS, "sync", "oracles", spec=spec)
        case "HTTPRoute":
            return named(kind, GATEWAY, "sync", "oracles", spec={"parentRefs": [installation.gateway], "hostnames": [host], "rules": [rule]})
        case "HTTPProxy":
            spec = {"virtualhost": {"fqdn": host}, "routes": [{"services": [{"name": "s0", "port": 80}]}]}
            return named(kind, CONTOUR, "sync", "oracles", spec=spec)


class Recorder:
    def __init__(self, api, servers, controller, seed):
        self.api, self.servers, self.controller, self.seed = api, servers, controller, seed
        self.pool = ThreadPoolExecutor(12)
        self.batches, self.refused, self.worlds = 0, {}, []
        self.services, self.addresses = services()

    def prepare(self):
        # A CRD is served a moment after it is established.
        kinds = (*self.controller.kinds, ("GatewayClass", GATEWAY), ("Gateway", GATEWAY))
        served = lambda: all(self.api.call("GET", self.api.path(*kind))[0] == 200 for kind in kinds)
        self.servers.wait("the API server serves the CRDs", 60, served)
        gateways = {installation.gateway["namespace"] for installation in self.controller.installations}
        namespaces = [named("Namespace", "v1", name) for name in (*gateways, "oracles", *worlds.NAMESPACES)]
        namespaces[-1]["metadata"]["labels"] = {"team": "yes"}
        for made in namespaces:
            self.api.replace(made)
        list(self.pool.map(self.api.replace, self.services))
        for installation in self.controller.installations:
            controller = {"controller": installation.ingress_controller}
            self.api.replace(named("IngressClass", INGRESS, installation.ingress_class, spec=controller))
            controller = {"controllerName": installation.gateway_controller}
            self.api.replace(named("GatewayClass", GATEWAY, installation.gateway["name"], spec=controller))
            self.api.replace(gateway(installation, [], "one"))

    def synchronize(self, installation):
        """Waits until the proxy serves what was applied before."""
        self.batches += 1
        for kind in installation.probes:
            host = f"n{self.batches}.{kind.lower()}.sync.test"
            self.api.replace(probe(kind, installation, host))
            request = {"method": "GET", "host": host, "path": "/"}
            self.servers.wait(f"the proxy serves {host}", 60, lambda: self.send([request])[0][0] == 200)
        # Envoy gets routes, clusters and endpoints one after the other.
        time.sleep(0.7)

    def send(self, requests):
        return send(requests, self.controller.first_port)

    def create(self, made):
        refused = self.api.create(made)
        if refused:
            reason = refused.split(": ", 1)[-1][:160]
            self.refused[reason] = self.refused.get(reason, 0) + 1

    def apply(self, batch):
        """Creates the objects of worlds in waves, so that their ages differ."""
        for wave in range(3):
            objects = [made for world in batch for number, made in world.objects if number == wave]
            list(self.pool.map(self.create, objects))
            if wave < 2 and objects:
                # Ages are whole seconds.
                time.sleep(1.05)

    def remove(self):
        for kind, api in self.controller.kinds:
            for namespace in worlds.NAMESPACES:
                self.api.call("DELETE", self.api.path(kind, api, namespace))

    def objects(self, installation, batch):
        """The objects of each world as the API server returns them, and what the controller complains about."""
        base = self.api.all("IngressClass", INGRESS)
        if installation.has_gateway:
            base += [one for one in self.api.all("Namespace", "v1") if one["metadata"]["name"] in worlds.NAMESPACES]
            base += self.api.all("GatewayClass", GATEWAY) + self.api.all("Gateway", GATEWAY)
        made = [one for kind, api in self.controller.kinds for one in self.api.all(kind, api)]
        all_services = [one for one in self.api.all("Service", "v1") if one["metadata"]["namespace"] in worlds.NAMESPACES]
        for world in batch:
            own = [one for one in made if one["metadata"]["name"].startswith(f"{world.name}-")]
            text = json.dumps([one["spec"] for one in own])
            used = [one for one in all_services if f'"{one["metadata"]["name"]}"' in text]
            # A ReferenceGrant is for the routes of a namespace, those of other worlds too.
            own += [one for one in made if one["kind"] == "ReferenceGrant" and one not in own]
            said = {f"{one['kind']}/{one['metadata']['namespace']}/{one['metadata']['name']}": sorted(set(complaints(one))) for one in own}
            entry = {"name": "", "gateway": installation.has_gateway, "class": installation.ingress_class}
            entry["objects"] = [recorded(one) for one in base + used + own]
            yield world.name, {**entry, "complaints": {name: those for name, those in said.items() if those}, "requests": []}

    def record(self, installation, batch, variant, count):
        """Applies a batch of worlds and records the answers."""
        begin = time.monotonic()
        if variant:
            self.api.replace(gateway(installation, batch, variant))
        self.apply(batch)
        self.synchronize(installation)
        asked = [(world, request) for world in batch for request in worlds.requests(self.seed, world, count)]
        answers = self.send([request for _, request in asked])
        # A second answer of those that may have been too early.
        early = [index for index, (status, _) in enumerate(answers) if status in (0, 404, 503)]
        time.sleep(0.2)
        unstable = 0
        for index, again in zip(early, self.send([asked[index][1] for index in early])):
            unstable += answers[index][0] != again[0]
            answers[index] = again
        found = dict(self.objects(installation, batch))
        for (world, request), (status, headers) in zip(asked, answers):
            entry = {**request, "status": status}
            if "location" in headers:
                entry["location"] = headers["location"]
            if "x-address" in headers:
                entry["service"] = self.addresses[headers["x-address"]]
                entry["sent"] = base64.b64decode(headers["x-target"]).decode("latin-1")
            found[world.name]["requests"].append(entry)
        for world in batch:
            kind = "-".join(part for part in (world.family, variant, "alone" if world.alone else "", world.name) if part)
            self.worlds.append({**found[world.name], "name": kind})
        self.remove()
        objects = sum(len(world.objects) for world in batch)
        print(
            f"{time.strftime('%X')} {batch[0].family} {variant or 'plain'}: {len(batch)} worlds, {objects} objects, {len(asked)} requests, "
            f"{unstable} answered differently a second time, {time.monotonic() - begin:.1f} s", flush=True,
        )


def batches(seed, installation, total):
    """The batches for so many requests: worlds, and the variant of the Gateway."""
    number = installation.first
    for family, variant, alone, share, size in installation.worlds:
        wanted = max(1, round(total * share / 100 / REQUESTS_OF_WORLD))
        while wanted:
            now = min(wanted, size)
            yield [worlds.world(seed, number + index, installation, family, variant, alone) for index in range(now)], variant
            number, wanted = number + now, wanted - now


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("programs", "logs", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    for name in ("contour", "envoy"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--traefik", type=Path, help="record Traefik instead of Contour and Envoy")
    parser.add_argument("--crd", type=Path, action="append", required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--requests", type=int, required=True)
    given = parser.parse_args()
    controller = Traefik(given.traefik) if given.traefik else Contour(given.contour, given.envoy)
    start_backends()
    with tempfile.TemporaryDirectory() as folder:
        servers = Servers(folder, given.logs)
        try:
            api = servers.control_plane(given.programs, given.crd)
            recorder = Recorder(api, servers, controller, given.seed)
            recorder.prepare()
            for installation in controller.installations:
                controller.start(servers, installation)
                recorder.synchronize(installation)
                for batch, variant in batches(given.seed, installation, given.requests):
                    recorder.record(installation, batch, variant, REQUESTS_OF_WORLD)
                servers.stop(*controller.programs)
        finally:
            servers.stop()
    for reason, count in sorted(recorder.refused.items(), key=lambda one: -one[1]):
        print(f"refused by the API server: {count} times {reason}")
    text = json.dumps({"controller": controller.name, "seed": given.seed, "worlds": recorder.worlds}, separators=(",", ":"))
    given.out.write_bytes(gzip.compress(text.encode(), 6))


if __name__ == "__main__":
    main()
