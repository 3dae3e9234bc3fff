//! One review on its way through the checks of a plan: what is found, what was so already, what must wait.

use std::collections::BTreeSet;

use super::enabled::Enabled;
use super::found::Found;
use super::judgement::{Judged, Judgement, Write};
use super::settings::{self, Settings};
use super::{Context, Operation, Run, Shared};
use crate::cluster::{Overlay, Subject};
use crate::config::{Expiry, Validity};
use crate::finding::{Action, Findings};
use crate::kinds::schema::UnknownField;
use crate::kinds::{KindSet, Misfit, Object};
use crate::routing::delegation::Standing;

/// How many patterns of that annotation are read.
const MOST_IGNORED: usize = 100;

/// The annotation by which an author silences warnings: ids, `family/*` or `*`, separated by commas.
pub const IGNORE_ANNOTATION: &str = "portcullis.dev/ignore";

/// One review on its way through the checks.
pub struct Round<'r> {
    settings: &'r Settings,
    cluster: &'r Overlay<'r>,
    write: &'r Write<'r>,
    found: Vec<Found<'r>>,
    waiting: KindSet,
    ending: BTreeSet<usize>,
    standing: Standing,
}

impl<'r> Round<'r> {
    /// A review that has met no check yet.
    pub fn new(settings: &'r Settings, cluster: &'r Overlay<'r>, write: &'r Write<'r>) -> Self {
        cluster.assume(settings.bundle);
        Self {
            settings,
            cluster,
            write,
            found: Vec::new(),
            waiting: KindSet::EMPTY,
            ending: BTreeSet::new(),
            standing: Standing::new(),
        }
    }

    /// Runs every check that judges `object` by itself.
    pub fn run(&mut self, object: &Object<'_>) {
        let judged = self.shared(object);
        for enabled in self.settings.enabled.of(object.kind()) {
            self.run_one(enabled, &judged);
        }
    }

