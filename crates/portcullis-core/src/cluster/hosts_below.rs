//! A walk over hosts of Ingresses, which a review may interrupt to release the view.

use super::reach::Reach;
use super::slot::Slot;
use super::{IngressFacts, Overlay};
use crate::kinds::Kind;

/// A host of a walk, and an Ingress that names it.
#[derive(Debug, Clone, Copy)]
pub struct HostBelow<'c> {
    /// The host, in canonical form.
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
    /// The hosts of other Ingresses within `reach`, each with one of these Ingresses, from the one after `last` on.
    pub fn ingress_hosts(&self, reach: Reach<'_>, last: Option<&HostCursor>) -> impl Iterator<Item = HostBelow<'c>> {
        self.reads(Kind::Ingress);
        let skipped = last.map_or(0, |last| last.view);
        let others = self.views().enumerate().skip(skipped).flat_map(move |(view, cluster)| {
            let last = last.filter(|last| last.view == view).map(|last| (&*last.host, last.slot));
            let hosts = cluster.ingresses.hosts(reach, last);
            hosts.map(move |(host, slot, facts)| HostBelow { host, facts, view, slot })
        });
        others.filter(|below| !self.is_this(&below.facts.object_ref))
    }
}
