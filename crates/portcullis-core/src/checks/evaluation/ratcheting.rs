//! Compares the findings with those of the old object.

use std::mem;
use std::rc::Rc;

use super::Evaluation;
use crate::checks::When;
use crate::checks::added_claims::AddedClaims;
use crate::checks::check_findings::CheckFindings;
use crate::checks::effective::EffectiveSetting;
use crate::checks::enabled::Enabled;
use crate::checks::shared::ObjectParts;
use crate::finding::{EarlierFindings, Finding, Findings, Omitted};
use crate::kinds::{KindSet, Object};

impl<'r> Evaluation<'r> {
    /// An evaluation of the old object.
    fn earlier(&self) -> Self {
        let expressions = Rc::clone(&self.expressions);
        Self { is_earlier: true, expressions, ..Self::new(self.settings, self.view, self.write) }
    }

    /// Whether the old object is needed: there are findings or missing kinds to compare, or an enabled check compares
    /// both versions.
    pub fn wants_old(&self, object: &Object<'_>) -> bool {
        let compares = |enabled: &Enabled| enabled.check.when == When::Update;
        let mut enabled = self.settings.enabled.of(object.kind());
        self.is_given_up || !self.found.is_empty() || !self.waiting.is_empty() || enabled.any(compares)
    }

    /// Marks all findings as preexisting.
    pub fn mark_all_preexisting(&mut self) {
        self.waiting = KindSet::EMPTY;
        self.found.iter_mut().for_each(CheckFindings::mark_all_preexisting);
    }

    /// Runs the checks with findings on the old object, too, and marks the findings that it already had. A finding about
    /// a claim to which the update adds is not marked: it is judged like that of a new object.
    pub fn mark_preexisting(&mut self, object: &Object<'_>, old: &Object<'_>) {
        self.compare(object, old);
        // An update that changes nothing is never blocked, however much there is to check.
        if is_unchanged(object, old) {
            self.waiting = KindSet::EMPTY;
            self.is_given_up = false;
        }
    }

    fn compare(&mut self, object: &Object<'_>, old: &Object<'_>) {
        let found: Vec<&'r Enabled> = self.found.iter().map(|found| found.enabled).collect();
        let is_compared = |enabled: &&Enabled| found.iter().any(|found| std::ptr::eq(*found, *enabled));
        let mut earlier = self.earlier();
        let object_parts = ObjectParts::of(old);
        object_parts.compute();
        earlier.run_each(&object_parts, self.checks_of(object.kind()).filter(is_compared), Self::collect);
        self.is_given_up |= earlier.is_given_up;
        if earlier.found.is_empty() {
            return;
        }
        let added = AddedClaims::of(object, old);
        for was in earlier.found {
            let Some(position) = self.found.iter().position(|own| std::ptr::eq(own.enabled, was.enabled)) else {
                continue;
            };
            // What the old object was allowed under milder settings, for example in another class, excuses nothing.
            if was.effective.action < self.found[position].effective.action {
                continue;
            }
            match self.found[position].has_omitted() {
                true => self.found[position] = self.tolerating(was.enabled, object, was.earlier(), &added),
                false => self.found[position].mark_preexisting(was.earlier(), &added),
            }
        }
    }

    /// Runs a check with too many findings again, so that findings of the old object (`earlier`) make room for new
    /// ones.
    fn tolerating(
        &mut self,
        enabled: &'r Enabled,
        object: &Object<'_>,
        earlier: EarlierFindings,
        added: &AddedClaims,
    ) -> CheckFindings<'r> {
        let expressions = Rc::clone(&self.expressions);
        let mut again = Self { expressions, ..Self::new(self.settings, self.view, self.write) };
        let (mut found, mut collected) = (Vec::new(), (Omitted::default(), Some(earlier)));
        let mut effective = None;
        let is_new = |finding: &Finding| added.concern(finding);
        again.run_each(&ObjectParts::of(object), std::iter::once(enabled), |evaluation, enabled, input, turn, part| {
            let subject = evaluation.subject(input.classes());
            let settings = evaluation.effective(enabled, &input.classes(), &subject, turn);
            let (omitted, earlier) = mem::take(&mut collected);
            let mut findings = Findings::of(enabled.check.id, &mut found)
                .doubting(self.unread_by(enabled))
                .continuing(omitted)
                .tolerating(earlier.unwrap_or_default(), &is_new);
            turn.trace.begin();
            let context = evaluation.context(&settings.options, subject, input, turn, part);
            enabled.check.run.check(input, &context, &mut findings);
            let (omitted, earlier) = findings.finish_tolerating();
            collected = (omitted, Some(earlier));
            effective = Some(settings);
        });
        let effective = effective.unwrap_or_else(|| EffectiveSetting::of(enabled));
        self.is_given_up |= again.is_given_up;
        CheckFindings::new(enabled, effective, found, collected.0)
    }
}

/// Whether an update leaves spec, labels and annotations unchanged, and with them everything that a check reads.
fn is_unchanged(object: &Object<'_>, old: &Object<'_>) -> bool {
    let (new, before) = (object.metadata(), old.metadata());
    object.same_spec(old) && new.labels == before.labels && new.annotations == before.annotations
}
