//! Compares the features of the Gateway API that an object uses with those that a GatewayClass supports.

use crate::cluster::gateway_facts::GatewayClassFacts;
use crate::field::{At, FieldPath};
use crate::finding::Findings;
use crate::kinds::{Listener, Listeners, walk};

/// The names of a feature: the one that is reported, and those that it has in other releases.
pub(super) type Feature = &'static [&'static str];

/// A listener for TLSRoutes that terminates TLS.
const TLS_TERMINATE: Feature = &["TLSRouteModeTerminate"];
/// Two listeners for TLSRoutes with different modes on one port.
const TLS_MIXED: Feature = &["TLSRouteModeMixed"];

/// The class, if its status says which features it supports.
pub(super) fn with_features(class: Option<&GatewayClassFacts>) -> Option<&GatewayClassFacts> {
    class.filter(|class| !class.is_rejected && !class.supported_features.is_empty())
}

/// The first use of each feature in an object.
#[derive(Default)]
pub(super) struct FeatureUses(Vec<(Feature, FieldPath)>);

impl FeatureUses {
    /// Adds a use of a feature, unless an earlier one is known.
    pub(super) fn add(&mut self, feature: Feature, at: impl Into<FieldPath>) {
        if self.0.iter().all(|(known, _)| *known != feature) {
            self.0.push((feature, at.into()));
        }
    }

    /// Reports each feature that one of the classes does not support, with the first such class.
    pub(super) fn report(self, classes: &[&GatewayClassFacts], found: &mut Findings<'_>) {
        for (feature, at) in self.0 {
            if let Some(class) = classes.iter().find(|class| class.supported_features.lacks(feature)) {
                report(feature, at, class, found);
            }
        }
    }
}

/// Reports a feature that a class does not support.
pub(super) fn report(feature: Feature, at: impl Into<FieldPath>, class: &GatewayClassFacts, found: &mut Findings<'_>) {
    let message = "{other} does not support {}: remove it or use another class";
    found.not_supported(at, feature[0], message).other(&class.object_ref());
}

/// Adds the features that the listeners with protocol TLS use, of which those without TLSRoutes need none.
pub(super) fn add_tls_modes(listeners: &Listeners<'_, '_>, uses: &mut FeatureUses) {
    let has_routes = |listener: &Listener<'_>| {
        let mut kinds = listener.allowed_routes.iter().flat_map(|allowed| &allowed.kinds).peekable();
        &*listener.protocol == "TLS" && (kinds.peek().is_none() || kinds.any(|kind| &*kind.kind == "TLSRoute"))
    };
    let terminating = |(_, listener): &(At, &Listener<'_>)| has_routes(listener) && !listener.is_passthrough();
    for (at, listener) in walk::listener::listeners(listeners).filter(terminating) {
        uses.add(TLS_TERMINATE, at.child("tls"));
        let mut others = listeners.all.iter().filter(|other| other.port == listener.port);
        if others.any(|other| has_routes(other) && other.is_passthrough()) {
            uses.add(TLS_MIXED, at.child("port"));
        }
    }
}
