"""Generates worlds: Kubernetes objects whose predicates collide on purpose, and requests that tell their rules apart.

A world has a domain of its own, so that many worlds can be applied at once. A world that is `alone` serves every host. The same seed
generates the same worlds.
"""

import random
from dataclasses import dataclass, field

from controllers import CONTOUR, GATEWAY, INGRESS, Installation

NAMESPACES = ("web", "team-a", "team-b")
# Every namespace has these Services, with port 80. No namespace has the Service `missing`.
SERVICES = ("s0", "s1", "s2", "s3", "s4", "s5")

# Paths that are prefixes of each other, as text, as segments, or but for a slash or a letter.
PATHS = (
    "/", "/foo", "/foo/", "/foo/bar", "/foo/bar/", "/foo/bar/baz", "/foobar", "/foo-bar", "/foo.bar", "/fo", "/Foo", "/bar", "/bar/foo",
    "/foo/ba", "/foo/bar.html", "/foo+bar", "/~foo", "/foo%2Fbar",
)
EXPRESSIONS = ("/foo.*", "/fo+", "/foo/[a-z]+", "/(foo|bar)", "/foo/.*/baz", "/[^/]+", "/foo/[0-9]*", "/.*")
HEADERS = ("x-a", "x-b", "x-color")
VALUES = ("red", "blue", "redder", "Red", "re", "a,b", "1")
METHODS = ("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH")
QUERIES = ("q", "r", "Q")


@dataclass
class World:
    """Objects with the wave in which each is created, and what requests may ask of them."""

    name: str
    domain: str
    family: str
    installation: Installation
    gateway: str | None = None
    alone: bool = False
    objects: list = field(default_factory=list)
    hosts: list = field(default_factory=list)
    paths: list = field(default_factory=list)
    headers: list = field(default_factory=list)
    queries: list = field(default_factory=list)
    methods: list = field(default_factory=list)
    ports: list = field(default_factory=lambda: [80])
    # The names of the namespaces and Services are numbers of this object's own.
    count: int = 0

    def add(self, rng, kind, namespace, spec, api=CONTOUR, name=None, annotations=None, late=None):
        """Adds an object to one of three waves."""
        self.count += 1
        metadata = {"namespace": namespace, "name": name or f"{self.name}-{rng.choice('abcxyz')}{self.count}"}
        if annotations:
            metadata["annotations"] = annotations
        wave = late if late is not None else rng.randrange(3)
        self.objects.append((wave, {"apiVersion": api, "kind": kind, "metadata": metadata, "spec": spec}))
        return metadata["name"]


def chance(rng, probability):
    return rng.random() < probability


def some_paths(rng, world, count, known=PATHS):
    """Paths that a world uses again and again."""
    paths = rng.sample(known[:12], count)
    if chance(rng, 0.3):
        paths[-1] = rng.choice(known)
    world.paths += paths
    return paths


def service(rng, world):
    """The name and the port of a Service, which rarely does not exist."""
    lot = rng.random()
    if lot < 0.03:
        return "missing", 80
    if lot < 0.06:
        return rng.choice(SERVICES), 81
    return rng.choice(SERVICES), 80


# --- Ingress


def ingress_path(rng, world, paths):
    kind = rng.choices(("Prefix", "Exact", "ImplementationSpecific"), (5, 3, 2))[0]
    path = rng.choice(paths)
    if kind == "ImplementationSpecific" and chance(rng, 0.4):
        path = rng.choice(EXPRESSIONS)
    name, port = service(rng, world)
    number = {"name": "http"} if port == 80 and chance(rng, 0.2) else {"number": port}
    return {"path": path, "pathType": kind, "backend": {"service": {"name": name, "port": number}}}


