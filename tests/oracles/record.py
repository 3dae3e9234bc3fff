"""Records what Contour and Envoy answer to generated requests, in the form of tests/recorded/contour.json.gz.

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
from servers import BACKEND_PORT, Servers, complaints, recorded, send, start_backends

REQUESTS_OF_WORLD = 40
GATEWAY, CONTOUR, INGRESS = worlds.GATEWAY_API, worlds.CONTOUR_API, "networking.k8s.io/v1"
# The kinds of worlds, with the share of the requests, and the number of worlds in a batch.
PLAIN = (("ingress", None, False, 15, 40), ("proxy", None, False, 30, 40), ("mixed", None, False, 3, 40), ("ingress", None, True, 1, 1))
WITH_GATEWAY = (
    ("route", "one", False, 27, 40), ("route", "ports", False, 8, 40), ("route", "listeners", False, 9, 16), ("mixed", "one", False, 4, 40),
    ("route", "one", True, 2, 1), ("mixed", "one", True, 1, 1),
)
# The kinds of the worlds, in the order of a recording.
KINDS = (
    ("Ingress", INGRESS), ("HTTPProxy", CONTOUR), ("HTTPRoute", GATEWAY), ("ReferenceGrant", "gateway.networking.k8s.io/v1beta1"),
)


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


def gateway(batch, variant):
    """The Gateway of a batch."""
    everyone = {"namespaces": {"from": "All"}}
    listeners = [{"name": "http", "port": 80, "protocol": "HTTP", "allowedRoutes": everyone}]
    if variant == "ports":
        listeners.append({"name": "other", "port": 81, "protocol": "HTTP", "allowedRoutes": everyone})
    if variant == "listeners":
        listeners[0]["hostname"] = "*.sync.test"
        listeners += [listener for world in batch for listener in worlds.listeners(world)]
    return named("Gateway", GATEWAY, "contour", "projectcontour", spec={"gatewayClassName": "contour", "listeners": listeners})


class Recorder:
    def __init__(self, api, servers, seed):
        self.api, self.servers, self.seed = api, servers, seed
        self.pool = ThreadPoolExecutor(12)
        self.batches, self.refused, self.worlds = 0, {}, []
        self.services, self.addresses = services()

    def prepare(self):
        # A CRD is served a moment after it is established.
        kinds = (*KINDS, ("GatewayClass", GATEWAY), ("Gateway", GATEWAY))
        served = lambda: all(self.api.call("GET", self.api.path(*kind))[0] == 200 for kind in kinds)
        self.servers.wait("the API server serves the CRDs", 60, served)
        namespaces = [named("Namespace", "v1", name) for name in ("projectcontour", "oracles", *worlds.NAMESPACES)]
        namespaces[-1]["metadata"]["labels"] = {"team": "yes"}
        for made in namespaces:
            self.api.replace(made)
        list(self.pool.map(self.api.replace, self.services))
        self.api.replace(named("IngressClass", INGRESS, "contour", spec={"controller": "projectcontour.io/ingress-controller"}))
        controller = {"controllerName": "projectcontour.io/gateway-controller"}
        self.api.replace(named("GatewayClass", GATEWAY, "contour", spec=controller))
        self.api.replace(gateway([], "one"))

    def synchronize(self, has_gateway):
        """Waits until Envoy serves what was applied before."""
        self.batches += 1
        host = f"n{self.batches}.sync.test"
        if has_gateway:
            rule = {"backendRefs": [{"name": "s0", "port": 80}]}
            spec = {"parentRefs": [worlds.GATEWAY], "hostnames": [host], "rules": [rule]}
            self.api.replace(named("HTTPRoute", GATEWAY, "sync", "oracles", spec=spec))
        else:
            spec = {"virtualhost": {"fqdn": host}, "routes": [{"services": [{"name": "s0", "port": 80}]}]}
            self.api.replace(named("HTTPProxy", CONTOUR, "sync", "oracles", spec=spec))
        probe = {"method": "GET", "host": host, "path": "/"}
        self.servers.wait(f"Envoy serves {host}", 60, lambda: send([probe])[0][0] == 200)
        # Envoy gets routes, clusters and endpoints one after the other.
        time.sleep(0.7)

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
        for kind, api in KINDS:
            for namespace in worlds.NAMESPACES:
                self.api.call("DELETE", self.api.path(kind, api, namespace))

    def objects(self, batch, has_gateway):
        """The objects of each world as the API server returns them, and what Contour complains about."""
        base = self.api.all("IngressClass", INGRESS)
        if has_gateway:
            base += [one for one in self.api.all("Namespace", "v1") if one["metadata"]["name"] in worlds.NAMESPACES]
            base += self.api.all("GatewayClass", GATEWAY) + self.api.all("Gateway", GATEWAY)
        made = [one for kind, api in KINDS for one in self.api.all(kind, api)]
        all_services = [one for one in self.api.all("Service", "v1") if one["metadata"]["namespace"] in worlds.NAMESPACES]
        for world in batch:
            own = [one for one in made if one["metadata"]["name"].startswith(f"{world.name}-")]
            text = json.dumps([one["spec"] for one in own])
            used = [one for one in all_services if f'"{one["metadata"]["name"]}"' in text]
            # A ReferenceGrant is for the routes of a namespace, those of other worlds too.
            own += [one for one in made if one["kind"] == "ReferenceGrant" and one not in own]
            said = {f"{one['kind']}/{one['metadata']['namespace']}/{one['metadata']['name']}": sorted(set(complaints(one))) for one in own}
            entry = {"name": "", "gateway": has_gateway, "objects": [recorded(one) for one in base + used + own]}
            yield world.name, {**entry, "complaints": {name: those for name, those in said.items() if those}, "requests": []}

    def record(self, batch, variant, count):
        """Applies a batch of worlds and records the answers."""
        begin = time.monotonic()
        has_gateway = variant is not None
        if has_gateway:
            self.api.replace(gateway(batch, variant))
        self.apply(batch)
        self.synchronize(has_gateway)
        asked = [(world, request) for world in batch for request in worlds.requests(self.seed, world, count)]
        answers = send([request for _, request in asked])
        # A second answer of those that may have been too early.
        early = [index for index, (status, _) in enumerate(answers) if status in (0, 404, 503)]
        time.sleep(0.2)
        unstable = 0
        for index, again in zip(early, send([asked[index][1] for index in early])):
            unstable += answers[index][0] != again[0]
            answers[index] = again
        found = dict(self.objects(batch, has_gateway))
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


def batches(seed, kinds, total, begin):
    """The batches for so many requests: worlds, and the variant of the Gateway."""
    number = begin
    for family, variant, alone, share, size in kinds:
        wanted = max(1, round(total * share / 100 / REQUESTS_OF_WORLD))
        while wanted:
            now = min(wanted, size)
            yield [worlds.world(seed, number + index, family, variant, alone) for index in range(now)], variant
            number, wanted = number + now, wanted - now


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("programs", "contour", "envoy", "logs", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--crd", type=Path, action="append", required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--requests", type=int, required=True)
    given = parser.parse_args()
    start_backends()
    with tempfile.TemporaryDirectory() as folder:
        servers = Servers(folder, given.logs)
        try:
            api = servers.control_plane(given.programs, given.crd)
            recorder = Recorder(api, servers, given.seed)
            recorder.prepare()
            for kinds, served, begin in ((PLAIN, None, 1), (WITH_GATEWAY, worlds.GATEWAY, 100_001)):
                servers.proxy(given.contour, given.envoy, served)
                recorder.synchronize(served is not None)
                for batch, variant in batches(given.seed, kinds, given.requests, begin):
                    recorder.record(batch, variant, REQUESTS_OF_WORLD)
                servers.stop("contour", "envoy")
        finally:
            servers.stop()
    for reason, count in sorted(recorder.refused.items(), key=lambda one: -one[1]):
        print(f"refused by the API server: {count} times {reason}")
    text = json.dumps({"controller": "Contour", "seed": given.seed, "worlds": recorder.worlds}, separators=(",", ":"))
    given.out.write_bytes(gzip.compress(text.encode(), 6))


if __name__ == "__main__":
    main()
