//! What the data planes of Ingresses distinguish among the requests for one host.

use super::super::route_resolver::{Condition, Scope, hosts_above};
use super::dialect::Dialect;
use super::{Ingresses, nginx_conditions};
use crate::matching::PathTest;
use crate::nginx::Proxy;
use crate::nginx::annotations::PREFIX;

impl<'w> Ingresses<'w> {
    /// What the data planes of the scope distinguish among the requests for `host`.
    pub(super) fn all_conditions<'s>(&'s self, host: &str, scope: &Scope) -> Vec<Condition<'s>> {
        let mut found = Vec::new();
        for host in hosts_above(host) {
            for rule in self.under(&host, scope) {
                let proxy = self.by_plane.get(self.plane_of(rule)).and_then(|own| own.nginx.as_ref());
                match proxy {
                    None => found.push(self.condition(rule)),
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
        let object = self.rules[rule].candidate.object;
        let annotation = proxy.rejected(object)?;
        let why = format!(
            "ingress-nginx ignores {object} because of its annotation {PREFIX}{annotation}, unless it is configured otherwise"
        );
        Some(Condition { doubt: Some(why), ..Condition::of_path(PathTest::All) })
    }

    /// The conditions of a rule that no model of a controller evaluates.
    fn condition(&self, rule: usize) -> Condition<'_> {
        let candidate = &self.rules[rule].candidate;
        let is_specified = self.dialect(self.plane_of(rule)) == Dialect::Specified;
        let path = Some(candidate.spelling).filter(|_| !candidate.is_defined && is_specified);
        let why =
            |path| format!("path {path} is ImplementationSpecific, and how its controller reads it is not evaluated");
        Condition { doubt: path.map(why), ..Condition::of(candidate) }
    }
}
