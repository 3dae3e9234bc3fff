//! The data planes that serve Ingresses, and what is known of them.

use std::collections::BTreeSet;

use super::{Dialect, Ingresses, PlaneIngresses};
use crate::cluster::{DataPlanes, Lookup, Plane, PlaneInputs};
use crate::explain::answer::{AnsweringPlane, Api};
use crate::explain::ingress_source::{Class, IngressPlane};
use crate::explain::request::Request;
use crate::explain::route_resolver::{Scope, hosts_above};
use crate::kinds::{Ingress, ObjectRef};
use crate::matching::DataPlaneHints;
use crate::matching::host::Depth;

impl<'w> Ingresses<'w> {
    /// The key of the data plane that serves an Ingress with this `class`.
    pub(super) fn plane(
        &self,
        object_ref: &'w ObjectRef,
        ingress: &Ingress<'_>,
        class: Class<'_>,
        planes: &DataPlanes,
    ) -> IngressPlane<'w> {
        let hints = DataPlaneHints::of(ingress);
        let named = |class: Class<'_>| class.map(Box::from);
        match planes.plane(PlaneInputs { class, hints: hints.as_deref() }, &self.cluster) {
            Plane::Class(class) => IngressPlane { class: named(class), group: None, alone: None },
            Plane::Listener(class, listener) => {
                IngressPlane { class: named(class), group: Some(listener), alone: None }
            }
            Plane::Group(group) => IngressPlane { class: None, group: Some(group), alone: None },
            Plane::Alone => IngressPlane { class: named(class), group: None, alone: Some(object_ref) },
        }
    }

    pub(super) fn plane_of(&self, rule: usize) -> &IngressPlane<'w> {
        &self.sources[self.rules[rule].source].plane
    }

    /// Whether a class of the data plane is in the scope.
    pub(super) fn is_in_scope(&self, plane: &IngressPlane<'w>, scope: &Scope) -> bool {
        self.by_plane.get(plane).is_some_and(|own| own.classes.iter().any(|class| scope.has_class(*class)))
    }

    /// What is not known of the Ingresses of a class, each as text: which controller serves them, and whether it serves those without a
    /// class.
    pub(in crate::explain) fn doubts(&self, class: &str) -> Vec<String> {
        if !self.sources.iter().any(|source| source.class == Some(class)) {
            return Vec::new();
        }
        let is_specified = |own: &PlaneIngresses<'_>| own.nginx.is_none() && own.dialect == Dialect::Specified;
        let mut of_class = self.by_plane.values().filter(|own| own.classes.contains(&Some(class)));
        let is_open = !self.controllers.contains_key(class) && of_class.any(is_specified);
        let open = is_open.then(|| format!("IngressClass {class} is missing, so its controller is not known"));
        let classless = self.sources.iter().filter(|source| source.class.is_none() && source.served_by.is_none());
        let classless = classless.map(|source| format!("{} has no class and is not compared", source.object_ref));
        open.into_iter().chain(classless).collect()
    }

    /// Whether the data planes are those of `other`, with the same classes and controllers, but for those that serve one of `changed` alone.
    pub(in crate::explain) fn has_planes_of(&self, other: &Self, changed: &BTreeSet<&ObjectRef>) -> bool {
        self.of_classless == other.of_classless && self.planes_beside(changed).eq(other.planes_beside(changed))
    }

    /// The data planes but for those that serve one of `changed` alone, each with its classes, its dialect, and whether it is an
    /// ingress-nginx.
    fn planes_beside<'s>(
        &'s self,
        changed: &BTreeSet<&ObjectRef>,
    ) -> impl Iterator<Item = (&'s IngressPlane<'w>, &'s BTreeSet<Class<'w>>, Dialect, bool)> {
        let beside =
            self.by_plane.iter().filter(move |(plane, _)| plane.alone.is_none_or(|alone| !changed.contains(alone)));
        beside.map(|(plane, own)| (plane, &own.classes, own.dialect, own.nginx.is_some()))
    }

    pub(super) fn dialect(&self, plane: &IngressPlane<'w>) -> Dialect {
        self.by_plane.get(plane).map_or(Dialect::Specified, |plane_ingresses| plane_ingresses.dialect)
    }

    /// Whether an Ingress names a certificate for the host, if the request is over TLS.
    pub(super) fn is_verifiable(&self, plane: &IngressPlane<'w>, request: &Request) -> bool {
        let above = hosts_above(&request.host);
        let mut above = above.iter().filter(|host| host.matches(&request.host, Depth::OneLabel));
        !request.is_secure || self.by_plane.get(plane).is_some_and(|own| above.any(|host| own.certified.contains(host)))
    }

    pub(super) fn answering_plane(&self, plane: &IngressPlane<'w>) -> AnsweringPlane {
        let classes = self.by_plane.get(plane).into_iter().flat_map(|own| &own.classes);
        let classes: Vec<&str> = classes.copied().flatten().collect();
        let is_absent = |class: &str| matches!(self.cluster.ingress_class(class), Lookup::Absent);
        let name = |class: &&str| if is_absent(class) { format!("{class} (not found)") } else { (*class).to_owned() };
        let is_class_missing = !classes.is_empty() && classes.iter().all(|class| is_absent(class));
        let named: Vec<String> = classes.iter().map(name).collect();
        let classes = match named.as_slice() {
            [] => "Ingresses without a class".to_owned(),
            [class] => format!("IngressClass {class}"),
            classes => format!("IngressClasses {}", classes.join(", ")),
        };
        let name = match (&plane.group, plane.alone) {
            (Some(group), _) => format!("{classes}, group {group}"),
            (None, Some(object_ref)) => format!("{classes}, {object_ref}"),
            (None, None) => classes,
        };
        AnsweringPlane { api: Api::Ingress, name, is_class_missing }
    }
}
