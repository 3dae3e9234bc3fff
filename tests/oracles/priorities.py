"""The priorities of the rules of Traefik 3.7. The rule with the greatest one answers, regardless of its host and its object."""

from dataclasses import dataclass

PREFIX = "traefik.ingress.kubernetes.io/router."


@dataclass(frozen=True)
class Rule:
    """A rule of Traefik: a path of an Ingress, or a match of an HTTPRoute."""

    object: str
    field: str
    priority: int
    hosts: tuple
    # The type of the path, as its API calls it, and the path.
    kind: str
    path: str
    services: frozenset
    is_redirect: bool = False


def of_ingress(name, one):
    """The rules of an Ingress, whose priorities are the lengths of the rules as Traefik writes them."""
    namespace, annotations = one["metadata"]["namespace"], one["metadata"].get("annotations", {})
    for index, rule in enumerate(one["spec"].get("rules", [])):
        host = rule.get("host")
        for at, path in enumerate(rule["http"]["paths"]):
            matcher = "Path" if path["pathType"] == "Exact" else "PathPrefix"
            if path["pathType"] == "ImplementationSpecific":
                matcher = annotations.get(f"{PREFIX}pathmatcher", matcher)
            written = (f'Host("{host}") && ' if host else "") + f'{matcher}("{path["path"]}")'
            priority = int(annotations.get(f"{PREFIX}priority", 0)) or len(written)
            service = f"{namespace}/{path['backend']['service']['name']}"
            yield Rule(name, f"spec.rules[{index}].http.paths[{at}]", priority, (host,), path["pathType"], path["path"], frozenset([service]))


def of_route(name, one):
    """The rules of an HTTPRoute, whose priorities are sums, in which the host counts little."""
    namespace, hosts, rules = one["metadata"]["namespace"], one["spec"].get("hostnames", []), one["spec"].get("rules", [])
    for index, rule in enumerate(rules):
        services = frozenset(f"{ref.get('namespace', namespace)}/{ref['name']}" for ref in rule.get("backendRefs", []))
        for at, match in enumerate(rule.get("matches", [{}])):
            path = match.get("path", {"type": "PathPrefix", "value": "/"})
            priority = 100_000 if path["type"] == "Exact" else 1 if path == {"type": "PathPrefix", "value": "/"} else 10_000 + 100 * len(path["value"])
            priority += 1_000 * ("method" in match) + 100 * len(match.get("headers", [])) + 10 * len(match.get("queryParams", []))
            priority += max(map(len, hosts), default=0) + len(rules) - index
            field = f"spec.rules[{index}].matches[{at}]"
            yield Rule(name, field, priority, tuple(hosts) or (None,), path["type"], path["value"], services, "requestRedirect" in str(rule.get("filters")))


def rules(objects):
    """The rules of objects by Kind/namespace/name."""
    for name, one in objects.items():
        if one["kind"] == "Ingress":
            yield from of_ingress(name, one)
        if one["kind"] == "HTTPRoute":
            yield from of_route(name, one)
