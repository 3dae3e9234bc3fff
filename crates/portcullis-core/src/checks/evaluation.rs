//! Runs the checks of a plan on one review: collects the findings, compares them with the old object, and records which
//! kinds are not synced yet.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::mem;
use std::rc::Rc;

use jiff::Timestamp;

use super::added_claims::AddedClaims;
use super::assumption;
use super::check_findings::CheckFindings;
use super::content;
use super::effective::EffectiveSetting;
use super::enabled::Enabled;
use super::ignore;
use super::layers::MatchedLayers;
use super::object::too_costly::MAX_CPU;
use super::outcome::{EvaluatedFinding, Outcome, Write};
use super::settings::Settings;
use super::shared::ObjectParts;
use super::{Context, Input, Operation, Part, ReviewSubjects, When};
use crate::bundle::Bundle;
use crate::cluster::{Overlay, Subject, Trace, View};
use crate::config::{Expiry, Options, Theme, Validity};
use crate::field::FieldPath;
use crate::finding::{Action, Cause, EarlierFindings, Finding, Findings, Omitted};
use crate::kinds::ingress::Classes;
use crate::kinds::schema::ManifestErrors;
use crate::kinds::{Kind, KindSet, Object, Partial};
use crate::matching::claimed_host::CERTIFICATES;
use crate::matching::expressions::Expressions;
use crate::routing::delegation::NeighborVerdicts;

/// The evaluation of one review.
pub struct Evaluation<'r> {
    settings: &'r Settings,
    view: &'r dyn View,
    write: &'r Write<'r>,
    found: Vec<CheckFindings<'r>>,
    waiting: KindSet,
    expiring: BTreeSet<usize>,
    assumed: Option<Bundle>,
    /// The check and the address of each finding that only warns because the other channel of the assumed bundle would
    /// not produce it, and its action before.
    downgraded: Vec<(&'static str, FieldPath, Action)>,
    /// What the check that is running has found in the parts of the object that it has looked at.
    partial: PartialFindings,
    /// The addresses of fields that could not be decoded.
    unread: Vec<FieldPath>,
    /// Whether a check was left out because the review took too long.
    is_given_up: bool,
    /// Whether this evaluates the old object, for comparison with another evaluation.
    is_earlier: bool,
    /// When the object was created; `None` unless it is stored. Of two stored objects in conflict, the younger is at
    /// fault.
    created: Option<Timestamp>,
    /// The compiled regular expressions, shared by the evaluations of the new and the old object.
    expressions: Rc<Expressions>,
}

/// The findings of a check in some parts of an object.
#[derive(Default)]
struct PartialFindings {
    found: Vec<Finding>,
    omitted: Omitted,
    /// The kinds that the check has read.
    read: KindSet,
}

/// Read access to the view for one or more checks, released at the end of the turn.
struct Turn<'t> {
    cluster: Overlay<'t>,
    trace: &'t Trace,
    neighbors: NeighborVerdicts,
    /// What applies to the write, computed when the first check needs it.
    layers: OnceCell<MatchedLayers>,
}

impl<'t> Turn<'t> {
    /// Access to `cluster`, of which `trace` records what is read.
    fn new(cluster: &Overlay<'t>, bundle: Bundle, trace: &'t Trace) -> Self {
        let cluster = cluster.assuming(bundle).traced(trace);
        Self { cluster, trace, neighbors: NeighborVerdicts::new(), layers: OnceCell::new() }
    }
}

impl<'r> Evaluation<'r> {
    /// An evaluation that has not run any check yet.
    pub fn new(settings: &'r Settings, view: &'r dyn View, write: &'r Write<'r>) -> Self {
        Self {
            settings,
            view,
            write,
            found: Vec::new(),
            waiting: KindSet::EMPTY,
            expiring: BTreeSet::new(),
            assumed: None,
            downgraded: Vec::new(),
            partial: PartialFindings::default(),
            unread: Vec::new(),
            is_given_up: false,
            is_earlier: false,
            created: None,
            expressions: Rc::default(),
        }
    }

    /// An evaluation of the old object.
    fn earlier(&self) -> Self {
        let expressions = Rc::clone(&self.expressions);
        Self { is_earlier: true, expressions, ..Self::new(self.settings, self.view, self.write) }
    }

