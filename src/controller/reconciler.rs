//! Evaluates the objects that a change affects, and decides which of them are to be written.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::NEEDS;
use super::change::{Desired, Stored};
use super::inbox::Inbox;
use super::progress::Pending;
use super::queue::Queue;
use super::references::References;
use super::report::{Report, other_manager};
use super::schemas::Schemas;
use super::store::{Store, Tracked};
use crate::runtime::VerdictCache;
use crate::telemetry::StatusMetrics;
use portcullis_core::checks::Plan;
use portcullis_core::cluster::{Cluster, Event, ReadKey, SharedCluster, SyncState};
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_core::review::Reviewer;
use portcullis_core::status::Evaluated;

/// The maximum time for which the view is locked at once.
const BATCH: Duration = Duration::from_millis(5);
/// How long the verdicts on IngressRoutes may lag behind before the rest is evaluated nevertheless.
const VERDICT_PATIENCE: Duration = Duration::from_secs(2);
/// After how long it is logged that kinds are not known.
const LOG_UNKNOWN: Duration = Duration::from_secs(30);

/// What the controller learns from.
#[derive(Debug, Clone)]
pub struct Sources {
    /// The view.
    pub cluster: Arc<SharedCluster>,
    /// The verdicts on IngressRoutes.
    pub verdicts: Arc<VerdictCache>,
    /// The plan, which has the configuration.
    pub reviewer: Arc<Reviewer>,
    /// The objects.
    pub inbox: Arc<Inbox>,
}

/// What remains after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Nothing, until something changes.
    Idle,
    /// Nothing can be evaluated before something is known.
    Waiting,
    /// Further objects are to be evaluated.
    More,
}

/// The state of the controller.
pub struct Reconciler {
    pub(super) store: Store,
    pub(super) queue: Queue,
    pub(super) schemas: Schemas,
    pub(super) references: References,
    pub(super) reports: Vec<Report>,
    pub(super) metrics: StatusMetrics,
    /// The name of this controller in shared lists, as of the last step.
    pub(super) controller: String,
    /// The time that conditions are stamped with.
    pub(super) clock: fn() -> Timestamp,
    plan: Option<Arc<Plan>>,
    is_leader: bool,
    /// When the oldest change happened that is not evaluated completely.
    changed: Option<Instant>,
    /// Since when nothing can be evaluated.
    waiting: Option<Instant>,
    is_waiting_logged: bool,
}

impl Reconciler {
    /// Knows nothing yet.
    pub fn new(metrics: StatusMetrics) -> Self {
        Self {
            store: Store::default(),
            queue: Queue::default(),
            schemas: Schemas::default(),
            references: References::default(),
            reports: Vec::new(),
            metrics,
            controller: String::new(),
            clock: Timestamp::now,
            plan: None,
            is_leader: false,
            changed: None,
            waiting: None,
            is_waiting_logged: false,
        }
    }

    /// Takes in what has changed, and evaluates a batch of what it affects if this replica leads.
    pub fn step(&mut self, sources: &Sources, is_leader: bool, now: Instant) -> Step {
        self.lead(is_leader);
        if !is_leader {
            apply(self.references.clear(), sources);
        }
        let plan = sources.reviewer.plan();
        if self.take_in(sources, &plan) {
            self.changed.get_or_insert(now);
        }
        if !is_leader || self.store.state.pending() == 0 {
            self.changed = None;
            if is_leader {
                self.follow_references(sources, &plan, now);
            }
            return Step::Idle;
        }
        if !self.may_evaluate(sources, &plan, now) {
            return Step::Waiting;
        }
        let evaluated = self.evaluate(sources, &plan);
        self.follow_references(sources, &plan, now);
        let since = self.changed.unwrap_or(now);
        for evaluated in evaluated {
            self.settle(evaluated, since, now);
        }
        self.metrics.queued(self.queue.len());
        if self.store.state.pending() == 0 { Step::Idle } else { Step::More }
    }

    /// On gaining leadership, everything is compared; on losing it, nothing more is written.
    pub(super) fn lead(&mut self, is_leader: bool) {
        if self.is_leader == is_leader {
            return;
        }
        self.is_leader = is_leader;
        self.queue.clear();
        for tracked in self.store.tracked.values_mut() {
            let progress = &mut tracked.progress;
            (progress.pending, progress.confirmed, progress.since) = (None, None, None);
        }
        self.store.state.touch_everything();
        self.metrics.queued(0);
        self.metrics.none_forbidden();
    }

    /// Whether this replica led at the last step.
    pub(super) fn leads(&self) -> bool {
        self.is_leader
    }

