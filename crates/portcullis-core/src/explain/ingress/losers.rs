//! What does not answer a request, and why.

use std::collections::BTreeSet;

use super::Ingresses;
use crate::explain::answer::Loser;
use crate::explain::ingress_source::{ANNOTATIONS, DEFAULT_BACKEND, IngressPlane};
use crate::explain::not_evaluated::NotEvaluated;
use crate::explain::request::Request;
use crate::explain::selection::{are_few, loser};
use crate::field::At;
use crate::matching::host::Depth;

impl<'w> Ingresses<'w> {
    pub(super) fn lost(&self, rule: usize, reason: String) -> Loser {
        loser(&self.rules[rule].candidate, reason)
    }

    /// The canaries beside the `chosen` rule that may take a share of its requests, each as text.
    pub(super) fn canaries(&self, own: &[usize], chosen: Option<usize>, request: &Request) -> Vec<NotEvaluated> {
        let others = own.iter().filter(|rule| Some(**rule) != chosen).map(|rule| &self.rules[*rule]);
        let canaries = others.filter(|rule| rule.candidate.is_canary && rule.candidate.matches(request));
        canaries.map(|rule| NotEvaluated::Other(format!("canary {}", rule.candidate.object))).collect()
    }

    /// The default backends of a data plane that do not answer, where a rule is `chosen`, or else `default` answers.
    pub(super) fn default_losers(
        &self,
        default_backends: &[usize],
        owners: &BTreeSet<usize>,
        (chosen, default): (Option<usize>, Option<usize>),
    ) -> impl Iterator<Item = Loser> {
        let shown = default_backends
            .iter()
            .copied()
            .filter(move |source| are_few(default_backends.len()) || owners.contains(source));
        shown.filter_map(move |source| {
            let reason = match (chosen, default) {
                (Some(_), _) => "a rule matches the request".to_owned(),
                (None, Some(first)) if first != source => self.before(first, source, owners),
                (None, _) => return None,
            };
            let (object, field) = (self.sources[source].object_ref.clone(), At::field(DEFAULT_BACKEND).into());
            Some(Loser { object, field, reason, is_elsewhere: false })
        })
    }

    /// The annotations that may add the request's host, each with the data plane of its Ingress.
    pub(super) fn possible_claims(&self, request: &Request) -> impl Iterator<Item = (&IngressPlane<'w>, Loser)> {
        // The model of ingress-nginx evaluates these annotations.
        let is_modelled = |source: usize| {
            let own = self.by_plane.get(&self.sources[source].plane);
            own.is_some_and(|plane_ingresses| plane_ingresses.nginx.is_some())
        };
        let open = self.possible_hosts.iter().filter(move |(source, _)| !is_modelled(*source));
        let added = open.filter(move |(_, added)| added.host.matches(&request.host, Depth::AnyLabels));
        added.map(move |(source, added)| {
            let source = &self.sources[*source];
            let (object, field) = (source.object_ref.clone(), At::field(ANNOTATIONS).key(added.key));
            let reason = "may also claim this host: explain does not evaluate regular expressions or malformed names in annotations";
            (&source.plane, Loser { object, field, reason: reason.to_owned(), is_elsewhere: false })
        })
    }

    /// Why the default backend of `first` takes precedence over that of `second`.
    pub(super) fn before(&self, first: usize, second: usize, owners: &BTreeSet<usize>) -> String {
        let is_owned = owners.contains(&first) && !owners.contains(&second);
        let (first, second) = (&self.sources[first], &self.sources[second]);
        match first.ingress.metadata.created() == second.ingress.metadata.created() {
            _ if is_owned => format!("{} has the host", first.object_ref),
            true => format!("{} also has a default backend and comes first by name", first.object_ref),
            false => format!("older {} also has a default backend", first.object_ref),
        }
    }
}