    /// Runs every check that examines `object` by itself.
    pub fn run(&mut self, object: &Object<'_>) {
        #[cfg(debug_assertions)]
        super::panic::if_requested(object.metadata());
        self.created = if self.write.operation == Operation::Stored { object.metadata().created() } else { None };
        let object_parts = ObjectParts::of(object);
        object_parts.compute();
        self.run_each(&object_parts, self.checks_of(object.kind()), Self::collect);
        if !self.downgraded.is_empty() {
            self.turn(|evaluation, turn| evaluation.restore_downgraded(object, &turn.cluster));
        }
    }

    /// Runs the checks of objects that contradict each other.
    pub fn run_conflicts(&mut self, object: &Object<'_>) {
        let is_conflict = |enabled: &&Enabled| enabled.check.theme == Theme::Conflict;
        self.run_each(&ObjectParts::of(object), self.checks_of(object.kind()).filter(is_conflict), Self::collect);
    }

    /// The enabled checks that examine an object of `kind` by itself on this operation.
    fn checks_of(&self, kind: Kind) -> impl Iterator<Item = &'r Enabled> + use<'r> {
        let operation = self.write.operation;
        self.settings.enabled.of(kind).filter(move |enabled| enabled.check.when.is_for(operation))
    }

    /// Restores the denials of which the other channel of the assumed bundle refuses the same element for another fault.
    fn restore_downgraded(&mut self, object: &Object<'_>, cluster: &Overlay<'_>) {
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

    /// Calls `run` for each check, with one part of the object after the other. The view is released after each part
    /// that is not the last one and, if a writer waits for it, between two checks. Everything derived from the view is
    /// computed again afterwards.
    fn run_each<'o>(
        &mut self,
        object_parts: &'o ObjectParts<'o, '_>,
        checks: impl Iterator<Item = &'r Enabled>,
        mut run: impl FnMut(&mut Self, &'r Enabled, &Input<'_, '_, '_>, &Turn<'_>, &Part),
    ) {
        let (mut checks, mut part) = (checks.peekable(), Part::default());
        while checks.peek().is_some() {
            if self.view.spent() > MAX_CPU {
                self.is_given_up = true;
                return;
            }
            self.view.look(&mut |cluster| {
                let trace = Trace::default();
                let turn = Turn::new(cluster, self.settings.bundle, &trace);
                let input = self.input(object_parts, &turn);
                while let Some(enabled) = checks.peek() {
                    run(self, enabled, &input, &turn, &part);
                    let next = part.next();
                    let is_done = next.is_none();
                    part = next.unwrap_or_default();
                    if is_done {
                        checks.next();
                    }
                    if !is_done || self.view.is_wanted() {
                        break;
                    }
                }
            });
        }
    }

    /// Calls `take` with the current state of the view.
    fn turn(&mut self, mut take: impl FnMut(&mut Self, &Turn<'_>)) {
        self.view.look(&mut |cluster| {
            let trace = Trace::default();
            take(self, &Turn::new(cluster, self.settings.bundle, &trace));
        });
    }

    fn input<'o, 'a, 'c>(&self, object_parts: &'o ObjectParts<'o, 'a>, turn: &'c Turn<'_>) -> Input<'o, 'a, 'c>
    where
        'r: 'c,
    {
        Input::Object(ReviewSubjects::of(object_parts, &self.write.this.namespace, &turn.cluster))
    }

    /// Whether the API server has already enforced the rule of the check with the schema of the object's kind.
    fn is_enforced(&self, enabled: &Enabled, turn: &Turn<'_>) -> bool {
        let Some(enforced) = enabled.check.enforced else { return false };
        let schema = turn.cluster.schema(self.write.this.kind);
        schema.enforced && self.write.operation != Operation::Stored && enforced.holds_in(schema.bundle)
    }

    /// Runs the checks that compare `object` with `old`.
    pub fn run_changes(&mut self, object: &Object<'_>, old: &Object<'_>) {
        let checks = self.settings.enabled.of(object.kind()).filter(|enabled| enabled.check.when == When::Update);
        self.run_each(&ObjectParts::of_change(object, old), checks, Self::collect);
    }

    /// Runs the checks on a manifest as written (unknown fields, schema violations); `object` is the part that could be
    /// decoded. Skips unknown fields that another check reports, and violations at an address at or below which another
    /// check denies.
    pub fn run_manifest(&mut self, object: Option<&Object<'_>>, manifest: &ManifestErrors) {
        let manifest = self.unreported(manifest);
        self.turn(|evaluation, turn| {
            let input = Input::Manifest(&manifest, object.map(Object::classes).unwrap_or_default());
            for enabled in evaluation.settings.enabled.iter().filter(|enabled| enabled.check.run.is_of_manifest()) {
                evaluation.collect(enabled, &input, turn, &Part::default());
            }
        });
        // The schema check names the type that is wrong, so `object/unreadable` at the same addresses would repeat it.
        let mistyped = self.found.iter().filter(|found| found.enabled.check.run.is_of_manifest());
        let refused: Vec<FieldPath> =
            mistyped.flat_map(CheckFindings::refused).map(|finding| finding.at.clone()).collect();
        let is_repeated = |found: &CheckFindings<'_>| {
            is_object_unreadable(found) && found.findings().all(|finding| refused.contains(&finding.at))
        };
        self.found.retain(|found| !is_repeated(found));
    }

