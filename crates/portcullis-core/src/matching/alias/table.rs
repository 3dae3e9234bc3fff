//! The table of annotations that make controllers serve an object under additional hosts, or that give it DNS records. A new annotation is
//! a row: its key, its syntax, and the controllers that read it.

use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::kinds::Entries;
use crate::matching::controller::Controller::{
    self, Alibaba, Aws, Azure, F5Nginx, HaproxyIngress, HaproxyTech, Higress, IngressNginx, Kong, Skipper, Tencent,
    Traefik,
};
use crate::matching::readers::{Direction, Readers};
use crate::names::domain_of_key;

/// How the value of an annotation names hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// A list of hosts, separated by commas or, in some releases, white space. An entry that begins with `~` is a
    /// regular expression.
    List,
    /// One regular expression.
    Regex,
    /// The conditions of a load balancer, as JSON.
    Conditions,
    /// Forwarding rules of Tencent TKE, as JSON. They have an effect only if another annotation enables them.
    ForwardingRules,
    /// Predicates of Skipper, or routes that begin with predicates.
    Predicates,
    /// The name of a Traefik matcher. Traefik also accepts a whole rule instead.
    Matcher,
    /// A list of DNS names, separated by commas. Spaces are ignored.
    Dns,
    /// Resources of Emissary, as YAML.
    Emissary,
    /// DNS names of a certificate or a record, separated by commas. Entries that are not DNS names are ignored.
    Disclosure,
    /// A boolean that says whether each host is also served with `www.` added or removed.
    Www,
    /// A snippet of nginx configuration.
    NginxSnippet,
    /// A value that is inserted into the nginx configuration unchanged.
    NginxValue,
    /// A value that is inserted between double quotes. ingress-nginx escapes quotes in it, and a custom template may not.
    NginxQuoted,
    /// A snippet of HAProxy configuration.
    HaproxySnippet,
    /// A snippet of HAProxy configuration in the section that accepts the connections for all hosts.
    HaproxyFrontend,
}

/// An annotation that names hosts.
#[derive(Debug, PartialEq, Eq)]
pub struct Alias {
    /// The prefixes of the key, including the `/`.
    prefixes: &'static [&'static str],
    /// The name after the prefix. A `*` at its start or end matches any text.
    name: &'static str,
    /// The syntax of its value.
    pub syntax: Syntax,
    /// The controllers that read it; empty if it is read regardless of the controller that serves the object.
    readers: &'static [Controller],
}

/// The annotation that makes Tencent TKE read forwarding rules from annotations. The console of TKE writes `false` if
/// it should not.
const RULE_MIX: &str = "kubernetes.io/ingress.rule-mix";

/// HAProxy Ingress reads both prefixes.
const HAPROXY_INGRESS: &[&str] = &["haproxy-ingress.github.io/", "ingress.kubernetes.io/"];

/// The controller of HAProxy Technologies reads all of these prefixes.
const HAPROXY_TECH: &[&str] = &["haproxy.com/", "haproxy.org/", "ingress.kubernetes.io/"];

/// ingress-nginx reads the last of these prefixes; Higress and its managed editions read all of them.
const NGINX: &[&str] =
    &["higress.ingress.kubernetes.io/", "higress.io/", "mse.ingress.kubernetes.io/", "nginx.ingress.kubernetes.io/"];

/// external-dns reads the first prefix since release 0.22, and the second in earlier releases.
const EXTERNAL_DNS: &[&str] = &["external-dns.kubernetes.io/", "external-dns.alpha.kubernetes.io/"];

/// Gardener's certificates and its DNS records, in which `*` represents the hosts of the object.
const GARDENER: &[&str] = &["cert.gardener.cloud/", "dns.gardener.cloud/"];

const CERT_MANAGER: &[&str] = &["cert-manager.io/"];
const TRAEFIK: &[&str] = &["traefik.ingress.kubernetes.io/"];
const ALB: &[&str] = &["alb.ingress.kubernetes.io/"];
const SKIPPER: &[&str] = &["zalando.org/"];
const F5_NGINX: &[&str] = &["nginx.com/", "nginx.org/"];

/// What a controller does with a host that an annotation adds to the rules of one object if another object has a rule
/// for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AliasPrecedence {
    /// Both are served with equal precedence, so that either may get requests of the other.
    Equal,
    /// The host is not added.
    Yields,
    /// The behavior is not known.
    Unknown,
}

/// Each entry follows the documentation or source code of the controller.
static ALIAS_PRECEDENCE: &[(Controller, AliasPrecedence)] =
    &[(Azure, AliasPrecedence::Equal), (IngressNginx, AliasPrecedence::Yields), (Kong, AliasPrecedence::Equal)];

