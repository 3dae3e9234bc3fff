//! Runs the checks of a plan on one review: collects the findings, compares them with the old object, and records which
//! kinds are not synced yet.

mod assumed;
mod finish;
mod ratcheting;
mod undecoded;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::mem;
use std::rc::Rc;

use jiff::Timestamp;

use super::check_findings::CheckFindings;
use super::effective::EffectiveSetting;
use super::enabled::Enabled;
use super::layers::MatchedLayers;
use super::object::too_costly::MAX_CPU;
use super::outcome::Write;
use super::settings::Settings;
use super::shared::ObjectParts;
use super::{Context, Input, Operation, Part, ReviewSubjects, When};
use crate::bundle::Bundle;
use crate::cluster::{Overlay, Subject, Trace, View};
use crate::config::{Expiry, Options, Theme, Validity};
use crate::field::FieldPath;
use crate::finding::{Action, Finding, Findings, Omitted};
use crate::kinds::ingress::Classes;
use crate::kinds::{Kind, KindSet, Object};
use crate::matching::expressions::Expressions;
use crate::routing::delegation::NeighborVerdicts;
use crate::routing::host_holders::SharedHolders;

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
    /// Whether findings say which objects lose requests.
    finds_losers: bool,
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
    holders: SharedHolders,
    /// What applies to the write, computed when the first check needs it.
    layers: OnceCell<MatchedLayers>,
}

impl<'t> Turn<'t> {
    /// Access to `cluster`, of which `trace` records what is read.
    fn new(cluster: &Overlay<'t>, bundle: Bundle, trace: &'t Trace) -> Self {
        let cluster = cluster.assuming(bundle).traced(trace);
        let (neighbors, holders) = (NeighborVerdicts::new(), SharedHolders::default());
        Self { cluster, trace, neighbors, holders, layers: OnceCell::new() }
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
            finds_losers: false,
            created: None,
            expressions: Rc::default(),
        }
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

    /// Runs the checks of objects that contradict each other, whose findings also say which objects lose requests.
    pub fn run_conflicts(&mut self, object: &Object<'_>) {
        self.finds_losers = true;
        let is_conflict = |enabled: &&Enabled| enabled.check.theme == Theme::Conflict;
        self.run_each(&ObjectParts::of(object), self.checks_of(object.kind()).filter(is_conflict), Self::collect);
    }

    /// The enabled checks that examine an object of `kind` by itself on this operation.
    fn checks_of(&self, kind: Kind) -> impl Iterator<Item = &'r Enabled> + use<'r> {
        let operation = self.write.operation;
        self.settings.enabled.of(kind).filter(move |enabled| enabled.check.when.is_for(operation))
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
        let mut findings = Findings::of(enabled.check.id, &mut found)
            .doubting(self.unread_by(enabled))
            .continuing(omitted)
            .finding_losers(self.finds_losers);
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
            holders: &turn.holders,
            expressions: &self.expressions,
            old: input.old(),
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
}
