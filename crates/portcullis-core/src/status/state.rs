//! The status of all objects, kept current by event: a change leads to exactly the objects whose status read what
//! changed.

use std::collections::BTreeSet;
use std::sync::Arc;

use hashbrown::HashMap;

use super::{
    AttachedRoutes, DesiredStatus, Evaluation, Perspective, Section, StatusContext, evaluate, ingress, ingress_route,
};
use crate::cluster::small_set::SmallSet;
use crate::cluster::{Changes, Cluster, Ownership, ReadKey, Reads};
use crate::config::Config;
use crate::kinds::{Kind, Object, ObjectRef, Partial};
use crate::routing::delegation::GraphState;

/// The objects that have a status, with what the status of each depends on.
#[derive(Debug, Default)]
pub struct StatusState {
    subjects: HashMap<Arc<ObjectRef>, Subject>,
    /// The objects whose status read a part of the view.
    readers: HashMap<Arc<ReadKey>, SmallSet<Arc<ObjectRef>>>,
    /// Those of the parts that are Secrets and ConfigMaps to which an object refers.
    references: BTreeSet<Arc<ReadKey>>,
    /// Whether `references` changed since this was last asked.
    has_new_references: bool,
    /// The objects to evaluate, in the order of evaluation.
    dirty: BTreeSet<(Phase, Arc<ObjectRef>)>,
    attached: AttachedRoutes,
    perspective: Perspective,
}

#[derive(Debug)]
struct Subject {
    /// The object as JSON, reduced to what its status depends on.
    json: Box<str>,
    reads: Box<[Arc<ReadKey>]>,
}

/// The order of evaluation: listeners count routes, so routes are evaluated first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Routes,
    Others,
}

impl Phase {
    fn of(kind: Kind) -> Self {
        match kind {
            Kind::HttpRoute | Kind::GrpcRoute | Kind::TlsRoute | Kind::TcpRoute | Kind::UdpRoute => Self::Routes,
            _ => Self::Others,
        }
    }
}

/// An evaluated object.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluated {
    /// The reference to the object.
    pub object_ref: Arc<ObjectRef>,
    /// Its status; `None` if Portcullis is not responsible for it.
    pub desired: Option<DesiredStatus>,
    /// Whether it must have the [finalizer](super::finalizer::FINALIZER) of a GatewayClass; `None` to leave its finalizers as they
    /// are.
    pub finalizer: Option<bool>,
}

impl StatusState {
    /// No objects yet.
    pub fn new(perspective: Perspective) -> Self {
        Self { perspective, ..Self::default() }
    }

    /// The listeners that accept the routes that were evaluated.
    pub fn into_attached(self) -> AttachedRoutes {
        self.attached
    }

    /// Adds or replaces an object, which is evaluated next.
    pub fn put(&mut self, object_ref: ObjectRef, json: Box<str>) {
        let object_ref = Arc::new(object_ref);
        self.dirty.insert((Phase::of(object_ref.kind), Arc::clone(&object_ref)));
        match self.subjects.get_mut(&*object_ref) {
            Some(subject) => subject.json = json,
            None => drop(self.subjects.insert(object_ref, Subject { json, reads: Box::default() })),
        }
    }

    /// Removes an object. It may not exist.
    pub fn remove(&mut self, object_ref: &ObjectRef) {
        let Some((object_ref, subject)) = self.subjects.remove_entry(object_ref) else { return };
        self.dirty.remove(&(Phase::of(object_ref.kind), Arc::clone(&object_ref)));
        self.forget_reads(&object_ref, &subject.reads);
        self.set_attached(&object_ref, Vec::new());
    }

    /// The Secrets and ConfigMaps to which objects with a status refer, by kind, namespace and name. A reference that needs a grant and
    /// has none is left out.
    pub fn references(&self) -> &BTreeSet<Arc<ReadKey>> {
        &self.references
    }

    /// Whether the references changed since the last call.
    pub fn take_new_references(&mut self) -> bool {
        std::mem::take(&mut self.has_new_references)
    }

    /// Whether the status of an object depends on a Secret or a ConfigMap for which `is_such` holds.
    pub fn refers_to(&self, object_ref: &ObjectRef, is_such: impl Fn(&ReadKey) -> bool) -> bool {
        let subject = self.subjects.get(object_ref);
        subject.is_some_and(|subject| subject.reads.iter().any(|key| key.named().is_some() && is_such(key)))
    }

    /// The JSON of an object.
    pub fn json(&self, object_ref: &ObjectRef) -> Option<&str> {
        self.subjects.get(object_ref).map(|subject| &*subject.json)
    }

    /// Marks the objects whose status read something that changed.
    pub fn note(&mut self, changes: &Changes) {
        match changes.everything {
            true => self.touch_everything(),
            false => changes.keys.iter().for_each(|key| self.touch(key)),
        }
    }

