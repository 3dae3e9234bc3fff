//! The objects of one cluster, indexed to answer requests.

use std::collections::BTreeSet;

use super::answer::{Explanation, PlaneAnswer};
use super::gateway::GatewayPlanes;
use super::ingress::Ingresses;
use super::request::Request;
use super::route_resolver::{ApiAnswer, Condition, Detail, RouteResolver, Scope, Stored};
use super::sites::GatewayListener;
use super::trees::Trees;
use super::{delegation, include};
use crate::cluster::{Cluster, DataPlanes, Overlay};
use crate::config::Config;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::Host;

/// The objects of one cluster, indexed to answer requests.
pub struct Snapshot<'w> {
    objects: &'w [Stored<'w>],
    cluster: &'w Cluster,
    config: &'w Config,
    gateways: GatewayPlanes<'w>,
    proxies: Trees<'w>,
    delegations: Trees<'w>,
    ingresses: Ingresses<'w>,
    /// Whether all objects that may have a class are known.
    knows_classes: bool,
}

/// The kinds that have classes.
const OF_CLASSES: [Kind; 3] = [Kind::Ingress, Kind::HttpProxy, Kind::IngressRoute];

impl<'w> Snapshot<'w> {
    /// A snapshot of `objects`, which `cluster` must also contain. `config` says which namespaces may contain roots,
    /// and which extensions are enabled.
    ///
    /// ```
    /// use portcullis_core::cluster::{Cluster, Event, Facts, SyncState};
    /// use portcullis_core::config::Config;
    /// use portcullis_core::explain::{Request, Scope, Snapshot, Stored};
    /// use portcullis_core::kinds::{Kind, decode};
    ///
    /// let ingress = r#"{"metadata": {"namespace": "web", "name": "shop"}, "spec": {"rules": [
    ///     {"host": "shop.example.com", "http": {"paths": [{"path": "/cart", "pathType": "Prefix",
    ///         "backend": {"service": {"name": "cart", "port": {"number": 80}}}}]}}]}}"#;
    /// let object = decode(Kind::Ingress, ingress)?;
    /// let mut cluster = Cluster::with(SyncState::Complete);
    /// cluster.apply(Event::Apply(Facts::of(&object)));
    /// let objects = [Stored { object_ref: object.object_ref(), object }];
    /// let config = Config::default();
    /// let snapshot = Snapshot::new(&objects, &cluster, &config);
    ///
    /// let request = Request::parse("GET", "http://shop.example.com/cart/7", &[], None, None)?;
    /// let answer = snapshot.ask(&request, &Scope::default());
    /// let (_, winner) = answer.winner.expect("the Ingress answers");
    /// assert_eq!((winner.object.name.as_str(), winner.field.to_string().as_str()), ("shop", "spec.rules[0].http.paths[0]"));
    ///
    /// let request = Request::parse("GET", "http://shop.example.com/", &[], None, None)?;
    /// assert!(snapshot.ask(&request, &Scope::default()).winner.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(objects: &'w [Stored<'w>], cluster: &'w Cluster, config: &'w Config) -> Self {
        let view = || Overlay::of_all(cluster);
        Self {
            objects,
            cluster,
            config,
            gateways: GatewayPlanes::new(objects, view(), config),
            proxies: include::trees(objects, config, view()),
            delegations: delegation::trees(objects, cluster, config, view()),
            ingresses: Ingresses::new(objects, view(), &DataPlanes::new(&config.data_planes)),
            knows_classes: OF_CLASSES.into_iter().all(|kind| cluster.knows_all(kind)),
        }
    }

    /// The objects.
    pub(crate) fn objects(&self) -> &'w [Stored<'w>] {
        self.objects
    }

    /// Whether `other` has the same configuration, the same knowledge of what is not an object in it, and the same data planes of Ingresses,
    /// but for those that serve nothing else than one of `changed`.
    pub(crate) fn has_the_setup_of(&self, other: &Self, changed: &BTreeSet<&ObjectRef>) -> bool {
        std::ptr::eq(self.config, other.config)
            && self.cluster.knows_as_much_as(other.cluster)
            && self.ingresses.has_planes_of(&other.ingresses, changed)
    }

    /// The resolvers of all APIs. A new API is added here.
    fn planes(&self) -> [&dyn RouteResolver<'w>; 4] {
        [&self.gateways, &self.proxies, &self.delegations, &self.ingresses]
    }

    /// The answer to `request`.
    pub fn ask(&self, request: &Request, scope: &Scope) -> Explanation {
        let answers: Vec<ApiAnswer> =
            self.planes().into_iter().map(|planes| planes.ask(request, scope, Detail::WithLosers)).collect();
        let elsewhere = answers.iter().map(|answer| answer.elsewhere).sum();
        let verdicts = answers.into_iter().flat_map(|answer| answer.verdicts).collect();
        Explanation::of(request.clone(), verdicts, elsewhere)
    }

    /// The answer of each data plane with a rule or a host for `request`, without the candidates that do not answer.
    pub fn answers(&self, request: &Request, scope: &Scope) -> Vec<PlaneAnswer> {
        let all = self.planes().into_iter().flat_map(|planes| planes.ask(request, scope, Detail::OnlyAnswers).verdicts);
        all.filter(|answer| answer.winner.is_some() || answer.reached.is_some()).collect()
    }

    /// The same, without the answers over TLS of which a client cannot verify the certificate.
    pub fn verifiable_answers(&self, request: &Request, scope: &Scope) -> Vec<PlaneAnswer> {
        let all = self.answers(request, scope).into_iter();
        all.filter(|answer| answer.is_verifiable).collect()
    }

    /// An error for each part of `scope` that matches no object, with a suggestion.
    pub fn unknown_in(&self, scope: &Scope) -> Vec<String> {
        let is_known = |scope: Scope| self.planes().into_iter().any(|planes| planes.has_objects(&scope));
        let by_gateway = |gateway: &ObjectRef| Scope { class: None, gateway: Some(gateway.clone()) };
        let by_class = |class: &String| Scope { class: Some(class.clone()), gateway: None };
        let gateway = scope.gateway.iter().filter(|gateway| !is_known(by_gateway(gateway)));
        let class = scope.class.iter().filter(|class| self.knows_classes && !is_known(by_class(class)));
        let gateway = gateway.map(|gateway| format!("{gateway} not found{}", self.hint(gateway)));
        let class = class.map(|class| {
            let hint = self.hint(&ObjectRef::new(Kind::IngressClass, "", class));
            format!("no object has class `{class}`{hint}")
        });
        gateway.chain(class).collect()
    }

    /// The HTTPProxies and IngressRoutes to which no root leads that serves requests.
    pub fn orphans(&self) -> impl Iterator<Item = &'w ObjectRef> {
        self.proxies.orphans().chain(self.delegations.orphans())
    }

    /// What is not known and decides whether routes answer requests for `host`, each as text. A Gateway that is absent is not known, either,
    /// unless the objects are complete.
    pub fn undecided(&self, host: &str, scope: &Scope, is_complete: bool) -> BTreeSet<String> {
        self.gateways.undecided(host, scope, is_complete)
    }

    /// What is not known and decides whether routes answer `request`, each as text.
    pub fn undecided_for(&self, request: &Request, scope: &Scope) -> BTreeSet<String> {
        self.gateways.undecided_for(request, scope)
    }

    /// What is not known of the Ingresses that the class in `scope` serves, each as text.
    pub fn doubts_in(&self, scope: &Scope) -> Vec<String> {
        scope.class.iter().flat_map(|class| self.ingresses.doubts(class)).collect()
    }

    fn hint(&self, absent: &ObjectRef) -> String {
        let suggestion = self.gateways.cluster.similar(absent);
        suggestion.map_or(String::new(), |suggestion| format!("; did you mean `{}`?", suggestion.name))
    }

    /// The hosts that the objects name.
    pub fn hosts(&self, scope: &Scope) -> BTreeSet<Host<'_>> {
        let mut hosts = BTreeSet::new();
        self.planes().into_iter().for_each(|planes| planes.collect_hosts(scope, &mut hosts));
        hosts
    }

    /// The ports that serve HTTP, each with whether over TLS: those of the listeners, and 80 and 443.
    pub fn endpoints(&self, scope: &Scope) -> BTreeSet<(bool, u16)> {
        let listeners = self.gateways.sites.all.iter().filter(|site| scope.has_gateway(&site.gateway.object_ref));
        listeners.filter_map(GatewayListener::endpoint).chain([(false, 80), (true, 443)]).collect()
    }

    /// What the objects distinguish among the requests for `host`.
    pub fn conditions(&self, host: &str, scope: &Scope) -> Vec<Condition<'_>> {
        self.planes().into_iter().flat_map(|planes| planes.conditions(host, scope)).collect()
    }
}
