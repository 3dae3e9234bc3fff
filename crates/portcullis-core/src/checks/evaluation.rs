//! One review on its way through the checks of a plan: what is found, what the object had before, what must wait.

use std::collections::BTreeSet;
use std::mem;

use jiff::Timestamp;

use super::assumption;
use super::check_findings::CheckFindings;
use super::enabled::Enabled;
use super::ignore;
use super::outcome::{EvaluatedFinding, Outcome, Write};
use super::settings::Settings;
use super::{Context, Operation, ReviewSubjects, Run, When};
use crate::bundle::Bundle;
use crate::cluster::{Exhausted, Overlay, Subject, Trace, View};
use crate::config::{Expiry, Theme, Validity};
use crate::field::FieldPath;
use crate::finding::{Action, Cause, Earlier, Finding, Findings};
use crate::kinds::ingress::Classes;
use crate::kinds::schema::ManifestErrors;
use crate::kinds::{DecodeError, Kind, KindSet, Object};
use crate::routing::delegation::NeighborVerdicts;
use crate::validation::Test;

/// One review on its way through the checks.
pub struct Evaluation<'r> {
    settings: &'r Settings,
    view: &'r dyn View,
    write: &'r Write<'r>,
    found: Vec<CheckFindings<'r>>,
    waiting: KindSet,
    expiring: BTreeSet<usize>,
    assumed: Option<Bundle>,
    /// Whose objects took more comparisons than a check may make, if any did.
    exhausted: Option<Exhausted>,
    /// Where the object has something of which nothing was read.
    unread: Vec<FieldPath>,
    /// Whether this is the object as it was, with which another evaluation compares.
    is_earlier: bool,
    /// When the object was created, where that decides something: of stored objects the younger is at fault.
    created: Option<Timestamp>,
}

/// A turn with the view, which is given back at its end.
struct Turn<'t> {
    cluster: &'t Overlay<'t>,
    trace: &'t Trace,
    neighbors: NeighborVerdicts,
}

impl<'r> Evaluation<'r> {
    /// A review that has met no check yet.
    pub fn new(settings: &'r Settings, view: &'r dyn View, write: &'r Write<'r>) -> Self {
        Self {
            settings,
            view,
            write,
            found: Vec::new(),
            waiting: KindSet::EMPTY,
            expiring: BTreeSet::new(),
            assumed: None,
            exhausted: None,
            unread: Vec::new(),
            is_earlier: false,
            created: None,
        }
    }

    /// An evaluation of the object as it was.
    fn earlier(&self) -> Self {
        Self { is_earlier: true, ..Self::new(self.settings, self.view, self.write) }
    }

    /// Runs every check that judges `object` by itself.
    pub fn run(&mut self, object: &Object<'_>) {
        self.created = if self.write.operation == Operation::Stored { object.metadata().created() } else { None };
        self.run_each(object, self.settings.enabled.of(object.kind()), Self::run_one);
    }

