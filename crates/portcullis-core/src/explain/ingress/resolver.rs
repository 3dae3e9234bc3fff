//! Requests of `explain` for Ingresses: which data planes and rules they reach.

use std::collections::{BTreeMap, BTreeSet};

use super::Ingresses;
use crate::explain::answer::{Loser, PlaneAnswer};
use crate::explain::ingress_source::IngressPlane;
use crate::explain::request::Request;
use crate::explain::route_resolver::{ApiAnswer, Condition, Detail, RouteResolver, Scope, hosts_above};
use crate::explain::selection::are_few;
use crate::matching::Host;
use crate::nginx::Proxy;

impl<'w> RouteResolver<'w> for Ingresses<'w> {
    fn ask(&self, request: &Request, scope: &Scope, detail: Detail) -> ApiAnswer {
        let in_scope: Vec<&IngressPlane<'w>> =
            self.by_plane.keys().filter(|plane| self.is_in_scope(plane, scope)).collect();
        let total: usize = in_scope.iter().map(|plane| self.by_plane[*plane].rules.len()).sum();
        let mut ranks: BTreeMap<&IngressPlane<'w>, [Vec<usize>; 3]> = BTreeMap::new();
        // Without a rule for the host, only a default backend answers, or a proxy itself.
        let answers = |plane: &&IngressPlane<'w>| {
            let own = &self.by_plane[*plane];
            detail == Detail::WithLosers || own.nginx.is_some() || !own.default_backends.is_empty()
        };
        ranks.extend(in_scope.into_iter().filter(answers).map(|plane| (plane, Default::default())));
        let (mut near, mut seen) = (Vec::new(), BTreeSet::new());
        let wider = [Host::Wildcard(request.host.as_str().into())];
        for host in hosts_above(&request.host).iter().chain(&wider) {
            for rule in self.under(host, scope) {
                seen.insert(rule);
                match host.matches(&request.host, self.dialect(self.plane_of(rule)).wildcard_depth()) {
                    true => ranks.entry(self.plane_of(rule)).or_default()[rank(host)].push(rule),
                    false => near.push(rule),
                }
            }
        }
        let mut verdicts: BTreeMap<&IngressPlane<'w>, PlaneAnswer> =
            ranks.iter().map(|(plane, ranks)| (*plane, self.verdict(plane, ranks, request, detail))).collect();
        if detail == Detail::OnlyAnswers {
            return ApiAnswer { verdicts: verdicts.into_values().collect(), elsewhere: 0 };
        }
        for (plane, loser) in self.possible_claims(request) {
            if let Some(verdict) = verdicts.get_mut(plane) {
                verdict.losers.push(loser);
            }
        }
        let mut lose = |rule: usize, reason: String, is_elsewhere: bool| {
            if let Some(verdict) = verdicts.get_mut(self.plane_of(rule)) {
                verdict.losers.push(Loser { is_elsewhere, ..self.lost(rule, reason) });
            }
        };
        let one_label = |rule: usize| format!("host {}: `*` matches exactly one label", self.rules[rule].host);
        near.into_iter().for_each(|rule| lose(rule, one_label(rule), false));
        let others = total - seen.len();
        if are_few(others) {
            let of_planes = ranks.keys().filter_map(|plane| self.by_plane.get(*plane)).flat_map(|own| &own.rules);
            let rest = of_planes.filter(|rule| !seen.contains(*rule));
            rest.for_each(|rule| lose(*rule, format!("host {}", self.rules[*rule].host), true));
        }
        let verdicts = verdicts.into_values().filter(|answer| answer.winner.is_some() || !answer.losers.is_empty());
        ApiAnswer { verdicts: verdicts.collect(), elsewhere: if are_few(others) { 0 } else { others } }
    }

    fn has_objects(&self, scope: &Scope) -> bool {
        let used = self.by_plane.values().flat_map(|own| own.classes.iter().copied());
        used.chain(self.controllers.keys().copied().map(Some)).any(|class| scope.has_class(class))
    }

    fn collect_hosts<'s>(&'s self, scope: &Scope, hosts: &mut BTreeSet<Host<'s>>) {
        let in_scope = self.by_plane.iter().filter(|(plane, _)| self.is_in_scope(plane, scope));
        for (_, own) in in_scope {
            hosts.extend(own.rules.iter().map(|rule| self.rules[*rule].host.borrowed()));
            hosts.extend(own.nginx.iter().flat_map(Proxy::other_names));
            // Over TLS, a host with a certificate differs from others below a wildcard.
            hosts.extend(own.certified.iter().map(Host::borrowed));
        }
    }

    fn conditions<'s>(&'s self, host: &str, scope: &Scope) -> Vec<Condition<'s>> {
        self.all_conditions(host, scope)
    }
}

/// The index of a host in the `ranks` of [`Ingresses::verdict`].
fn rank(host: &Host<'_>) -> usize {
    match host {
        Host::Precise(_) => 0,
        Host::Wildcard(_) => 1,
        Host::Any => 2,
    }
}