    /// The part of `manifest` that no check has reported yet.
    fn unreported(&self, manifest: &ManifestErrors) -> ManifestErrors {
        let mut unreported = manifest.clone();
        let reported = || self.found.iter().flat_map(CheckFindings::findings);
        let refused =
            || self.found.iter().filter(|found| !is_object_unreadable(found)).flat_map(CheckFindings::refused);
        unreported.unknown.retain(|field| !reported().any(|finding| finding.at == field.at));
        let is_refused = |at: &FieldPath| refused().any(|finding| finding.at.segments().starts_with(at.segments()));
        unreported.violations.retain(|violation| !is_refused(&violation.at));
        unreported
    }

    /// Runs the checks that report undecodable fields. Findings of other checks at, above or below such a field only
    /// warn from then on, since its value is unknown and not absent; `unread_by` makes an exception for tenancy
    /// and conflicts. Settings for a class apply as far as the class can be read.
    pub fn run_unreadable(&mut self, partial: &Partial<'_>) {
        self.turn(|evaluation, turn| {
            let (input, kind) = (Input::Unreadable(partial), evaluation.write.this.kind);
            let is_meant = |enabled: &&Enabled| enabled.check.run.is_of_unreadable(kind);
            for enabled in evaluation.settings.enabled.iter().filter(is_meant) {
                evaluation.collect(enabled, &input, turn, &Part::default());
            }
        });
        self.unread = partial.decode_errors.iter().map(|error| error.at.clone()).collect();
    }

    /// Marks all findings as preexisting.
    pub fn mark_all_preexisting(&mut self) {
        self.waiting = KindSet::EMPTY;
        self.found.iter_mut().for_each(CheckFindings::mark_all_preexisting);
    }

    /// Whether the old object is needed: there are findings or missing kinds to compare, or an enabled check compares
    /// both versions.
    pub fn wants_old(&self, object: &Object<'_>) -> bool {
        let compares = |enabled: &Enabled| enabled.check.when == When::Update;
        let mut enabled = self.settings.enabled.of(object.kind());
        self.is_given_up || !self.found.is_empty() || !self.waiting.is_empty() || enabled.any(compares)
    }

    /// Runs one check on a part of the object, unless a schema already enforces it. After the last part, drops its findings if
    /// the configuration does not apply it to this write, and records the kinds whose first list the answer depends on.
    fn collect(&mut self, enabled: &'r Enabled, input: &Input<'_, '_, '_>, turn: &Turn<'_>, part: &Part) {
        if self.is_enforced(enabled, turn) {
            return;
        }
        let (classes, cluster, trace) = (input.classes(), &turn.cluster, turn.trace);
        let subject = self.subject(classes);
        let effective = self.effective(enabled, &classes, &subject, turn);
        if effective.action == Action::Off && effective.waiting.is_empty() {
            return;
        }
        trace.begin();
        let PartialFindings { mut found, omitted, mut read } = mem::take(&mut self.partial);
        let mut findings =
            Findings::of(enabled.check.id, &mut found).doubting(self.unread_by(enabled)).continuing(omitted);
        if self.is_earlier {
            findings = findings.remembering();
        }
        let context = self.context(&effective.options, subject, input, turn, part);
        enabled.check.run.check(input, &context, &mut findings);
        self.view.looked_up(enabled.check.id, trace.lookups());
        let mut omitted = findings.finish();
        read = read.union(trace.dependencies.take());
        if part.has_more() {
            self.partial = PartialFindings { found, omitted, read };
            return;
        }
        self.drop_unread(enabled, &mut found);
        let denies = effective.action == Action::Deny;
        if !found.is_empty() && denies {
            let downgraded = self.downgrade_assumed(enabled, (&mut found, &mut omitted), &context, trace, input);
            if !downgraded.is_empty() {
                self.assumed = self.assumed.or(Some(self.settings.bundle));
                self.downgraded.extend(downgraded.into_iter().map(|(at, action)| (enabled.check.id, at, action)));
            }
            read = read.union(trace.dependencies.take());
        }
        let may_deny = denies || !effective.waiting.is_empty();
        let waits = if may_deny { cluster.not_synced(read) } else { KindSet::EMPTY };
        if found.is_empty() && waits.is_empty() {
            return;
        }
        let applies = self.applies(enabled, &classes, &subject, cluster, !found.is_empty());
        // A check that does not apply waits for nothing, but whether it applies may depend on labels that have not
        // arrived yet.
        let labels = cluster.not_synced(trace.dependencies.take());
        match applies {
            Some(true) if denies => self.waiting = self.waiting.union(waits).union(effective.waiting),
            Some(true) => self.waiting = self.waiting.union(effective.waiting),
            None if may_deny => self.waiting = self.waiting.union(labels),
            _ => {}
        }
        if applies == Some(true) && !found.is_empty() && effective.action != Action::Off {
            self.found.push(CheckFindings::new(enabled, effective, found, omitted));
        }
    }

