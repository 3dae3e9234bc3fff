"""The servers of a recording: the control plane, and a backend for every Service. `controllers.py` starts the controllers.

They run in a network namespace of their own, with fixed ports. The API server refuses EndpointSlices with addresses of 127.0.0.0/8, so that the
loopback interface of the namespace also carries 10.200.0.0/16.
"""

import asyncio
import base64
import http.client
import json
import multiprocessing
import ssl
import subprocess
import threading
import time
from pathlib import Path

API_PORT, BACKEND_PORT = 6443, 9080
TOKEN = "admin"
PLURALS = {
    "Namespace": "namespaces", "Service": "services", "EndpointSlice": "endpointslices", "Ingress": "ingresses", "IngressClass": "ingressclasses",
    "GatewayClass": "gatewayclasses", "Gateway": "gateways", "HTTPRoute": "httproutes", "ReferenceGrant": "referencegrants",
    "HTTPProxy": "httpproxies",
}


class Api:
    """A client of the API server, with a connection for each thread."""

    def __init__(self):
        self.context = ssl.create_default_context()
        self.context.check_hostname = False
        # The API server makes its certificate when it starts, and only this namespace reaches it.
        self.context.verify_mode = ssl.CERT_NONE
        self.local = threading.local()

    def call(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        text = None if body is None else json.dumps(body)
        for attempt in (1, 2):
            if not hasattr(self.local, "connection"):
                self.local.connection = http.client.HTTPSConnection("127.0.0.1", API_PORT, context=self.context, timeout=60)
            try:
                self.local.connection.request(method, path, text, headers)
                response = self.local.connection.getresponse()
                content = response.read()
                return response.status, json.loads(content) if content.startswith(b"{") else content.decode()
            except (OSError, http.client.HTTPException):
                del self.local.connection
                if attempt == 2:
                    raise

    @staticmethod
    def path(kind, api, namespace=None, name=None):
        base = "/api/v1" if api == "v1" else f"/apis/{api}"
        inside = f"/namespaces/{namespace}" if namespace else ""
        return f"{base}{inside}/{PLURALS[kind]}" + (f"/{name}" if name else "")

    def create(self, made):
        """Creates an object: None, or why it was refused."""
        path = self.path(made["kind"], made["apiVersion"], made["metadata"].get("namespace"))
        status, answer = self.call("POST", path, made)
        return None if status < 300 else f"{status} {answer.get('message', answer) if isinstance(answer, dict) else answer}"

    def replace(self, made):
        """Creates an object, or replaces it."""
        refused = self.create(made)
        path = self.path(made["kind"], made["apiVersion"], made["metadata"].get("namespace"), made["metadata"]["name"])
        # The controller writes statuses in between.
        for _ in range(20):
            if not refused or not refused.startswith("409"):
                break
            _, old = self.call("GET", path)
            metadata = {**made["metadata"], "resourceVersion": old["metadata"]["resourceVersion"]}
            status, answer = self.call("PUT", path, {**made, "metadata": metadata})
            refused = None if status < 300 else f"{status} {answer}"
        if refused:
            raise RuntimeError(f"{made['kind']} {made['metadata']['name']}: {refused}")

    def all(self, kind, api):
        """All objects of a kind."""
        _, answer = self.call("GET", self.path(kind, api))
        return [{**one, "apiVersion": api, "kind": kind} for one in answer["items"]]


def recorded(made):
    """An object without what only the API server or the controller is interested in."""
    kept = ("name", "namespace", "labels", "annotations", "creationTimestamp")
    metadata = {key: made["metadata"][key] for key in kept if key in made["metadata"]}
    return {"apiVersion": made["apiVersion"], "kind": made["kind"], "metadata": metadata, **{k: made[k] for k in ("spec",) if k in made}}


def complaints(made):
    """What the controller writes into the status of an object that it does not accept as a whole."""
    status = made.get("status", {})
    for condition in status.get("conditions", []):
        yield from (f"{error['type']} {error['reason']}" for error in condition.get("errors", []))
    for parent in status.get("parents", []):
        for condition in parent.get("conditions", []):
            is_good = "False" if condition["type"] == "PartiallyInvalid" else "True"
            if condition["status"] != is_good:
                yield f"{condition['type']} {condition['reason']}"


class Servers:
    """Starts programs, and ends those that it has started."""

    def __init__(self, folder, logs):
        self.folder, self.logs, self.running = Path(folder), Path(logs), {}

    def start(self, name, *command, environment=None):
        with open(self.logs / f"{name}.log", "a", encoding="utf-8") as log:
            self.running[name] = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)

    @staticmethod
    def write(file, settings):
        """Writes a configuration file as JSON."""
        file.write_text(json.dumps(settings), encoding="utf-8")

    def stop(self, *names):
        for name in names or list(self.running):
            process = self.running.pop(name)
            process.kill()
            process.wait()

    def wait(self, what, seconds, condition):
        """Waits until the condition holds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for name, process in self.running.items():
                if process.poll() is not None:
                    raise RuntimeError(f"{name} has ended; see {self.logs}/{name}.log")
            try:
                if condition():
                    return
            except OSError:
                pass
            time.sleep(0.05)
        raise RuntimeError(f"not within {seconds} s: {what}; see {self.logs}")

    def control_plane(self, programs, crds):
        """Starts etcd and the API server, and applies the CRDs."""
        for command in (["ip", "link", "set", "lo", "up"], ["ip", "address", "add", "10.200.0.0/16", "dev", "lo"]):
            subprocess.run(command, check=True)
        key, certificate, tokens = (self.folder / name for name in ("key.pem", "certificate.pem", "tokens.csv"))
        request = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=accounts"]
        subprocess.run([*request, "-keyout", key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)
        tokens.write_text(f"{TOKEN},{TOKEN},{TOKEN},system:masters\n", encoding="utf-8")
        etcd = ["--data-dir", self.folder / "etcd", "--unsafe-no-fsync", "--log-level", "error"]
        self.start("etcd", programs / "etcd", *etcd)
        self.start(
            "kube-apiserver", programs / "kube-apiserver", "--etcd-servers", "http://127.0.0.1:2379", "--bind-address", "127.0.0.1",
            "--advertise-address", "127.0.0.1", "--secure-port", API_PORT, "--cert-dir", self.folder / "api-server",
            "--endpoint-reconciler-type", "none", "--service-cluster-ip-range", "10.96.0.0/16",
            "--service-account-issuer", "https://kubernetes.default.svc", "--service-account-key-file", certificate,
            "--service-account-signing-key-file", key, "--disable-admission-plugins", "ServiceAccount",
            "--token-auth-file", tokens, "--authorization-mode", "RBAC", "--max-requests-inflight", "0",
            "--enable-priority-and-fairness=false",
        )
        api = Api()
        self.wait("the API server is ready", 120, lambda: api.call("GET", "/readyz")[0] == 200)
        config = {
            "apiVersion": "v1", "kind": "Config", "current-context": "oracles",
            "clusters": [{"name": "oracles", "cluster": {"server": f"https://127.0.0.1:{API_PORT}", "insecure-skip-tls-verify": True}}],
            "users": [{"name": "admin", "user": {"token": TOKEN}}],
            "contexts": [{"name": "oracles", "context": {"cluster": "oracles", "user": "admin"}}],
        }
        self.kubeconfig = self.folder / "kubeconfig"
        self.write(self.kubeconfig, config)
        kubectl = [programs / "kubectl", "--kubeconfig", self.kubeconfig]
        files = [argument for file in crds for argument in ("-f", file)]
        with open(self.logs / "setup.log", "w", encoding="utf-8") as log:
            subprocess.run([*kubectl, "apply", "--server-side", *files], check=True, stdout=log, stderr=log)
            subprocess.run([*kubectl, "wait", "--for=condition=Established", "crd", "--all"], check=True, stdout=log, stderr=log)
        return api


class Echo(asyncio.Protocol):
    """Answers each request with the address of the backend and the path that it got."""

    def connection_made(self, transport):
        self.transport, self.buffer = transport, b""
        self.address = transport.get_extra_info("sockname")[0].encode()

    def data_received(self, data):
        self.buffer += data
        while b"\r\n\r\n" in self.buffer:
            head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
            target = head.split(b"\r\n", 1)[0].split(b" ")[1]
            self.transport.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nx-address: %s\r\nx-target: %s\r\n\r\n" % (self.address, base64.b64encode(target)))


def serve_backends():
    async def serve():
        server = await asyncio.get_running_loop().create_server(Echo, "0.0.0.0", BACKEND_PORT, backlog=1024)
        await server.serve_forever()

    asyncio.run(serve())


def start_backends():
    """Starts the backends, in a process that ends with this one."""
    multiprocessing.get_context("fork").Process(target=serve_backends, daemon=True).start()


# --- the client


async def answer(reader, method):
    """The status code and the headers of the next response, and whether the connection can be used again."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    status = int(head[0].split(" ")[1])
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    is_open = headers.get("connection", "").lower() != "close"
    if method != "HEAD" and status not in (204, 304):
        if "content-length" in headers:
            await reader.readexactly(int(headers["content-length"]))
        else:
            await reader.read()
            is_open = False
    return status, headers, is_open