    /// Marks the objects whose status read a part of the view.
    pub fn touch(&mut self, key: &ReadKey) {
        if let Some(readers) = self.readers.get(key) {
            self.dirty.extend(readers.iter().map(|reader| (Phase::of(reader.kind), Arc::clone(reader))));
        }
    }

    /// Marks an object. It may not exist.
    pub fn touch_object(&mut self, object_ref: &ObjectRef) {
        if let Some((own, _)) = self.subjects.get_key_value(object_ref) {
            self.dirty.insert((Phase::of(own.kind), Arc::clone(own)));
        }
    }

    /// Marks all objects.
    pub fn touch_everything(&mut self) {
        self.dirty = self.subjects.keys().map(|own| (Phase::of(own.kind), Arc::clone(own))).collect();
    }

    /// Whether an object is still to be evaluated.
    pub fn is_pending(&self, object_ref: &ObjectRef) -> bool {
        let own = self.subjects.get_key_value(object_ref);
        own.is_some_and(|(own, _)| self.dirty.contains(&(Phase::of(own.kind), Arc::clone(own))))
    }

    /// The number of objects to evaluate.
    pub fn pending(&self) -> usize {
        self.dirty.len()
    }

    /// The number of objects.
    pub fn count(&self) -> usize {
        self.subjects.len()
    }

    /// Evaluates the next object that must be evaluated; `None` if there is none.
    pub fn evaluate_next(
        &mut self,
        cluster: &Cluster,
        rules: (&Config, &Ownership),
        delegations: &GraphState,
    ) -> Option<Evaluated> {
        let (_, object_ref) = self.dirty.pop_first()?;
        let reads = Reads::default();
        let Evaluation { desired, attached, finalizer } = {
            let subject = self.subjects.get(&object_ref)?;
            let (subject_of, perspective) = ((cluster, &*object_ref), self.perspective);
            let context = StatusContext::new(subject_of, rules, perspective, &self.attached, delegations, &reads);
            evaluate_json(&object_ref, &subject.json, &context)
        };
        self.remember_reads(&object_ref, reads);
        self.set_attached(&object_ref, attached);
        Some(Evaluated { object_ref, desired, finalizer })
    }

    /// Sets the listeners that accept a route, and marks what depends on them.
    fn set_attached(&mut self, route: &Arc<ObjectRef>, sections: Vec<Section>) {
        let parents = self.attached.set(route, sections);
        if !parents.is_empty() {
            self.touch(&ReadKey::AttachmentsOf((**route).clone()));
        }
        parents.into_iter().for_each(|parent| self.touch(&ReadKey::AttachedTo((*parent).clone())));
    }

    /// Replaces what the status of an object depends on.
    fn remember_reads(&mut self, object_ref: &Arc<ObjectRef>, reads: Reads) {
        let mut keys = reads.into_keys();
        let Some(subject) = self.subjects.get_mut(object_ref) else { return };
        let before = std::mem::take(&mut subject.reads);
        let (kept, gone): (Vec<_>, Vec<_>) = before.into_iter().partition(|key| keys.remove(&**key));
        let mut now = kept;
        for key in keys {
            let key = match self.readers.get_key_value(&key) {
                Some((key, _)) => Arc::clone(key),
                None => Arc::new(key),
            };
            if key.named().is_some() {
                self.has_new_references |= self.references.insert(Arc::clone(&key));
            }
            self.readers.entry(Arc::clone(&key)).or_default().insert(Arc::clone(object_ref));
            now.push(key);
        }
        subject.reads = now.into();
        self.forget_reads(object_ref, &gone);
    }

    fn forget_reads(&mut self, object_ref: &ObjectRef, keys: &[Arc<ReadKey>]) {
        for key in keys {
            let Some(readers) = self.readers.get_mut(key) else { continue };
            readers.remove(object_ref);
            if readers.is_empty() {
                self.readers.remove(key);
                self.has_new_references |= self.references.remove(key);
            }
        }
    }
}

/// Evaluates one object. An IngressRoute has a verdict even if it cannot be decoded; any other object that cannot be
/// decoded is left as it is. An object that is cut gets no status, but its listeners count it if it is a route.
fn evaluate_json(object_ref: &ObjectRef, json: &str, context: &StatusContext<'_>) -> Evaluation {
    let evaluation = evaluate_any(object_ref, json, context);
    match context.is_cut() {
        true => Evaluation { desired: None, ..evaluation },
        false => evaluation,
    }
}

fn evaluate_any(object_ref: &ObjectRef, json: &str, context: &StatusContext<'_>) -> Evaluation {
    if object_ref.kind == Kind::IngressRoute {
        return ingress_route::of(object_ref, json, context).into();
    }
    let decoded = Partial::read(object_ref.kind, json).decided(object_ref.kind);
    match decoded {
        Ok(Object::Ingress(own)) => ingress::of(&own, json, context).into(),
        Ok(object) => evaluate(&object, context),
        Err(_) => Evaluation::default(),
    }
}