    /// Calls `run` for one check after the other. Between two of them the view is released if a writer waits for it; what was derived
    /// from the object and the view is then derived again.
    fn run_each(
        &mut self,
        object: &Object<'_>,
        checks: impl Iterator<Item = &'r Enabled>,
        mut run: impl FnMut(&mut Self, &'r Enabled, &ReviewSubjects<'_, '_, '_>, &Turn<'_>),
    ) {
        let mut checks = checks.peekable();
        while checks.peek().is_some() {
            self.turn(|evaluation, turn| {
                let judged = evaluation.shared(object, turn);
                for enabled in &mut checks {
                    run(evaluation, enabled, &judged, turn);
                    if evaluation.view.is_wanted() {
                        break;
                    }
                }
            });
        }
    }

    /// Takes a turn with the view, as it is now.
    fn turn(&mut self, mut take: impl FnMut(&mut Self, &Turn<'_>)) {
        self.view.look(&mut |cluster| {
            let trace = Trace::resumed(self.exhausted);
            let cluster = cluster.assuming(self.settings.bundle).traced(&trace);
            take(self, &Turn { cluster: &cluster, trace: &trace, neighbors: NeighborVerdicts::new() });
            self.exhausted = trace.steps.exhausted();
        });
    }

    fn shared<'o, 'a, 'c>(&self, object: &'o Object<'a>, turn: &'c Turn<'_>) -> ReviewSubjects<'o, 'a, 'c>
    where
        'r: 'c,
    {
        ReviewSubjects::of(object, &self.write.this.namespace, turn.cluster)
    }

    fn run_one(&mut self, enabled: &'r Enabled, judged: &ReviewSubjects<'_, '_, '_>, turn: &Turn<'_>) {
        let check = enabled.check;
        if check.when.is_for(self.write.operation) && !self.is_enforced(enabled, turn) {
            self.collect(enabled, judged.classes(), turn, |context, found| check.run.judge(judged, context, found));
        }
    }

    /// Whether the API server refused already what the check would find: the schema of the object's kind says the same.
    fn is_enforced(&self, enabled: &Enabled, turn: &Turn<'_>) -> bool {
        let Some(enforced) = enabled.check.enforced else { return false };
        let schema = turn.cluster.schema(self.write.this.kind);
        schema.enforced && self.write.operation != Operation::Stored && enforced.holds_in(schema.bundle)
    }

    /// Runs the checks that judge the step from `old` to `object`.
    pub fn run_changes(&mut self, object: &Object<'_>, old: &Object<'_>) {
        let checks = self.settings.enabled.of(object.kind()).filter(|enabled| enabled.check.when == When::Update);
        self.run_each(object, checks, |evaluation, enabled, judged, turn| {
            if let Run::Change(change) = enabled.check.run
                && !evaluation.is_enforced(enabled, turn)
            {
                evaluation.collect(enabled, judged.classes(), turn, |context, found| {
                    change.judge(object, old, context, found);
                });
            }
        });
    }

    /// Runs the checks of what a manifest has that an API server would not take; `object` is what was read of it. Of what another check
    /// has refused, and of a field that another check knows, nothing more is said.
    pub fn run_manifest(&mut self, object: Option<&Object<'_>>, manifest: &ManifestErrors) {
        let manifest = self.untold(manifest);
        self.turn(|evaluation, turn| {
            let classes = object.map(|object| evaluation.shared(object, turn).classes()).unwrap_or_default();
            for enabled in evaluation.settings.enabled.iter() {
                if let Run::Rule(Test::Manifest(test)) = enabled.check.run {
                    evaluation
                        .collect(enabled, classes, turn, |context, found| test(&manifest, context.this.kind, found));
                }
            }
        });
        // A manifest of the wrong shape is refused for the type at fault, so that the same is not said twice.
        let mistyped = self.found.iter().filter(|found| found.enabled.check.run.is_of_manifest());
        let refused: Vec<FieldPath> =
            mistyped.flat_map(CheckFindings::refused).map(|finding| finding.at.clone()).collect();
        let is_repeated = |found: &CheckFindings<'_>| {
            is_of_any_shape(found) && found.findings().all(|finding| refused.contains(&finding.at))
        };
        self.found.retain(|found| !is_repeated(found));
    }

    /// What no check has told of yet.
    fn untold(&self, manifest: &ManifestErrors) -> ManifestErrors {
        let mut untold = manifest.clone();
        let told = || self.found.iter().flat_map(CheckFindings::findings);
        let refused = || self.found.iter().filter(|found| !is_of_any_shape(found)).flat_map(CheckFindings::refused);
        untold.unknown.retain(|field| !told().any(|finding| finding.at == field.at));
        let is_refused = |at: &FieldPath| refused().any(|finding| finding.at.segments().starts_with(at.segments()));
        untold.violations.retain(|violation| !is_refused(&violation.at));
        untold
    }

    /// Runs the checks of what could not be read. What other checks find there, and no matter of tenancy or conflict is, only warns: it is
    /// not absent, but unknown.
    pub fn run_unreadable(&mut self, decode_errors: &[DecodeError]) {
        self.turn(|evaluation, turn| {
            for enabled in evaluation.settings.enabled.iter() {
                if let Run::Rule(Test::Unreadable(kinds, test)) = enabled.check.run
                    && kinds.contains(evaluation.write.this.kind)
                {
                    let each = |context: &Context<'_>, found: &mut Findings<'_>| {
                        decode_errors.iter().for_each(|misfit| test(misfit, context.this.kind, found));
                    };
                    evaluation.collect(enabled, Classes::default(), turn, each);
                }
            }
        });
        self.unread = decode_errors.iter().map(|misfit| misfit.at.clone()).collect();
    }

    /// Marks all that was found as old.
    pub fn mark_all_preexisting(&mut self) {
        self.waiting = KindSet::EMPTY;
        self.found.iter_mut().for_each(CheckFindings::mark_all_preexisting);
    }

    /// Whether there is something to hold against the object as it was.
    pub fn wants_old(&self, object: &Object<'_>) -> bool {
        let compares = |enabled: &Enabled| enabled.check.when == When::Update;
        let mut enabled = self.settings.enabled.of(object.kind());
        !self.found.is_empty() || !self.waiting.is_empty() || enabled.any(compares)
    }

    /// Runs one check, drops what the configuration does not mean, and notes whether the answer hangs on a first list.
    fn collect(
        &mut self,
        enabled: &'r Enabled,
        classes: Classes<'_>,
        turn: &Turn<'_>,
        check: impl Fn(&Context<'_>, &mut Findings<'_>),
    ) {
        let (subject, cluster, trace) = (self.subject(classes), turn.cluster, turn.trace);
        trace.begin();
        let mut found = Vec::new();
        let mut findings = Findings::of(enabled.check.id, &mut found).doubting(self.unread_by(enabled));
        if self.is_earlier {
            findings = findings.remembering();
        }
        let context = self.context(enabled, subject, turn);
        check(&context, &mut findings);
        let mut omitted = findings.finish();
        // What was not read is not missing.
        let unread = self.unread_by(enabled);
        let is_unread = |finding: &Finding| unread.iter().any(|unread| finding.at.is_within(unread));
        found.retain(|finding| finding.cause != Cause::Required || !is_unread(finding));
        // What stands for an element that was not read is compared with the others of its list.
        let lists = || self.unread.iter().filter_map(FieldPath::list);
        let is_of_manifest = enabled.check.run.is_of_manifest();
        let may_be_unread =
            |finding: &Finding| finding.other.is_none() && lists().any(|list| finding.at.segments().starts_with(list));
        found.retain(|finding| finding.cause != Cause::Duplicate || is_of_manifest || !may_be_unread(finding));
        if !found.is_empty() && enabled.action == Action::Deny && assumption::is_made(self.settings, &context) {
            let bundle = self.settings.bundle;
            let soften = || assumption::soften(enabled.check.id, bundle, &mut found, &context, &check);
            let hangs = trace.apart(soften);
            if found.iter().all(|finding| finding.at_most <= Action::Warn) {
                omitted.only_warn();
            }
            self.assumed = self.assumed.or(hangs.then_some(bundle));
        }
        let read = trace.dependencies.take();
        let waits = if enabled.action == Action::Deny { cluster.not_synced(read) } else { KindSet::EMPTY };
        if found.is_empty() && waits.is_empty() {
            return;
        }
        let meant = self.applies(enabled, &classes, &subject, cluster, !found.is_empty());
        // What nobody means need not be waited for, but whether it is meant may hang on labels that are on the way.
        let labels = cluster.not_synced(trace.dependencies.take());
        match (meant, enabled.action) {
            (Some(true), _) => self.waiting = self.waiting.union(waits),
            (None, Action::Deny) => self.waiting = self.waiting.union(labels),
            _ => {}
        }
        if meant == Some(true) && !found.is_empty() {
            self.found.push(CheckFindings::new(enabled, found, omitted));
        }
    }

    fn subject<'s>(&self, classes: Classes<'s>) -> Subject<'s>
    where
        'r: 's,
    {
        Subject { class: classes.first(), namespace: &self.write.this.namespace, user: self.write.user }
    }