    fn shared<'o, 'a>(&self, object: &'o Object<'a>) -> Shared<'o, 'a, 'r> {
        Shared::of(object, &self.write.this.namespace, self.cluster)
    }

    fn run_one(&mut self, enabled: &'r Enabled, judged: &Shared<'_, '_, 'r>) {
        let run = enabled.check.run;
        if !run.is_for(self.write.operation) || self.is_enforced(enabled) {
            return;
        }
        self.collect(enabled, judged.class(), |context, found| run.judge(judged, context, found));
    }

    /// Whether the API server refused already what the check would find: the schema of the object's kind says the same.
    fn is_enforced(&self, enabled: &Enabled) -> bool {
        let Some(enforced) = enabled.check.enforced else { return false };
        let schema = self.cluster.schema(self.write.this.kind);
        schema.enforced && self.write.operation != Operation::Stored && enforced.holds_in(schema.bundle)
    }

    /// Runs the checks that judge the step from `old` to `object`.
    pub fn run_changes(&mut self, object: &Object<'_>, old: &Object<'_>) {
        let class = self.shared(object).class();
        for enabled in self.settings.enabled.of(object.kind()).filter(|enabled| enabled.check.run.compares()) {
            if !self.is_enforced(enabled) {
                let run = enabled.check.run;
                self.collect(enabled, class, |context, found| run.judge_change(object, old, context, found));
            }
        }
    }

    /// Runs the checks of what `object`, as a manifest holds it, has beyond its kind; of a field that another check has told about nothing
    /// more is said.
    pub fn run_manifest(&mut self, object: &Object<'_>, unknown: &[UnknownField]) {
        let class = self.shared(object).class();
        let told = || self.found.iter().flat_map(Found::findings);
        let is_told = |field: &&UnknownField| told().any(|finding| finding.at == field.at);
        let untold: Vec<UnknownField> = unknown.iter().filter(|field| !is_told(field)).cloned().collect();
        for enabled in self.settings.enabled.iter() {
            if let Run::Manifest(check) = enabled.check.run {
                self.collect(enabled, class, |context, found| check(&untold, context, found));
            }
        }
    }

    /// Runs the checks of what could not be read.
    pub fn run_unreadable(&mut self, misfit: &Misfit, was_so: bool) {
        for enabled in self.settings.enabled.iter() {
            if let Run::Unreadable(kinds, check) = enabled.check.run
                && kinds.contains(self.write.this.kind)
            {
                self.collect(enabled, None, |context, found| check(misfit, context, found));
            }
        }
        self.found.iter_mut().for_each(|found| found.mark(was_so));
    }

    /// Whether there is something to hold against the object as it was.
    pub fn wants_old(&self, object: &Object<'_>) -> bool {
        let compares = |enabled: &Enabled| enabled.check.run.compares();
        let mut enabled = self.settings.enabled.of(object.kind());
        !self.found.is_empty() || !self.waiting.is_empty() || enabled.any(compares)
    }

    /// Runs one check, drops what the configuration does not mean, and notes whether the answer hangs on a first list.
    fn collect(
        &mut self,
        enabled: &'r Enabled,
        class: Option<&str>,
        check: impl FnOnce(&Context<'_>, &mut Findings<'_>),
    ) {
        let write = self.write;
        let subject = Subject { class, namespace: &write.this.namespace, user: write.user };
        let context = Context {
            operation: write.operation,
            this: write.this,
            subject,
            cluster: self.cluster,
            options: &enabled.options,
            ownership: &self.settings.ownership,
            config: &self.settings.config,
            now: write.now,
            standing: &self.standing,
        };
        let mut found = Vec::new();
        let mut findings = Findings::of(enabled.check.id, &mut found);
        check(&context, &mut findings);
        let surplus = findings.surplus();
        let asked = self.cluster.take_asked();
        let waits = if enabled.action == Action::Deny { self.cluster.not_synced(asked) } else { KindSet::EMPTY };
        if found.is_empty() && waits.is_empty() {
            return;
        }
        let meant = self.is_meant(enabled, &subject, !found.is_empty());
        // What nobody means need not be waited for, but whether it is meant may hang on labels that are on the way.
        let labels = self.cluster.not_synced(self.cluster.take_asked());
        match (meant, enabled.action) {
            (Some(true), _) => self.waiting = self.waiting.union(waits),
            (None, Action::Deny) => self.waiting = self.waiting.union(labels),
            _ => {}
        }
        if meant == Some(true) && !found.is_empty() {
            self.found.push(Found::new(enabled, found, surplus));
        }
    }

    /// Whether the configuration means this write: it is matched, and not exempted; `None` where that hangs on labels that are not known.
    fn is_meant(&mut self, enabled: &Enabled, subject: &Subject<'_>, has_found: bool) -> Option<bool> {
        if !self.cluster.matches(&enabled.only, subject)? {
            return Some(false);
        }
        for position in &enabled.exemptions {
            let exemption = &self.settings.config.exemptions[*position];
            let validity = Expiry::validity(exemption.expires, self.write.now);
            if validity == Validity::Over || !self.cluster.matches(&exemption.only, subject)? {
                continue;
            }
            if validity == Validity::EndsSoon && has_found {
                self.ending.insert(*position);
            }
            return Some(false);
        }
        Some(true)
    }

    /// Marks what the same checks find in the object as it was.
    pub fn forgive(&mut self, object: &Object<'_>, old: &Object<'_>) {
        if is_unchanged(object, old) {
            self.waiting = KindSet::EMPTY;
        }
        let mut before = Round::new(self.settings, self.cluster, self.write);
        let judged = self.shared(old);
        for found in &mut self.found {
            before.run_one(found.enabled, &judged);
            if let Some(was) = before.found.pop() {
                found.forgive(&was);
            }
        }
    }

    /// The judgement, without the warnings that the object's author silences.
    pub fn finish(self, object: &Object<'_>) -> Judgement {
        let ignored = object.metadata().annotations.get(IGNORE_ANNOTATION);
        let ignored = ignored.map(|list| &**list).unwrap_or_default();
        let patterns: Vec<&str> = ignored.split(',').map(str::trim).take(MOST_IGNORED).collect();
        self.judgement(|id| patterns.iter().any(|pattern| settings::names(pattern, id)))
    }

    /// The judgement, without the warnings of the checks that are ignored.
    pub fn judgement(self, is_ignored: impl Fn(&str) -> bool) -> Judgement {
        let surplus = self.found.iter().filter_map(Found::surplus).collect();
        let judged = self.found.into_iter().flat_map(|found| {
            let is_ignored = is_ignored(found.enabled.check.id);
            found.judged(is_ignored)
        });
        let mut findings: Vec<Judged> = judged.collect();
        findings.sort_by(|Judged { finding: left, .. }, Judged { finding: right, .. }| {
            (&left.at, left.check, &left.value).cmp(&(&right.at, right.check, &right.value))
        });
        Judgement { findings, surplus, waiting: self.waiting, ending: self.ending.into_iter().collect() }
    }
}

/// Whether a write leaves everything alone that any check judges: a status, a finalizer, a managed field.
fn is_unchanged(object: &Object<'_>, old: &Object<'_>) -> bool {
    let (new, before) = (object.metadata(), old.metadata());
    object.same_spec(old) && new.labels == before.labels && new.annotations == before.annotations
}