def ingresses(rng, world):
    world.hosts = [f"a.{world.domain}", f"*.{world.domain}", f"b.{world.domain}"][: rng.randint(1, 3)]
    if world.alone:
        world.hosts.append(None)
    paths = some_paths(rng, world, rng.randint(2, 5))
    taken = set()
    for _ in range(rng.randint(2, 4)):
        rules = []
        for host in rng.sample(world.hosts, rng.randint(1, min(2, len(world.hosts)))):
            entries = []
            for _ in range(rng.randint(1, 4)):
                entry = ingress_path(rng, world, paths)
                # Which of two Ingresses with one host and path answers changes whenever a controller starts, so that this is rare.
                key = (host, entry["path"], entry["pathType"])
                if key in taken and not chance(rng, 0.03):
                    continue
                taken.add(key)
                entries.append(entry)
            if entries:
                rule = {"http": {"paths": entries}}
                if host:
                    rule["host"] = host
                rules.append(rule)
        spec = {"rules": rules} if rules else {}
        if world.alone and (not rules or chance(rng, 0.4)):
            name, port = service(rng, world)
            spec["defaultBackend"] = {"service": {"name": name, "port": {"number": port}}}
        if not spec:
            continue
        annotations = None
        lot = rng.random()
        if lot < 0.6:
            spec["ingressClassName"] = world.installation.ingress_class
        elif lot < 0.8:
            annotations = {"kubernetes.io/ingress.class": world.installation.ingress_class}
        elif lot < 0.85 and not world.gateway:
            spec["ingressClassName"] = "other"
        if chance(rng, 0.08):
            annotations = {**(annotations or {}), **dict([rng.choice(world.installation.annotations)])}
        world.add(rng, "Ingress", rng.choice(NAMESPACES), spec, INGRESS, annotations=annotations)


# --- HTTPRoute


def route_match(rng, world, paths):
    match = {}
    lot = rng.random()
    if lot < 0.55:
        match["path"] = {"type": "PathPrefix", "value": rng.choice(paths)}
    elif lot < 0.85:
        match["path"] = {"type": "Exact", "value": rng.choice(paths)}
    elif lot < 0.92:
        match["path"] = {"type": "RegularExpression", "value": rng.choice(EXPRESSIONS)}
    if chance(rng, 0.3):
        match["method"] = rng.choice(METHODS[:5])
        world.methods.append(match["method"])
    if chance(rng, 0.35):
        match["headers"] = []
        for name in rng.sample(HEADERS, rng.randint(1, 2)):
            value = rng.choice(VALUES)
            match["headers"].append({"name": rng.choice((name, name.title())), "value": value})
            world.headers.append((name, value))
            if chance(rng, 0.15):
                match["headers"][-1].update(type="RegularExpression", value=value[:2] + ".*")
    if chance(rng, 0.25):
        match["queryParams"] = []
        for name in rng.sample(QUERIES, rng.randint(1, 2)):
            value = rng.choice(VALUES)
            match["queryParams"].append({"name": name, "value": value})
            world.queries.append((name, value))
            if chance(rng, 0.15):
                match["queryParams"][-1].update(type="RegularExpression", value=value[:2] + ".*")
    return match


def path_modifier(rng):
    if chance(rng, 0.5):
        return {"type": "ReplaceFullPath", "replaceFullPath": rng.choice(("/new", "/", "/new/x"))}
    return {"type": "ReplacePrefixMatch", "replacePrefixMatch": rng.choice(("/new", "/", "/new/", "/a/b"))}


def route_filters(rng, world, rule):
    lot = rng.random()
    if lot < 0.12:
        redirect = {}
        if chance(rng, 0.5):
            redirect["hostname"] = f"moved.{world.domain}"
        if chance(rng, 0.4):
            redirect["scheme"] = rng.choice(("https", "http"))
        if chance(rng, 0.3):
            redirect["port"] = rng.choice((8443, 80, 443))
        if chance(rng, 0.4):
            redirect["path"] = path_modifier(rng)
        if chance(rng, 0.4) or not redirect:
            redirect["statusCode"] = rng.choice((301, 302))
        rule["filters"] = [{"type": "RequestRedirect", "requestRedirect": redirect}]
        rule.pop("backendRefs", None)
    elif lot < 0.24:
        rewrite = {}
        if chance(rng, 0.4):
            rewrite["hostname"] = "rewritten.test"
        if chance(rng, 0.8) or not rewrite:
            rewrite["path"] = path_modifier(rng)
        rule["filters"] = [{"type": "URLRewrite", "urlRewrite": rewrite}]
    elif lot < 0.3:
        change = {"set": [{"name": "x-a", "value": "blue"}], "remove": ["x-b"]}
        rule["filters"] = [{"type": "RequestHeaderModifier", "requestHeaderModifier": change}]
    if "path" in str(rule.get("filters")) and "ReplacePrefixMatch" in str(rule["filters"]):
        # The API server refuses it with any other match than one PathPrefix.
        matches = [match for match in rule.get("matches", []) if match.get("path", {}).get("type") == "PathPrefix"]
        rule["matches"] = matches[:1] or [{"path": {"type": "PathPrefix", "value": "/"}}]


