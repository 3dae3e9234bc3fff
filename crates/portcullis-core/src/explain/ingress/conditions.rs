//! What the data planes of Ingresses distinguish among the requests for one host.

use std::borrow::Cow;

use super::super::ingress_rules::HostRule;
use super::super::route_resolver::{Condition, Scope, hosts_above};
use super::dialect::Dialect;
use super::{Ingresses, f5_nginx, kong, nginx_conditions};
use crate::matching::PathTest;
use crate::nginx::annotations::{self, PREFIX};
use crate::nginx::{Proxy, snippet};

impl<'w> Ingresses<'w> {
    /// What the data planes of the scope distinguish among the requests for `host`.
    pub(super) fn all_conditions<'s>(&'s self, host: &str, scope: &Scope) -> Vec<Condition<'s>> {
        let mut found = Vec::new();
        for host in hosts_above(host) {
            for rule in self.under(&host, scope) {
                let proxy = self.by_plane.get(self.plane_of(rule)).and_then(|own| own.nginx.as_ref());
                match proxy {
                    None => found.extend(self.conditions_of(rule)),
                    Some(proxy) => found.extend(self.ignored(proxy, rule)),
                }
            }
        }
        let in_scope = self.by_plane.iter().filter(|(plane, _)| self.is_in_scope(plane, scope));
        let proxies = in_scope.filter_map(|(_, own)| own.nginx.as_ref());
        found.extend(proxies.flat_map(|proxy| nginx_conditions::of(proxy, host)));
        found
    }

    /// A doubt about an Ingress that the controller ignores, unless it has settings that are not known.
    fn ignored(&self, proxy: &Proxy<'w>, rule: usize) -> Option<Condition<'_>> {
        let HostRule { source, candidate, .. } = &self.rules[rule];
        let object = candidate.object;
        let annotation = proxy.rejected(object)?;
        let ingress = self.sources[*source].ingress;
        let shown = annotations::find(annotation, ingress).and_then(|(_, text)| snippet::shown(annotation, text));
        // With expressions, other paths would be served, too.
        let is_regex = ["use-regex", "rewrite-target"].iter().any(|name| annotations::find(name, ingress).is_some());
        let why = format!(
            "ingress-nginx ignores {object} because of its annotation {PREFIX}{annotation}, unless it is configured otherwise"
        );
        let doubtful = Condition { doubt: Some(why), ..Condition::of_path(PathTest::All) };
        Some(match shown.filter(|_| !is_regex) {
            Some(shown) => Condition { path: Cow::Borrowed(&candidate.path), shown: Some(shown), ..doubtful },
            None => doubtful,
        })
    }

    /// The conditions of a rule of another controller.
    fn conditions_of(&self, rule: usize) -> impl Iterator<Item = Condition<'_>> {
        let candidate = &self.rules[rule].candidate;
        let dialect = self.dialect(self.plane_of(rule));
        let is_specified = dialect == Dialect::Specified;
        let path = Some(candidate.spelling).filter(|_| !candidate.is_defined && is_specified);
        let why =
            |path| format!("path {path} is ImplementationSpecific, and how its controller reads it is not evaluated");
        let own = Condition { doubt: path.map(why), ..Condition::of(candidate) };
        let without_slash =
            Some(&candidate.path).filter(|_| dialect == Dialect::F5Nginx).and_then(f5_nginx::without_slash);
        let annotations = &self.sources[self.rules[rule].source].ingress.metadata.annotations;
        let annotated = if dialect == Dialect::Kong { kong::conditions(annotations, candidate) } else { Vec::new() };
        std::iter::once(own).chain(without_slash.map(Condition::of_path)).chain(annotated)
    }
}