/// All rows. The first row that matches a key counts.
static ALIASES: &[Alias] = &[
    row(NGINX, "server-alias", Syntax::List, &[IngressNginx, Higress]),
    row(NGINX, "from-to-www-redirect", Syntax::Www, &[IngressNginx, Higress]),
    row(NGINX, "*-snippet", Syntax::NginxSnippet, &[IngressNginx, Higress]),
    row(F5_NGINX, "*-snippets", Syntax::NginxSnippet, &[F5Nginx]),
    row(HAPROXY_INGRESS, "server-alias", Syntax::List, &[HaproxyIngress]),
    row(HAPROXY_INGRESS, "server-alias-regex", Syntax::Regex, &[HaproxyIngress]),
    row(HAPROXY_INGRESS, "redirect-from", Syntax::List, &[HaproxyIngress]),
    row(HAPROXY_INGRESS, "redirect-from-regex", Syntax::Regex, &[HaproxyIngress]),
    row(HAPROXY_INGRESS, "config-frontend*", Syntax::HaproxyFrontend, &[HaproxyIngress]),
    row(HAPROXY_INGRESS, "config-*", Syntax::HaproxySnippet, &[HaproxyIngress]),
    row(HAPROXY_TECH, "frontend-config-snippet", Syntax::HaproxyFrontend, &[HaproxyTech]),
    row(HAPROXY_TECH, "*-snippet", Syntax::HaproxySnippet, &[HaproxyTech]),
    row(TRAEFIK, "router.pathmatcher", Syntax::Matcher, &[Traefik]),
    row(TRAEFIK, "router.rule", Syntax::Matcher, &[Traefik]),
    row(TRAEFIK, "rule-type", Syntax::Matcher, &[Traefik]),
    row(TRAEFIK, "router.tls.domains.*", Syntax::Dns, &[Traefik]),
    row(&["konghq.com/"], "host-aliases", Syntax::List, &[Kong]),
    row(ALB, "conditions.*", Syntax::Conditions, &[Aws, Alibaba]),
    row(&["appgw.ingress.kubernetes.io/"], "hostname-extension", Syntax::List, &[Azure]),
    row(&["kubernetes.io/"], "ingress.http-rules", Syntax::ForwardingRules, &[Tencent]),
    row(&["kubernetes.io/"], "ingress.https-rules", Syntax::ForwardingRules, &[Tencent]),
    row(SKIPPER, "skipper-predicate", Syntax::Predicates, &[Skipper]),
    row(SKIPPER, "skipper-routes", Syntax::Predicates, &[Skipper]),
    row(&["getambassador.io/"], "config", Syntax::Emissary, &[]),
    row(EXTERNAL_DNS, "hostname", Syntax::Dns, &[]),
    row(EXTERNAL_DNS, "internal-hostname", Syntax::Dns, &[]),
    row(CERT_MANAGER, "alt-names", Syntax::Disclosure, &[]),
    row(CERT_MANAGER, "common-name", Syntax::Disclosure, &[]),
    row(GARDENER, "commonname", Syntax::Disclosure, &[]),
    row(GARDENER, "dnsnames", Syntax::Disclosure, &[]),
    row(&["nginx.ingress.kubernetes.io/"], "auth-realm", Syntax::NginxQuoted, &[IngressNginx]),
    // All other annotations of the two controllers that render their configuration as text.
    row(&["nginx.ingress.kubernetes.io/"], "*", Syntax::NginxValue, &[IngressNginx]),
    row(F5_NGINX, "*", Syntax::NginxValue, &[F5Nginx]),
];

/// The rows by the domain of their keys, in the order of the table.
static BY_DOMAIN: LazyLock<HashMap<&'static str, Vec<&'static Alias>>> = LazyLock::new(|| {
    let mut by_domain = HashMap::<_, Vec<_>>::new();
    for alias in ALIASES {
        alias.prefixes.iter().for_each(|domain| by_domain.entry(*domain).or_default().push(alias));
    }
    by_domain
});

/// The keys of all rows, each with the controllers that read it, and of the annotation that enables forwarding rules.
pub fn keys() -> impl Iterator<Item = (String, &'static [Controller])> {
    let of_row =
        |alias: &'static Alias| alias.prefixes.iter().map(|prefix| (format!("{prefix}{}", alias.name), alias.readers));
    ALIASES.iter().flat_map(of_row).chain([(RULE_MIX.to_owned(), &[Tencent] as &[Controller])])
}