    /// Marks what changes of objects, of the view, of verdicts and of the plan affect. Returns whether there was any.
    fn take_in(&mut self, sources: &Sources, plan: &Arc<Plan>) -> bool {
        let observations = sources.inbox.take();
        let mut has_changed = !observations.is_empty();
        for observation in observations {
            let gone = self.store.observe(observation);
            for (object_ref, tracked) in gone {
                self.unqueue(&object_ref, &tracked);
                self.forget_access(&object_ref);
            }
        }
        if sources.cluster.read().has_changes() {
            self.store.state.note(&sources.cluster.change(Cluster::take_changes));
            has_changed = true;
        }
        for object_ref in sources.verdicts.lock().take_changed() {
            self.store.state.touch(&ReadKey::Verdict((*object_ref).clone()));
            has_changed = true;
        }
        if !self.plan.replace(Arc::clone(plan)).is_some_and(|known| Arc::ptr_eq(&known, plan)) {
            self.controller.clone_from(&plan.config().status.controller_name);
            self.store.state.touch_everything();
            has_changed = true;
        }
        has_changed
    }

    /// Whether enough is known, so that no status is written that the next moment contradicts.
    fn may_evaluate(&mut self, sources: &Sources, plan: &Arc<Plan>, now: Instant) -> bool {
        let waited = now - *self.waiting.get_or_insert(now);
        let view = sources.cluster.read();
        let is_unknown = |kind: &Kind| view.knowledge(*kind) == SyncState::NotSynced;
        let unknown: Vec<&str> = NEEDS.iter().filter(is_unknown).map(Kind::resource).collect();
        let is_served = sources.inbox.served().is_some_and(|served| self.schemas.are_known(&served));
        if !unknown.is_empty() || !is_served {
            if waited > LOG_UNKNOWN && !std::mem::replace(&mut self.is_waiting_logged, true) {
                tracing::warn!(?unknown, "no status is written until these kinds and the schemas of all CRDs are read");
            }
            return false;
        }
        let has_routes = matches!(view.knowledge(Kind::IngressRoute), SyncState::Complete | SyncState::Partial);
        let is_dirty = has_routes && view.is_dirty();
        drop(view);
        if has_routes && waited < VERDICT_PATIENCE && (is_dirty || !sources.verdicts.lock().is_current(plan)) {
            sources.verdicts.view_changed();
            return false;
        }
        (self.waiting, self.is_waiting_logged) = (None, false);
        true
    }

    /// Evaluates for a short time, as long as nothing else waits for the view.
    fn evaluate(&mut self, sources: &Sources, plan: &Plan) -> Vec<Evaluated> {
        let (end, mut all) = (Instant::now() + BATCH, Vec::new());
        let rules = (plan.config(), plan.ownership());
        let verdicts = sources.verdicts.lock();
        let view = sources.cluster.read();
        while let Some(evaluated) = self.store.state.evaluate_next(&view, rules, &verdicts.verdicts) {
            self.metrics.computed(evaluated.object_ref.kind);
            all.push(evaluated);
            if Instant::now() >= end || sources.cluster.has_waiting_writer() {
                break;
            }
        }
        all
    }

    /// Lets the Secrets and ConfigMaps be read to which objects refer now.
    fn follow_references(&mut self, sources: &Sources, plan: &Plan, now: Instant) {
        let (state, config) = (&mut self.store.state, &plan.config().status);
        if state.take_new_references() || self.references.has_other_kinds(config) {
            apply(self.references.set(state.references(), config, now), sources);
        }
    }

    /// Compares an evaluated object with what is stored, and queues it if it differs.
    pub(super) fn settle(&mut self, evaluated: Evaluated, since: Instant, now: Instant) {
        let Evaluated { object_ref, desired, finalizer } = evaluated;
        let Some(tracked) = self.store.tracked.get_mut(&*object_ref) else { return };
        if let Some(pending) = tracked.progress.pending.take() {
            self.queue.remove(pending.due, &object_ref);
        }
        // The object is evaluated again as soon as what it refers to is read for the first time.
        if self.store.state.refers_to(&object_ref, |key| self.references.awaits(key)) {
            return;
        }
        let desired = Desired { status: desired, finalizer };
        if let Some(manager) = other_manager(&object_ref, tracked, &desired) {
            tracked.progress.since = None;
            return self.reports.extend(Report::managed_by_other(&object_ref, tracked, &manager));
        }
        let stored = Stored::read(self.store.state.json(&object_ref).unwrap_or_default());
        let schema = self.schemas.get(object_ref.kind);
        let compared = stored.compare(&desired, &schema, &self.controller, (self.clock)());
        let fingerprint = compared.fingerprint(&desired);
        self.reports.extend(Report::no_room(&object_ref, tracked, &compared));
        if compared.change.is_none() {
            return tracked.progress.confirm(fingerprint);
        }
        let is_overwritten = tracked.progress.confirmed == Some(fingerprint);
        let (due, is_first) = tracked.progress.due(fingerprint, now);
        if is_overwritten {
            self.schemas.suspect(object_ref.kind);
        }
        if is_first {
            self.reports.push(Report::overwritten(&object_ref, tracked));
        }
        tracked.progress.since.get_or_insert(since);
        tracked.progress.pending = Some(Box::new(Pending { desired, fingerprint, due }));
        if !tracked.progress.is_in_flight {
            self.queue.add(due, (*object_ref).clone());
        }
    }

    fn unqueue(&mut self, object_ref: &ObjectRef, tracked: &Tracked) {
        if let Some(pending) = &tracked.progress.pending {
            self.queue.remove(pending.due, object_ref);
        }
    }
}

