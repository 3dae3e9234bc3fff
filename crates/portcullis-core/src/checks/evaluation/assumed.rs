//! Findings that depend on the channel of a bundle that is only assumed.

use super::Evaluation;
use crate::checks::enabled::Enabled;
use crate::checks::{Context, Input, Part, assumption, content};
use crate::cluster::{Overlay, Trace};
use crate::field::FieldPath;
use crate::finding::{Action, Finding, Findings, Omitted};
use crate::kinds::Object;

impl<'r> Evaluation<'r> {
    /// Restores the denials of which the other channel of the assumed bundle refuses the same element for another fault.
    pub(super) fn restore_downgraded(&mut self, object: &Object<'_>, cluster: &Overlay<'_>) {
        let other = cluster.assuming(assumption::other_channel(self.settings.bundle));
        let faults = content::faults_in(object, &other, &self.settings.config);
        let is_refused = |at: &FieldPath| faults.iter().any(|fault| assumption::is_of_one_element(at, &fault.at));
        let (restored, downgraded): (Vec<_>, Vec<_>) = std::mem::take(&mut self.downgraded)
            .into_iter()
            .partition(|(_, at, action)| *action == Action::Deny && is_refused(at));
        for found in &mut self.found {
            found.restore_denials(|id, at| restored.iter().any(|(check, address, _)| *check == id && address == at));
        }
        if downgraded.is_empty() {
            self.assumed = None;
        }
        self.downgraded = downgraded;
    }

    /// Turns findings that depend on the channel of an assumed bundle into warnings. Returns their addresses and
    /// their actions before.
    pub(super) fn downgrade_assumed(
        &self,
        enabled: &Enabled,
        (found, omitted): (&mut [Finding], &mut Omitted),
        context: &Context<'_>,
        trace: &Trace,
        input: &Input<'_, '_, '_>,
    ) -> Vec<(FieldPath, Action)> {
        if !assumption::is_bundle_assumed(self.settings, context) {
            return Vec::new();
        }
        let bundle = self.settings.bundle;
        let all_parts = |context: &Context<'_>, found: &mut Findings<'_>| {
            Part::each(|part| enabled.check.run.check(input, &Context { part, ..*context }, found));
        };
        trace.begin();
        let downgraded = assumption::downgrade(enabled.check.id, bundle, found, context, all_parts);
        if found.iter().all(|finding| finding.at_most <= Action::Warn) {
            omitted.only_warn();
        }
        downgraded
    }
}