def backend_refs(rng, world, namespace):
    refs = []
    for _ in range(rng.choices((1, 2, 3), (7, 3, 1))[0]):
        name, port = service(rng, world)
        ref = {"name": name, "port": port}
        if chance(rng, 0.25):
            ref["weight"] = rng.choice((0, 1, 5))
        if chance(rng, 0.07):
            ref["namespace"] = rng.choice(NAMESPACES)
        refs.append(ref)
    return refs


def route_hosts(rng, world):
    """Hosts of a route, as wide as those of listeners, wider or narrower; sometimes none."""
    d = world.domain
    choices = [f"a.{d}", f"b.{d}", f"*.{d}", f"x.a.{d}", f"*.a.{d}"]
    hosts = rng.sample(choices, rng.choices((1, 2, 3), (6, 3, 1))[0])
    world.hosts += hosts
    return hosts


def routes(rng, world):
    # The API server refuses an encoded slash.
    paths = some_paths(rng, world, rng.randint(2, 5), PATHS[:-1])
    if world.gateway == "ports":
        world.ports = [80, 81]
    for _ in range(rng.randint(2, 4)):
        namespace = rng.choice(NAMESPACES)
        hosts = [] if world.alone and chance(rng, 0.4) else route_hosts(rng, world)
        rules = []
        for _ in range(rng.randint(1, 4)):
            rule = {}
            if chance(rng, 0.92):
                rule["matches"] = [route_match(rng, world, paths) for _ in range(rng.choices((1, 2, 3), (6, 3, 1))[0])]
            if chance(rng, 0.98):
                rule["backendRefs"] = backend_refs(rng, world, namespace)
            route_filters(rng, world, rule)
            rules.append(rule)
        parent = dict(world.installation.gateway)
        if world.gateway == "ports" and chance(rng, 0.6):
            parent.update(rng.choice(({"sectionName": "http"}, {"sectionName": "other"}, {"port": 81}, {"port": 80})))
        if world.gateway == "listeners" and chance(rng, 0.4):
            parent["sectionName"] = rng.choice((f"{world.name}-any", f"{world.name}-a", f"{world.name}-deep"))
        spec = {"parentRefs": [parent], "rules": rules}
        if hosts:
            spec["hostnames"] = hosts
        world.add(rng, "HTTPRoute", namespace, spec, GATEWAY)
    if chance(rng, 0.1):
        source = {"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "namespace": rng.choice(NAMESPACES)}
        grant = {"from": [source], "to": [{"group": "", "kind": "Service"}]}
        world.add(rng, "ReferenceGrant", rng.choice(NAMESPACES), grant, "gateway.networking.k8s.io/v1beta1")


def listeners(world):
    """The listeners of a world in a Gateway with the listeners of several worlds."""
    def one(name, hostname, allowed):
        return {"name": f"{world.name}-{name}", "port": 80, "protocol": "HTTP", "hostname": hostname, "allowedRoutes": {"namespaces": allowed}}

    team = {"from": "Selector", "selector": {"matchLabels": {"team": "yes"}}}
    return [
        one("any", f"*.{world.domain}", {"from": "All"}),
        one("a", f"a.{world.domain}", team if world.count % 2 else {"from": "All"}),
        one("deep", f"*.a.{world.domain}", {"from": "All"} if world.count % 3 else team),
    ]


# --- HTTPProxy

OPERATORS = ("exact", "contains", "notexact", "notcontains", "present", "notpresent", "regex")


def header_condition(rng, world):
    name, value, operator = rng.choice(HEADERS), rng.choice(VALUES), rng.choice(OPERATORS)
    world.headers.append((name, value))
    condition = {"name": name}
    if operator in ("present", "notpresent"):
        condition[operator] = True
    else:
        condition[operator] = value[:2] + ".*" if operator == "regex" else value
        if operator != "regex" and chance(rng, 0.15):
            condition["ignoreCase"] = True
        if operator.startswith("not") and chance(rng, 0.3):
            condition["treatMissingAsEmpty"] = True
    return {"header": condition}


def query_condition(rng, world):
    name, value = rng.choice(QUERIES), rng.choice(VALUES)
    world.queries.append((name, value))
    operator = rng.choice(("exact", "prefix", "suffix", "regex", "contains", "present"))
    condition = {"name": name, operator: True if operator == "present" else value[:2] + ".*" if operator == "regex" else value}
    if operator not in ("present", "regex") and chance(rng, 0.2):
        condition["ignoreCase"] = True
    return {"queryParameter": condition}


def proxy_conditions(rng, world, paths, of_include=False):
    conditions = []
    lot = rng.random()
    if lot < 0.65:
        conditions.append({"prefix": rng.choice(paths)})
    elif lot < 0.8 and not of_include:
        conditions.append({"exact": rng.choice(paths)})
    elif lot < 0.86 and not of_include:
        conditions.append({"regex": rng.choice(EXPRESSIONS)})
    if chance(rng, 0.3):
        conditions.append(header_condition(rng, world))
    if chance(rng, 0.1):
        conditions.append(header_condition(rng, world))
    if chance(rng, 0.15):
        conditions.append(query_condition(rng, world))
    if chance(rng, 0.02):
        conditions.append({"prefix": rng.choice(paths)})
    if chance(rng, 0.3):
        rng.shuffle(conditions)
    return conditions


def proxy_route(rng, world, paths):
    route = {}
    conditions = proxy_conditions(rng, world, paths)
    if conditions or chance(rng, 0.5):
        route["conditions"] = conditions
    lot = rng.random()
    if lot < 0.08:
        redirect = {}
        if chance(rng, 0.6):
            redirect["hostname"] = f"moved.{world.domain}"
        if chance(rng, 0.4):
            redirect["scheme"] = rng.choice(("https", "http"))
        if chance(rng, 0.3):
            redirect["port"] = rng.choice((8443, 80))
        if chance(rng, 0.4):
            redirect.update(rng.choice(({"path": "/new"}, {"prefix": "/new"}, {"prefix": "/"})))
        if chance(rng, 0.4) or not redirect:
            redirect["statusCode"] = rng.choice((301, 302))
        route["requestRedirectPolicy"] = redirect
        return route
    if lot < 0.14:
        route["directResponsePolicy"] = {"statusCode": rng.choice((200, 404, 410, 503)), "body": "direct"}
        return route
    route["services"] = []
    for _ in range(rng.choices((1, 2), (8, 2))[0]):
        name, port = service(rng, world)
        route["services"].append({"name": name, "port": port})
        if chance(rng, 0.3):
            route["services"][-1]["weight"] = rng.choice((0, 1, 5))
    if chance(rng, 0.12):
        replace = {"replacement": rng.choice(("/new", "/", "/new/", "/a/b"))}
        if chance(rng, 0.3):
            replace["prefix"] = rng.choice(paths)
        route["pathRewritePolicy"] = {"replacePrefix": [replace]}
    return route


def child_proxy(rng, world, paths, depth):
    """A proxy without a host that another one includes, and its name."""
    namespace = rng.choice(NAMESPACES)
    spec = {"routes": [proxy_route(rng, world, paths) for _ in range(rng.randint(1, 3))]}
    if depth < 2 and chance(rng, 0.3):
        spec["includes"] = [include(rng, world, paths, depth + 1)]
    return {"name": world.add(rng, "HTTPProxy", namespace, spec), "namespace": namespace}


def include(rng, world, paths, depth):
    lot = rng.random()
    if lot < 0.04:
        target = {"name": "nowhere", "namespace": rng.choice(NAMESPACES)}
    else:
        target = child_proxy(rng, world, paths, depth)
    conditions = proxy_conditions(rng, world, paths, of_include=True)
    # The paths of what is included are below those of the including proxy.
    prefix = next((one["prefix"] for one in conditions if "prefix" in one), "").rstrip("/")
    world.paths += [prefix + path for path in paths[:3]]
    return {**target, **({"conditions": conditions} if conditions else {})}


def proxies(rng, world):
    paths = some_paths(rng, world, rng.randint(2, 5))
    world.hosts = [f"a.{world.domain}", f"*.{world.domain}", f"b.{world.domain}", f"x.a.{world.domain}"][: rng.randint(1, 4)]
    for host in world.hosts:
        spec = {"virtualhost": {"fqdn": host}}
        if chance(rng, 0.9):
            spec["routes"] = [proxy_route(rng, world, paths) for _ in range(rng.randint(1, 5))]
        if chance(rng, 0.5) or "routes" not in spec:
            spec["includes"] = [include(rng, world, paths, 0) for _ in range(rng.randint(1, 2))]
        if chance(rng, 0.05):
            spec["ingressClassName"] = "contour" if world.gateway else rng.choice(("contour", "other"))
        namespace = rng.choice(NAMESPACES)
        world.add(rng, "HTTPProxy", namespace, spec)
        if chance(rng, 0.05):
            # A second root for the host.
            again = {"virtualhost": {"fqdn": host}, "routes": [proxy_route(rng, world, paths)]}
            world.add(rng, "HTTPProxy", rng.choice(NAMESPACES), again)


def mixed(rng, world):
    """Kinds that share hosts."""
    if world.installation.has_proxies:
        proxies(rng, world)
    hosts = world.hosts
    ingresses(rng, world)
    world.hosts = list(dict.fromkeys(hosts + world.hosts))
    if world.gateway:
        routes(rng, world)


FAMILIES = {"ingress": ingresses, "route": routes, "proxy": proxies, "mixed": mixed}


def world(seed, number, installation, family, gateway=None, alone=False):
    """The world with this number."""
    rng = random.Random(f"{seed}/{family}/{gateway}/{alone}/{number}")
    made = World(f"w{number}", f"w{number}.test", family, installation, gateway, alone)
    FAMILIES[family](rng, made)
    made.hosts = list(dict.fromkeys(made.hosts))
    made.paths = list(dict.fromkeys(made.paths))
    return made


# --- requests


def names(rng, hosts, domain):
    """Names that the hosts match, and names beside them."""
    found = []
    for host in hosts:
        if host is None:
            found.append("elsewhere.test")
        elif host.startswith("*."):
            found += ["any" + host[1:], "two.labels" + host[1:], host[2:]]
        else:
            found += [host] * 3 + ["z." + host]
    found += [f"a.{domain}".upper(), f"a.{domain}", f"none.{domain}"]
    return found


def around(path):
    """Paths that a rule for `path` matches or just misses."""
    end = path.rstrip("/")
    swapped = path.swapcase()
    yield from (path, end + "/", end or "/", end + "x", end + "/x", end + "/x/y", end + "/bar", end + "/bar/baz", end + "//", end + "/.")
    yield from (end + "/..", end + "//..", end + "/x/../y", "/." + path, "/x/.." + path, "/" + path, swapped, end + "%20", end + ";a=b", end + ".html", end + "%2Fx")
    if len(path) > 2:
        yield path[0] + f"%{ord(path[1]):02X}" + path[2:]
        yield path[0] + f"%{ord(path[1]):02x}" + path[2:]
        yield path[:-1]
        yield path.replace("/", "%2F").replace("%2F", "/", 1)


def requests(seed, world, count):
    """At most `count` different requests to a world."""
    rng = random.Random(f"{seed}/{world.name}/requests")
    plain = [path for path in world.paths + ["/"]]
    near = [other for path in plain for other in around(path) if other.startswith("/")]
    hosts = names(rng, world.hosts, world.domain)
    headers = world.headers + [(name, value) for name in HEADERS[:2] for value in VALUES[:2]]
    queries = world.queries + [("q", "1")]
    found = {}
    # Generous, since most of what is drawn twice is dropped.
    for _ in range(count * 4):
        path = rng.choice(plain) if chance(rng, 0.35) else rng.choice(near)
        method = "GET"
        if chance(rng, 0.2):
            method = rng.choice(world.methods or list(METHODS))
        elif chance(rng, 0.05):
            method = rng.choice(METHODS)
        wanted = {}
        if (world.headers and chance(rng, 0.6)) or chance(rng, 0.05):
            for name, value in rng.sample(headers, min(len(headers), rng.randint(1, 3))):
                if chance(rng, 0.2):
                    value = rng.choice((value + "x", value.upper(), "", value[:1], " ".join((value, "end"))))
                wanted[name] = value
        if (world.queries and chance(rng, 0.6)) or chance(rng, 0.05):
            pairs = rng.sample(queries, min(len(queries), rng.randint(1, 2)))
            path += "?" + "&".join(f"{name}={rng.choice((value, value, value, value + 'x', value.upper(), ''))}" for name, value in pairs)
        host, port = rng.choice(hosts), rng.choice(world.ports)
        request = {"method": method, "scheme": "http", "host": host if port == 80 else f"{host}:{port}", "path": path}
        if wanted:
            request["headers"] = wanted
        if port != 80:
            request["port"] = 8000 + port
        found.setdefault(repr(request), request)
        if len(found) == count:
            break
    return list(found.values())
