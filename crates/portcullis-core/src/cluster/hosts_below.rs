//! A walk over the hosts below a wildcard, which a review may interrupt to release the view.

use super::index::Slot;
use super::{IngressFacts, Overlay};
use crate::kinds::Kind;

/// A host below a wildcard, and an Ingress that names it.
#[derive(Debug, Clone, Copy)]
pub struct HostBelow<'c> {
    /// The host.
    pub host: &'c str,
    /// The Ingress.
    pub facts: &'c IngressFacts,
    view: usize,
    slot: Slot,
}

impl HostBelow<'_> {
    /// The position after this host.
    pub fn cursor(&self) -> HostCursor {
        HostCursor { view: self.view, host: self.host.into(), slot: self.slot }
    }
}

/// A position in a walk. It stays valid if the view changes.
#[derive(Debug)]
pub struct HostCursor {
    view: usize,
    host: Box<str>,
    slot: Slot,
}

impl<'c> Overlay<'c> {
    /// The precise hosts of other Ingresses that consist of one label and `.suffix`, each with one of these Ingresses, from
    /// the one after `last` on.
    pub fn ingress_hosts_one_label_under(
        &self,
        suffix: &str,
        last: Option<&HostCursor>,
    ) -> impl Iterator<Item = HostBelow<'c>> {
        self.reads(Kind::Ingress);
        let skipped = last.map_or(0, |last| last.view);
        let others = self.views().enumerate().skip(skipped).flat_map(move |(view, cluster)| {
            let last = last.filter(|last| last.view == view).map(|last| (&*last.host, last.slot));
            let under = cluster.ingresses.one_label_under(suffix, last);
            under.map(move |(host, slot, facts)| HostBelow { host, facts, view, slot })
        });
        others.filter(|below| !self.is_this(&below.facts.object_ref))
    }
}