fn apply(events: Vec<Event>, sources: &Sources) {
    if !events.is_empty() {
        sources.cluster.apply(events);
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;
    use prometheus_client::registry::Registry;
    use serde_json::{Value, json};

    use super::super::fixture::Fixture;
    use super::super::inbox::Observation;
    use super::super::object::reduce;
    use super::super::write::Outcome;
    use super::*;
    use portcullis_core::status::{Condition, DesiredStatus, Entries, OwnEntries, ParentEntry};

    #[test]
    fn nothing_is_known_to_be_forbidden_without_the_leadership() {
        let (metrics, mut registry, now) = (StatusMetrics::default(), Registry::default(), Instant::now());
        metrics.register(&mut registry);
        let is_forbidden = || {
            let mut text = String::new();
            encode(&mut text, &registry).expect("a string can be written");
            text.contains("status_forbidden{kind=\"Gateway\"} 1")
        };
        let forbidden = || Outcome::Forbidden("no right".to_owned());
        let edge = ObjectRef::new(Kind::Gateway, "web", "edge");
        let mut reconciler = Reconciler::new(metrics);
        let object = reduce(Kind::Gateway, r#"{"metadata": {"uid": "u"}}"#).expect("an object");
        reconciler.store.observe(Observation::Applied(edge.clone(), object));
        reconciler.lead(true);
        reconciler.note_access(&edge, &forbidden(), now);
        assert!(is_forbidden());
        reconciler.lead(false);
        assert!(!is_forbidden());
        // This write was under way when the leadership was lost.
        reconciler.note_access(&edge, &forbidden(), now);
        assert!(!is_forbidden());
        reconciler.lead(true);
        reconciler.note_access(&edge, &forbidden(), now);
        assert!(is_forbidden());
    }

    fn route() -> Fixture {
        Fixture::new(ObjectRef::new(Kind::HttpRoute, "web", "shop"))
    }

    /// The watch shows these parents of the route, which is to have two own ones. Returns after what delay it will be written, if at all.
    fn stored(fixture: &mut Fixture, parents: &[Value]) -> Option<Duration> {
        fixture.observe(&json!({"parents": parents}));
        let entry = |name: &str| ParentEntry {
            reference: json!({"name": name}).as_object().cloned().unwrap_or_default(),
            conditions: vec![Condition::new("Accepted", true, "Accepted", "accepted")].into(),
        };
        let controller = "portcullis.dev/controller".to_owned();
        let own = OwnEntries { controller, entries: ["one", "two"].map(entry).into(), is_complete: true };
        let desired = DesiredStatus { entries: Some(Entries::Parents(own)), ..DesiredStatus::default() };
        assert!(fixture.evaluate(Some(desired)), "an object that changes is evaluated");
        fixture.delay()
    }

    /// Writes what is to be written. Returns the parents that are stored then.
    fn written(fixture: &mut Fixture) -> Vec<Value> {
        let write = fixture.next().expect("it is to be written");
        let status = write.change.patch["status"].clone();
        fixture.finish_with(write, &status);
        status["parents"].as_array().cloned().unwrap_or_default()
    }

    /// The reasons of the reports since the last call.
    fn reasons(fixture: &mut Fixture) -> Vec<String> {
        fixture.reconciler.reports.drain(..).map(|report| report.reason).collect()
    }

    fn theirs(count: usize) -> Vec<Value> {
        let entry =
            |number| json!({"controllerName": "example.com/other", "parentRef": {"name": format!("p{number}")}});
        (0..count).map(entry).collect()
    }

    #[test]
    fn a_rival_is_repaired_with_delays_although_a_list_is_full() {
        let mut route = route();
        assert_eq!(stored(&mut route, &theirs(31)), Some(Duration::ZERO), "there is room for one of two entries");
        let parents = written(&mut route);
        assert_eq!((parents.len(), stored(&mut route, &parents)), (32, None));
        assert_eq!(reasons(&mut route), ["StatusListFull"]);
        let mut overwritten = parents.clone();
        overwritten[31]["conditions"][0]["status"] = json!("False");
        for seconds in [1, 2, 4, 8] {
            let delay = Duration::from_secs(seconds);
            assert_eq!(stored(&mut route, &overwritten), Some(delay));
            route.now += delay;
            assert_eq!(written(&mut route), parents);
            assert_eq!(stored(&mut route, &parents), None);
        }
        assert_eq!(reasons(&mut route), ["StatusOverwritten"]);
    }

    #[test]
    fn status_is_written_once_its_list_has_room() {
        let mut route = route();
        assert_eq!(stored(&mut route, &theirs(32)), None);
        assert_eq!(stored(&mut route, &theirs(31)), Some(Duration::ZERO));
        let parents = written(&mut route);
        assert_eq!(stored(&mut route, &parents), None);
        assert_eq!(stored(&mut route, &parents[1..]), Some(Duration::ZERO), "nothing was overwritten");
        assert_eq!(reasons(&mut route), ["StatusListFull"]);
    }
}