    /// The settings of a check for this write. The check that reports that a review was given up is at least as strict as
    /// each of the others, any of which may not have run.
    fn effective(
        &self,
        enabled: &'r Enabled,
        classes: &Classes<'_>,
        subject: &Subject<'_>,
        turn: &Turn<'_>,
    ) -> EffectiveSetting<'r> {
        let mut effective = self.own_setting(enabled, classes, subject, turn);
        if enabled.check.when == When::GivenUp {
            for other in self.settings.enabled.of(subject.kind) {
                effective.raise_to(&self.own_setting(other, classes, subject, turn));
            }
        }
        effective
    }

    fn own_setting(
        &self,
        enabled: &'r Enabled,
        classes: &Classes<'_>,
        subject: &Subject<'_>,
        turn: &Turn<'_>,
    ) -> EffectiveSetting<'r> {
        let layers = &self.settings.layers;
        if layers.is_empty() {
            return EffectiveSetting::of(enabled);
        }
        let matched = turn.layers.get_or_init(|| {
            turn.trace.dependencies.take();
            let matched = layers.matching(classes, subject, &turn.cluster);
            matched.waiting_for(turn.cluster.not_synced(turn.trace.dependencies.take()))
        });
        layers.effective(enabled, matched)
    }

    /// Turns findings that depend on the channel of an assumed bundle into warnings. Returns their addresses and
    /// their actions before.
    fn downgrade_assumed(
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

    /// Drops the findings that exist only because a field or a list element could not be decoded.
    fn drop_unread(&self, enabled: &Enabled, found: &mut Vec<Finding>) {
        // An undecodable field is not missing.
        let unread = self.unread_by(enabled);
        let is_unread = |finding: &Finding| unread.iter().any(|unread| finding.at.is_within(unread));
        found.retain(|finding| finding.cause != Cause::Required || !is_unread(finding));
        // A placeholder replaces an undecodable list element, and must not count as a duplicate of the other elements.
        let lists = || self.unread.iter().filter_map(FieldPath::list);
        let is_of_manifest = enabled.check.run.is_of_manifest();
        let may_be_unread =
            |finding: &Finding| finding.other.is_none() && lists().any(|list| finding.at.segments().starts_with(list));
        found.retain(|finding| finding.cause != Cause::Duplicate || is_of_manifest || !may_be_unread(finding));
    }

    fn subject<'s>(&self, classes: Classes<'s>) -> Subject<'s>
    where
        'r: 's,
    {
        let Write { this, user, .. } = *self.write;
        Subject { kind: this.kind, class: classes.first(), namespace: &this.namespace, user }
    }

    fn context<'s>(
        &'s self,
        options: &'s Options,
        subject: Subject<'s>,
        input: &'s Input<'_, '_, '_>,
        turn: &'s Turn<'_>,
        part: &'s Part,
    ) -> Context<'s> {
        Context {
            operation: self.write.operation,
            this: self.write.this,
            created: self.created,
            subject,
            cluster: &turn.cluster,
            options,
            ownership: &self.settings.ownership,
            data_planes: &self.settings.data_planes,
            config: &self.settings.config,
            now: self.write.now,
            part,
            neighbors: &turn.neighbors,
            expressions: &self.expressions,
            old: input.old(),
        }
    }

    /// The undecodable fields that cast doubt on the findings of a check. None for tenancy and conflicts, since the
    /// fields that decide those were decoded.
    fn unread_by(&self, enabled: &Enabled) -> &[FieldPath] {
        match enabled.check.theme {
            Theme::Tenancy | Theme::Conflict => &[],
            // A manifest is compared with its schema as written.
            _ if enabled.check.run.is_of_manifest() => &[],
            _ => &self.unread,
        }
    }

    /// Whether the check applies to this write, which is not so if the write is exempt in all its classes. `None` if that
    /// depends on labels that are not known.
    fn applies(
        &mut self,
        enabled: &Enabled,
        classes: &Classes<'_>,
        subject: &Subject<'_>,
        cluster: &Overlay<'_>,
        has_found: bool,
    ) -> Option<bool> {
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

    /// The outcome, with the warnings marked that the ignore annotation of the object silences.
    pub fn finish(mut self, object: &Object<'_>) -> Outcome {
        if self.is_given_up {
            self.report_given_up(object);
        }
        let list = object.metadata().annotations.get(ignore::IGNORE_ANNOTATION);
        let patterns: Vec<&str> = list.into_iter().flat_map(|list| ignore::ignored(list)).collect();
        self.outcome(|id| patterns.iter().any(|pattern| ignore::names(pattern, id)))
    }

    /// Reports that the review took too long, so that not every check has run.
    fn report_given_up(&mut self, object: &Object<'_>) {
        let mut enabled = self.settings.enabled.of(object.kind());
        let Some(enabled) = enabled.find(|enabled| enabled.check.when == When::GivenUp) else { return };
        self.partial = PartialFindings::default();
        let object_parts = ObjectParts::of(object);
        self.turn(|evaluation, turn| {
            let input = evaluation.input(&object_parts, turn);
            evaluation.collect(enabled, &input, turn, &Part::default());
        });
    }

    /// The outcome, with the warnings of ignored checks marked.
    pub fn outcome(self, is_ignored: impl Fn(&str) -> bool) -> Outcome {
        let omitted_findings =
            self.found.iter().flat_map(|found| found.omitted_findings(is_ignored(found.enabled.check.id))).collect();
        let evaluated = self.found.into_iter().flat_map(|found| {
            let is_ignored = is_ignored(found.enabled.check.id);
            found.evaluated(is_ignored)
        });
        let mut findings: Vec<EvaluatedFinding> = evaluated.collect();
        findings.sort_by(|EvaluatedFinding { finding: left, .. }, EvaluatedFinding { finding: right, .. }| {
            (&left.at, left.check, &left.value).cmp(&(&right.at, right.check, &right.value))
        });
        let findings = without_repetitions(findings);
        let expiring = self.expiring.into_iter().collect();
        Outcome { findings, omitted_findings, waiting: self.waiting, expiring, assumed: self.assumed }
    }
}

