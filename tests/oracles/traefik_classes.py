"""Names the class of a deviation of Traefik. `expected-traefik.tsv` says for each class whose fault it is.

A class is as narrow as the objects, the request and both answers allow. A deviation of no class is `other`.
"""

from urllib.parse import parse_qsl, urlsplit

import classes
import priorities

REWRITE_TARGET = "nginx.ingress.kubernetes.io/rewrite-target"


class Deviation(classes.Deviation):
    """A deviation, with the rules of Traefik for the host."""

    def __init__(self, world, request, answer):
        super().__init__(world, request, answer)
        self.is_nginx = world["class"] == "nginx"
        self.is_ingress, self.is_route = self.kinds == {"Ingress"}, self.kinds == {"HTTPRoute"}
        self.rules_of_traefik = list(priorities.rules(self.objects))
        field = (answer.get("winner") or {}).get("field")
        # The rule that portcullis names.
        self.own = next((rule for rule in self.rules_of_traefik if (rule.object, rule.field) == (self.winner, field)), None)

    def rivals(self):
        """The other rules, of which one may have given the recorded answer."""
        for rule in self.rules_of_traefik:
            is_its_service = self.request.get("service") in rule.services
            is_its_kind = "service" not in self.request and rule.is_redirect == bool(self.location)
            is_for_host = any(classes.covers(host, self.host.lower()) for host in rule.hosts)
            if rule != self.own and is_for_host and (is_its_service or is_its_kind):
                yield rule

    def is_outranked(self):
        """Whether a rule with a greater priority may have answered."""
        return self.own and any(rule.priority > self.own.priority for rule in self.rivals())

    def is_tied(self):
        """Whether a rule with the same priority may have answered."""
        return self.own and any(rule.priority == self.own.priority for rule in self.rivals())

    def is_unmatched(self):
        """Whether portcullis names no rule, and one may have answered."""
        return self.outcome["kind"] == "none" and any(self.rivals())

    def has_annotation(self, key):
        return any(key in one["metadata"].get("annotations", {}) for one in self.objects.values())

    def is_only_case(self):
        """Whether only upper and lower case in the Location differ."""
        return self.location and self.said_location and self.location.lower() == self.said_location.lower()

    def is_only_slash(self):
        """Whether only a slash at the end of the path differs."""
        mine = self.said_location or (self.outcome.get("request") or {}).get("path", "")
        theirs = self.location or self.request.get("sent", "")
        return (self.is_same_service() or self.location) and urlsplit(mine).path.rstrip("/") == urlsplit(theirs).path.rstrip("/")

    def is_slash_added(self):
        """Whether portcullis says that the path is redirected to the same with a slash."""
        return self.said_location and urlsplit(self.said_location).path == self.path + "/"

    def has_repeated_parameter(self):
        """Whether the request has a query parameter twice."""
        names = [name for name, _ in parse_qsl(urlsplit(self.request["path"]).query, keep_blank_values=True)]
        return len(names) > len(set(names))


# The classes in the order in which they are tried: the name, and whether a deviation is of the class.
CLASSES = (
    ("ingress-same-length", lambda it: "has the same priority" in it.reason),
    ("nginx-path-sent", lambda it: it.is_nginx and it.is_same_service()),
    ("nginx-encoded-slash", lambda it: it.is_nginx and "%2F" in it.path),
    ("nginx-slash-redirect", lambda it: it.is_nginx and it.is_slash_added()),
    ("nginx-rewrite-capture", lambda it: it.is_nginx and it.request["status"] == 400 and it.has_annotation(REWRITE_TARGET)),
    ("nginx-wider-host", lambda it: it.is_nginx and it.is_unmatched()),
    ("nginx-rule-length", lambda it: it.is_nginx and any(it.rivals())),
    ("kinds-share-host", lambda it: len(it.kinds) > 1 or "several data planes" in it.reason),
    ("location-host-case", lambda it: it.is_only_case()),
    ("route-without-weights", lambda it: it.request["status"] == 503 and it.outcome.get("code") == 500),
    ("route-redirect-port", lambda it: it.is_only_port()),
    ("route-replaced-root", lambda it: classes.modifies_prefix(it.winner_rule()) and it.is_only_slash()),
    ("route-listener-isolation", lambda it: it.outcome["kind"] == "none" and it.listeners() > 1),
    ("route-priority", lambda it: it.is_route and it.is_outranked()),
    ("route-same-priority", lambda it: it.is_route and it.is_tied()),
    ("route-repeated-parameter", lambda it: it.is_route and it.has_repeated_parameter()),
)


def of(world, request, answer):
    """The class of a deviation."""
    return classes.first(CLASSES, Deviation(world, request, answer))