def written(request):
    """A request as text."""
    lines = [f"{request['method']} {request['path']} HTTP/1.1", f"Host: {request['host']}"]
    lines += [f"{name}: {value}" for name, value in request.get("headers", {}).items()]
    if request["method"] in ("POST", "PUT", "PATCH"):
        lines.append("Content-Length: 0")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def ask(connections, request, first_port):
    """The answer to a request: status code and headers; 0 if the connection is closed."""
    # Recorded ports are those of Envoy.
    port = request.get("port", 8080) - 8080 + first_port
    for attempt in (1, 2):
        reader, writer = connections.pop(port, None) or await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(written(request))
            status, headers, is_open = await asyncio.wait_for(answer(reader, request["method"]), 30)
        except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError):
            # The proxy may close a connection that it has kept open.
            writer.close()
            continue
        if is_open:
            connections[port] = reader, writer
        else:
            writer.close()
        return status, headers
    return 0, {}


def send(requests, first_port, width=24):
    """The answers to requests, in their order."""
    answers = [None] * len(requests)
    todo = iter(enumerate(requests))

    async def work():
        connections = {}
        for index, request in todo:
            try:
                answers[index] = await ask(connections, request, first_port)
            except OSError:
                answers[index] = 0, {}
        for _, writer in connections.values():
            writer.close()

    async def run():
        await asyncio.gather(*(work() for _ in range(width)))

    asyncio.run(run())
    return answers