/// The findings without those about a certificate for a host that say the same of its rule.
fn without_repetitions(findings: Vec<EvaluatedFinding>) -> Vec<EvaluatedFinding> {
    let is_of_certificate = |evaluated: &EvaluatedFinding| {
        evaluated.finding.claim.as_ref().is_some_and(|claim| claim.path.as_deref() == Some(CERTIFICATES))
    };
    if !findings.iter().any(is_of_certificate) {
        return findings;
    }
    let says = |evaluated: &EvaluatedFinding| {
        let EvaluatedFinding { finding, action, .. } = evaluated;
        (finding.check, *action, finding.message.clone(), finding.other.clone())
    };
    let of_others: Vec<_> = findings.iter().filter(|evaluated| !is_of_certificate(evaluated)).map(says).collect();
    let is_repeated =
        |evaluated: &EvaluatedFinding| is_of_certificate(evaluated) && of_others.contains(&says(evaluated));
    findings.into_iter().filter(|evaluated| !is_repeated(evaluated)).collect()
}

/// Whether an update leaves spec, labels and annotations unchanged, and with them everything that a check reads.
fn is_unchanged(object: &Object<'_>, old: &Object<'_>) -> bool {
    let (new, before) = (object.metadata(), old.metadata());
    object.same_spec(old) && new.labels == before.labels && new.annotations == before.annotations
}

/// Whether the check reports undecodable fields of every kind (`object/unreadable`); the schema of a kind is more
/// specific.
fn is_object_unreadable(found: &CheckFindings<'_>) -> bool {
    found.enabled.check.run.is_of_unreadable(Kind::Ingress)
}