const fn row(
    prefixes: &'static [&'static str],
    name: &'static str,
    syntax: Syntax,
    readers: &'static [Controller],
) -> Alias {
    Alias { prefixes, name, syntax, readers }
}

impl Alias {
    /// The row for the key of an annotation.
    pub fn find(key: &str) -> Option<&'static Self> {
        let domain = domain_of_key(key);
        BY_DOMAIN.get(domain)?.iter().copied().find(|alias| alias.is_named(&key[domain.len()..]))
    }

    /// Whether an annotation with this key adds hosts to all rules of an object.
    pub fn adds_hosts(key: &str) -> bool {
        let domain = domain_of_key(key);
        let mut aliases = BY_DOMAIN.get(domain).into_iter().flatten();
        aliases.any(|alias| alias.adds_to_rules() && alias.name == &key[domain.len()..])
    }

    /// Whether an annotation with this key may list hosts that an object serves.
    pub fn lists_hosts(key: &str) -> bool {
        let domain = domain_of_key(key);
        let mut aliases = BY_DOMAIN.get(domain).into_iter().flatten();
        aliases.any(|alias| alias.may_list() && alias.is_named(&key[domain.len()..]))
    }

    /// Whether it counts for an object that these controllers may serve.
    pub fn is_read_by(&self, controllers: &[Readers]) -> bool {
        self.is_read_by_all() || controllers.iter().any(|readers| readers.count(Direction::Widens, self.readers))
    }

    /// Whether its hosts may certainly be served, instead of being only an upper bound.
    pub fn may_serve(&self) -> bool {
        matches!(self.syntax, Syntax::List | Syntax::Conditions | Syntax::ForwardingRules)
    }

    /// Whether it may list hosts that its object answers, instead of names or configuration of other hosts.
    pub fn may_list(&self) -> bool {
        self.may_serve() || matches!(self.syntax, Syntax::Regex | Syntax::Predicates | Syntax::Matcher | Syntax::Www)
    }

    /// Whether it adds hosts to all rules of an object.
    pub fn adds_to_rules(&self) -> bool {
        self.syntax == Syntax::List
    }

    /// Whether it has an effect, given the other `annotations` of its object.
    pub fn is_on(&self, annotations: &Entries<'_>) -> bool {
        self.syntax != Syntax::ForwardingRules || annotations.get(RULE_MIX).is_some_and(|value| &**value != "false")
    }

    /// What happens to a host that it adds if `controller` serves both objects and the other one has a rule for the
    /// host.
    pub fn precedence(&self, controller: Option<Controller>) -> AliasPrecedence {
        let known = ALIAS_PRECEDENCE.iter().find(|(known, _)| Some(*known) == controller);
        known.filter(|_| self.adds_to_rules()).map_or(AliasPrecedence::Unknown, |(_, precedence)| *precedence)
    }

    /// Whether it is only read on Ingresses.
    pub fn is_of_ingresses(&self) -> bool {
        self.syntax == Syntax::Emissary
    }

    /// Whether it is read regardless of the controller that serves the object.
    pub fn is_read_by_all(&self) -> bool {
        self.readers.is_empty()
    }

    fn is_named(&self, name: &str) -> bool {
        match (self.name.strip_prefix('*'), self.name.strip_suffix('*')) {
            (Some(end), _) => name.ends_with(end),
            (None, Some(start)) => name.starts_with(start),
            (None, None) => name == self.name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_by_each_of_its_keys() {
        for alias in ALIASES {
            for prefix in alias.prefixes {
                let key = format!("{prefix}{}", alias.name.replace('*', "x"));
                let found = Alias::find(&key).unwrap_or_else(|| panic!("{key}"));
                assert!(std::ptr::eq(found, alias), "{key} is read as another row");
            }
        }
    }

    #[test]
    fn a_controller_that_is_not_known_may_read_it_and_a_known_other_does_not() {
        let alias = Alias::find("konghq.com/host-aliases").expect("a row");
        let (other, kong) = (Readers::Only(Controller::Other), Readers::Only(Kong));
        assert!(
            alias.is_read_by(&[Readers::Any]) && alias.is_read_by(&[Readers::None]) && alias.is_read_by(&[other, kong])
        );
        assert!(!alias.is_read_by(&[other]) && !alias.is_read_by(&[Readers::Only(IngressNginx)]));
        let dns = Alias::find("external-dns.kubernetes.io/hostname").expect("a row");
        assert!(dns.is_read_by(&[other]) && dns.is_read_by(&[]));
    }
}
