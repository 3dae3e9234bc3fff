"""Names the class of a deviation of Contour. `expected.tsv` says for each class whose fault it is.

A class is as narrow as the objects, the request, both answers and the complaints of Contour allow. A deviation of no class is `other`.
"""

import re
from urllib.parse import urlsplit


def covers(pattern, host):
    """Whether a host of an object covers the host of a request."""
    return pattern in (None, "", "*") or pattern == host or (pattern.startswith("*.") and host.endswith(pattern[1:]))


def hosts_of(one):
    spec = one.get("spec", {})
    match one["kind"]:
        case "Ingress":
            default = [None] if "defaultBackend" in spec else []
            return default + [rule.get("host") for rule in spec.get("rules", [])]
        case "HTTPRoute":
            return spec.get("hostnames", [None])
        case "HTTPProxy" if "virtualhost" in spec:
            return [spec["virtualhost"]["fqdn"]]
    return []


def relevant(world, host):
    """The objects with rules for a host, and what they include, as Kind/namespace/name."""
    by_name = {(one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"]): one for one in world["objects"]}
    todo = [key for key, one in by_name.items() if any(covers(pattern, host) for pattern in hosts_of(one))]
    found = {}
    while todo:
        key = todo.pop()
        one = by_name.get(key)
        if one and key not in found:
            found[key] = one
            todo += [("HTTPProxy", part.get("namespace", key[1]), part["name"]) for part in one["spec"].get("includes", [])]
    return {"/".join(key): one for key, one in found.items()}


class Deviation:
    """A request, both answers, and what they depend on."""

    def __init__(self, world, request, answer):
        self.world, self.request, self.answer, self.outcome = world, request, answer, answer["outcome"]
        self.host = request["host"].split(":")[0]
        self.path = request["path"].split("?")[0]
        self.objects = relevant(world, self.host.lower())
        self.kinds = {name.split("/")[0] for name in self.objects}
        self.complaints = {text for name in self.objects for text in world.get("complaints", {}).get(name, [])}
        self.winner = (answer.get("winner") or {}).get("object", "")
        self.winner_complaints = set(world.get("complaints", {}).get(self.winner, []))
        self.reason = self.outcome.get("reason") or ""
        self.location, self.said_location = request.get("location"), self.outcome.get("location")

    def listeners(self):
        """How many listeners have the host of the request."""
        gateways = [one for one in self.world["objects"] if one["kind"] == "Gateway"]
        return sum(covers(listener.get("hostname"), self.host.lower()) for one in gateways for listener in one["spec"]["listeners"])

    def rules(self):
        """The rules of the HTTPRoutes."""
        return [rule for one in self.objects.values() if one["kind"] == "HTTPRoute" for rule in one["spec"].get("rules", [])]

    def rules_for_everything(self):
        """How many default backends and paths `/` of every host the Ingresses have."""
        specs = [one["spec"] for one in self.objects.values() if one["kind"] == "Ingress"]
        paths = [path for spec in specs for rule in spec.get("rules", []) if not rule.get("host") for path in rule["http"]["paths"]]
        return sum("defaultBackend" in spec for spec in specs) + sum(path["path"] == "/" and path["pathType"] != "Exact" for path in paths)

    def is_deep_below_wildcard(self):
        """Whether the host is more than a label below the wildcard of a rule."""
        hosts = [host for one in self.objects.values() for host in hosts_of(one) if host and host.startswith("*.")]
        return any("." in self.host[: -len(host) + 1] for host in hosts)

    def has_prefix_twice(self):
        """Whether two matches have the same prefix but for a slash at its end."""
        paths = {match["path"]["value"] for rule in self.rules() for match in rule.get("matches", []) if match.get("path", {}).get("type") == "PathPrefix"}
        return any(path != "/" and path.endswith("/") and path.rstrip("/") in paths for path in paths)

    def proxy_parts(self):
        """The routes and includes of the HTTPProxies."""
        proxies = [one["spec"] for one in self.objects.values() if one["kind"] == "HTTPProxy"]
        return [part for spec in proxies for part in spec.get("routes", []) + spec.get("includes", [])]

    def winner_rule(self):
        """The rule that portcullis names."""
        found = re.match(r"spec\.(rules|routes)\[(\d+)]", (self.answer.get("winner") or {}).get("field", ""))
        one = self.objects.get(self.winner)
        return one["spec"][found[1]][int(found[2])] if found and one else {}

    def is_same_service(self):
        """Whether only what the backend gets differs."""
        answering = [f"{one['namespace']}/{one['service']}" for one in self.outcome.get("backends", []) if one["answers"] and one["share"]]
        return self.request.get("service") in answering

    def differing_parts(self):
        """The parts of the Location that differ."""
        if not self.location or not self.said_location:
            return set()
        mine, theirs = urlsplit(self.said_location), urlsplit(self.location)
        return {part for part in ("scheme", "hostname", "port", "path", "query") if getattr(mine, part) != getattr(theirs, part)}

    def is_only_port(self):
        """Whether only the port of the Location differs."""
        return self.differing_parts() == {"port"}

    def is_only_path(self):
        """Whether only the path that a backend gets differs, or the path of the Location, perhaps with its port."""
        return self.differing_parts() in ({"path"}, {"path", "port"}) or self.is_same_service()


def is_exact_before_more(part):
    """Whether a condition follows the exact path of a route."""
    conditions = part.get("conditions", [])
    return any("exact" in one for one in conditions[:-1])


def modifies_prefix(rule):
    return "ReplacePrefixMatch" in str(rule.get("filters", ""))


# The classes in the order in which they are tried: the name, and whether a deviation is of the class.
CLASSES = (
    ("ingress-same-path", lambda it: "which one answers changes" in it.reason),
    ("kinds-share-host", lambda it: len(it.kinds) > 1 or "several data planes" in it.reason),
    ("host-case-below-wildcard", lambda it: it.host != it.host.lower() and it.request["status"] == 404),
    ("location-host-case", lambda it: it.location and it.said_location and it.location.lower() == it.said_location.lower()),
    ("proxy-exact-before-condition", lambda it: any(is_exact_before_more(part) for part in it.proxy_parts())),
    ("proxy-missing-include", lambda it: "IncludeError IncludeNotFound" in it.complaints and (it.request["status"] == 502 or it.outcome.get("code") == 502)),
    ("ingress-wildcard-hides-catch-all", lambda it: it.kinds == {"Ingress"} and it.request["status"] == 404 and it.is_deep_below_wildcard()),
    ("ingress-default-backend", lambda it: it.kinds == {"Ingress"} and it.rules_for_everything() > 1),
    ("route-redirect-ignores-query", lambda it: it.location and not it.is_only_path() and not it.is_only_port() and any(
        "requestRedirect" in str(rule.get("filters")) and "queryParams" in str(rule.get("matches")) for rule in it.rules())),
    ("route-conflict-drops-rule", lambda it: any(text.split()[-1].startswith("RuleMatch") for text in it.winner_complaints)),
    ("route-wildcard-above-listener", lambda it: "Accepted NoMatchingListenerHostname" in it.winner_complaints),
    ("route-without-backends", lambda it: it.winner.startswith("HTTPRoute/") and not it.winner_rule().get("backendRefs") and "requestRedirect" not in str(it.winner_rule())),
    ("route-redirect-port", lambda it: it.kinds == {"HTTPRoute"} and it.is_only_port()),
    ("route-prefix-slash", lambda it: it.kinds == {"HTTPRoute"} and it.has_prefix_twice()),
    ("ingress-without-https-listener", lambda it: it.kinds == {"Ingress"} and it.world.get("gateway")),
    ("route-listener-isolation", lambda it: it.outcome["kind"] == "none" and it.request["status"] != 404 and it.listeners() > 1),
    ("route-prefix-joined", lambda it: it.is_only_path() and modifies_prefix(it.winner_rule())),
)


def first(classes, deviation):
    """The name of the first of these classes that the deviation is of."""
    return next((name for name, is_of in classes if is_of(deviation)), "other")


def of(world, request, answer):
    """The class of a deviation."""
    return first(CLASSES, Deviation(world, request, answer))