    fn context<'s>(&'s self, enabled: &'s Enabled, subject: Subject<'s>, turn: &'s Turn<'_>) -> Context<'s> {
        Context {
            operation: self.write.operation,
            this: self.write.this,
            created: self.created,
            subject,
            cluster: turn.cluster,
            options: &enabled.options,
            ownership: &self.settings.ownership,
            data_planes: &self.settings.data_planes,
            config: &self.settings.config,
            now: self.write.now,
            neighbors: &turn.neighbors,
        }
    }

    /// What must be doubted of what a check finds. Tenancy and conflicts are never in doubt: what decides them was read.
    fn unread_by(&self, enabled: &Enabled) -> &[FieldPath] {
        match (enabled.check.theme, enabled.check.run) {
            // A manifest is held against its schema as it is written.
            (Theme::Tenancy | Theme::Conflict, _) | (_, Run::Rule(Test::Manifest(_))) => &[],
            _ => &self.unread,
        }
    }

    /// Whether the configuration means this write: it is matched in one of its classes, and not exempted in all of them; `None` where that
    /// hangs on labels that are not known.
    fn applies(
        &mut self,
        enabled: &Enabled,
        classes: &Classes<'_>,
        subject: &Subject<'_>,
        cluster: &Overlay<'_>,
        has_found: bool,
    ) -> Option<bool> {
        if !cluster.matches_in_any(classes, &enabled.only, subject)? {
            return Some(false);
        }
        for position in &enabled.exemptions {
            let exemption = &self.settings.config.exemptions[*position];
            let validity = Expiry::validity(exemption.expires, self.write.now);
            if validity == Validity::Over || !cluster.matches_in_all(classes, &exemption.only, subject)? {
                continue;
            }
            if validity == Validity::EndsSoon && has_found {
                self.expiring.insert(*position);
            }
            return Some(false);
        }
        Some(true)
    }

    /// Marks what the same checks find in the object as it was.
    pub fn mark_preexisting(&mut self, object: &Object<'_>, old: &Object<'_>) {
        if is_unchanged(object, old) {
            self.waiting = KindSet::EMPTY;
        }
        // Whether the object took as many comparisons before hangs on every check that compares, be it without a finding.
        let is_exhausted = self.exhausted.is_some();
        let mut all = mem::take(&mut self.found);
        let position =
            |all: &[CheckFindings<'_>], enabled| all.iter().position(|found| std::ptr::eq(found.enabled, enabled));
        let found: Vec<&Enabled> = all.iter().map(|found| found.enabled).collect();
        let is_compared = |enabled: &&Enabled| is_exhausted || found.iter().any(|found| std::ptr::eq(*found, *enabled));
        let checks = self.settings.enabled.of(object.kind()).filter(is_compared);
        self.earlier().run_each(old, checks, |before, enabled, judged, turn| {
            before.run_one(enabled, judged, turn);
            let (Some(was), Some(position)) = (before.found.pop(), position(&all, enabled)) else { return };
            match all[position].has_omitted() {
                true => all[position] = self.tolerating(enabled, object, turn, was.earlier()),
                false => all[position].mark_preexisting(was.earlier()),
            }
        });
        self.found = all;
    }

    /// What a check finds that finds more than is kept: what was found `earlier` gives way to what is new.
    fn tolerating(
        &self,
        enabled: &'r Enabled,
        object: &Object<'_>,
        turn: &Turn<'_>,
        earlier: Earlier,
    ) -> CheckFindings<'r> {
        let judged = self.shared(object, turn);
        let mut found = Vec::new();
        let mut findings =
            Findings::of(enabled.check.id, &mut found).doubting(self.unread_by(enabled)).tolerating(earlier);
        let context = self.context(enabled, self.subject(judged.classes()), turn);
        turn.trace.apart(|| enabled.check.run.judge(&judged, &context, &mut findings));
        let omitted = findings.finish();
        // What the check depends on was recorded when it ran for the first time.
        turn.trace.dependencies.take();
        CheckFindings::new(enabled, found, omitted)
    }

    /// The outcome, in which the warnings that the object's author silences are marked.
    pub fn finish(self, object: &Object<'_>) -> Outcome {
        let list = object.metadata().annotations.get(ignore::IGNORE_ANNOTATION);
        let patterns: Vec<&str> = list.into_iter().flat_map(|list| ignore::ignored(list)).collect();
        self.outcome(|id| patterns.iter().any(|pattern| ignore::names(pattern, id)))
    }

    /// The outcome, in which the warnings of ignored checks are marked.
    pub fn outcome(self, is_ignored: impl Fn(&str) -> bool) -> Outcome {
        let omitted_findings =
            self.found.iter().flat_map(|found| found.omitted_findings(is_ignored(found.enabled.check.id))).collect();
        let judged = self.found.into_iter().flat_map(|found| {
            let is_ignored = is_ignored(found.enabled.check.id);
            found.judged(is_ignored)
        });
        let mut findings: Vec<EvaluatedFinding> = judged.collect();
        findings.sort_by(|EvaluatedFinding { finding: left, .. }, EvaluatedFinding { finding: right, .. }| {
            (&left.at, left.check, &left.value).cmp(&(&right.at, right.check, &right.value))
        });
        let expiring = self.expiring.into_iter().collect();
        Outcome { findings, omitted_findings, waiting: self.waiting, expiring, assumed: self.assumed }
    }
}

/// Whether a write leaves everything alone that any check judges: a status, a finalizer, a managed field.
fn is_unchanged(object: &Object<'_>, old: &Object<'_>) -> bool {
    let (new, before) = (object.metadata(), old.metadata());
    object.same_spec(old) && new.labels == before.labels && new.annotations == before.annotations
}

/// Whether this was found by the check of what cannot be read, whatever its kind: the schema of a kind says more.
fn is_of_any_shape(found: &CheckFindings<'_>) -> bool {
    matches!(found.enabled.check.run, Run::Rule(Test::Unreadable(kinds, _)) if kinds.contains(Kind::Ingress))
}
