//! The objects of one side as they are written, for what is not evaluated of them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use serde_json::Value;

use super::hosts::HostClass;
use crate::kinds::{Kind, KindSet, ObjectRef};

/// Objects as they are written, for what is not evaluated of them.
#[derive(Debug, Default)]
pub struct Written<'w> {
    /// The JSON text of the objects that are evaluated.
    pub evaluated: BTreeMap<&'w ObjectRef, &'w str>,
    /// Others that may change answers. What they do is not known, so they may protect.
    pub others: Vec<UnevaluatedObject>,
    /// Whether nothing else exists, so that what is not among them is absent.
    pub is_complete: bool,
    /// Those that were parsed last.
    pub recent: ParsedObjects,
}

/// The fields of the objects that were parsed last, each with the address of its text. All of them would take ten times the memory of the
/// texts.
#[derive(Debug, Default)]
pub struct ParsedObjects(RefCell<VecDeque<(*const u8, Rc<Value>)>>);

/// The number of objects that are kept parsed: more than an answer leads through.
const RECENT: usize = 16;

impl Written<'_> {
    /// The fields of an object; `None` if it is not among them. They are `null` if the text is not JSON.
    pub(super) fn value(&self, object: &ObjectRef) -> Option<Rc<Value>> {
        let json = *self.evaluated.get(object)?;
        let mut recent = self.recent.0.borrow_mut();
        if let Some((_, known)) = recent.iter().find(|(address, _)| *address == json.as_ptr()) {
            return Some(known.clone());
        }
        let value = Rc::new(parsed(json));
        recent.push_front((json.as_ptr(), value.clone()));
        recent.truncate(RECENT);
        Some(value)
    }
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_default()
}

/// What an object asks for: its labels and its specification, as JSON.
pub(super) fn content(value: &Value) -> String {
    format!("{} {}", value["metadata"]["labels"], value["spec"])
}

/// An object of a kind that is not evaluated and that may change answers, such as a policy of an implementation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnevaluatedObject {
    /// Kind, namespace and name, such as `SecurityPolicy shop/login`.
    pub object: String,
    /// What it is attached to, such as `HTTPRoute shop/cart`; without a name, every object of the kind in the namespace.
    pub targets: Vec<String>,
    /// Whether it is attached to parts of objects, or to those with some labels.
    pub is_selective: bool,
    /// What it asks for, as JSON.
    pub content: String,
}

/// The kinds of objects that answers lead through.
const ATTACHABLE: [&str; 10] = [
    "Gateway ",
    "GRPCRoute ",
    "HTTPProxy ",
    "HTTPRoute ",
    "Ingress ",
    "IngressRoute ",
    "ListenerSet ",
    "Service ",
    "TCPRoute ",
    "TLSRoute ",
];

/// The kinds of a mesh that select pods by labels, those of a Gateway too, and may refuse or change requests.
const OF_MESH: [&str; 4] = ["AuthorizationPolicy", "EnvoyFilter", "RequestAuthentication", "WasmPlugin"];

impl UnevaluatedObject {
    /// The Services that it may lead to: every object that a field of it names, and every host.
    pub(super) fn services(&self) -> BTreeSet<ObjectRef> {
        let mut named = BTreeSet::new();
        let own = self.object.split_once(' ').and_then(|(_, name)| name.split_once('/')).map_or("", |(own, _)| own);
        collect_services(&parsed(&self.content), own, &mut named);
        named
    }

    /// Whether it selects pods, which may be those of a Gateway.
    pub(super) fn selects_pods(&self) -> bool {
        self.is_free() && self.object.split(' ').next().is_some_and(|kind| OF_MESH.contains(&kind))
    }

    /// Whether it is attached to no object that answers lead through, so that it may change any answer.
    fn is_free(&self) -> bool {
        !self.targets.iter().any(|target| ATTACHABLE.iter().any(|kind| target.starts_with(kind)))
    }

    pub(super) fn is_attached(&self, object: &str) -> bool {
        let mut targets = self.targets.iter();
        targets.any(|target| object == target || target.ends_with('/') && object.starts_with(target.as_str()))
    }
}

/// Adds the Services that fields of `value` may name, by default in the namespace `own`.
fn collect_services(value: &Value, own: &str, named: &mut BTreeSet<ObjectRef>) {
    match value {
        Value::Object(fields) => {
            let text = |name: &str| fields.get(name).and_then(Value::as_str);
            if let Some(name) = text("name") {
                named.insert(ObjectRef::new(Kind::Service, text("namespace").unwrap_or(own), name));
            }
            if let Some(host) = text("host") {
                let mut labels = host.split('.');
                let name = labels.next().unwrap_or_default();
                named.insert(ObjectRef::new(Kind::Service, labels.next().unwrap_or(own), name));
            }
            fields.values().for_each(|value| collect_services(value, own, named));
        }
        Value::Array(elements) => elements.iter().for_each(|element| collect_services(element, own, named)),
        _ => {}
    }
}

impl<'w> Written<'w> {
    /// The objects that are written in another way on the other side, or that only one side has.
    pub(super) fn differing(&self, other: &Self) -> impl Iterator<Item = &'w ObjectRef> {
        let own = self.evaluated.iter().filter(|(object, text)| other.evaluated.get(*object) != Some(*text));
        let added = other.evaluated.keys().filter(|object| !self.evaluated.contains_key(*object));
        own.map(|(object, _)| *object).chain(added.copied())
    }

    /// Whether what differs may concern Gateways and their routes.
    pub(super) fn differs_for_gateways(&self, other: &Self) -> bool {
        let of_other_apis = KindSet::of(&[Kind::Ingress, Kind::IngressClass, Kind::HttpProxy, Kind::IngressRoute]);
        self.others != other.others || self.differing(other).any(|object| !of_other_apis.contains(object.kind))
    }

    /// The objects that the other side lacks, unless nothing else exists there.
    pub(super) fn without(&self, other: &Written<'_>) -> BTreeSet<&'w ObjectRef> {
        let lacks = |object: &&'w ObjectRef| !other.is_complete && !other.evaluated.contains_key(*object);
        self.evaluated.keys().copied().filter(lacks).collect()
    }
}

impl Written<'_> {
    /// Whether an object with rules, which may be for such hosts, is written differently on the other side.
    pub(super) fn changes(&self, other: &Written<'_>, host: &HostClass) -> bool {
        let name = match host {
            HostClass::Is(name) | HostClass::OneLabelUnder(name) | HostClass::Under(name) => Some(name.as_str()),
            HostClass::Other => None,
        };
        let is_about = |json: &str| name.is_some_and(|name| json.contains(name)) || !json.contains("\"host");
        let has_rules = |object: &ObjectRef| !matches!(object.kind, Kind::Service | Kind::Namespace | Kind::HostClaim);
        let differs = |one: &Written<'_>, other: &Written<'_>| {
            one.evaluated
                .iter()
                .any(|(object, own)| has_rules(object) && other.evaluated.get(object) != Some(own) && is_about(own))
        };
        differs(self, other) || differs(other, self)
    }

    /// What may change any answer and is not evaluated, each as text: objects of other kinds that are not attached to one that answers,
    /// and the controllers and parameters of classes and Gateways.
    pub fn unevaluated_changes(&self, after: &Written<'_>) -> BTreeSet<String> {
        let free = |side: &Written<'_>| -> BTreeSet<UnevaluatedObject> {
            side.others.iter().filter(|other| other.is_free()).cloned().collect()
        };
        let (own, other) = (free(self), free(after));
        let changed = own.symmetric_difference(&other).map(|other| other.object.clone());
        let classes = self.evaluated.iter().filter_map(|(object, own)| {
            let now = after.evaluated.get(object).filter(|now| *now != own)?;
            let field = EVERYWHERE.iter().filter(|(kind, _)| *kind == object.kind).map(|(_, pointer)| *pointer);
            let mut field = field.peekable();
            field.peek()?;
            let (own, now) = (parsed(own), parsed(now));
            let differs = |pointer: &&str| own.pointer(pointer) != now.pointer(pointer);
            field.into_iter().find(differs).map(|pointer| format!("{} of {object}", pointer[1..].replace('/', ".")))
        });
        let datagrams = |side: &Written<'_>| -> BTreeMap<ObjectRef, String> {
            let all = side.evaluated.iter().filter(|(object, _)| object.kind == Kind::UdpRoute);
            all.map(|(object, own)| ((*object).clone(), content(&parsed(own)))).collect()
        };
        let (own, other) = (datagrams(self), datagrams(after));
        let datagrams = own.keys().chain(other.keys()).filter(|object| own.get(object) != other.get(object));
        let differs = |service: &ObjectRef| self.evaluated.get(service) != after.evaluated.get(service);
        let unchanged = self.others.iter().filter(|other| other.is_free() && after.others.contains(other));
        let behind = unchanged.flat_map(|other| {
            let services = other.services().into_iter().filter(|service| differs(service));
            services.map(|service| format!("{service}, which {} may lead to,", other.object)).collect::<Vec<_>>()
        });
        let (aliases, now) = (self.alias_expressions(), after.alias_expressions());
        let aliases = aliases.symmetric_difference(&now).cloned();
        let all = changed.chain(classes).chain(datagrams.map(ToString::to_string)).chain(aliases).chain(behind);
        all.map(|what| format!("{what} differs, and is not evaluated")).collect()
    }
}

impl Written<'_> {
    /// The annotations with aliases that are expressions, so that they are for hosts that are not listed; each as text.
    fn alias_expressions(&self) -> BTreeSet<String> {
        let ingresses = self.evaluated.iter().filter(|(object, _)| object.kind == Kind::Ingress);
        // Most objects need not be parsed.
        let annotated = ingresses.filter(|(_, json)| json.contains(ALIASES));
        let of_ingress = |(object, json): (&&ObjectRef, &&str)| -> Vec<String> {
            let written = parsed(json);
            let annotations = written["metadata"]["annotations"].as_object().into_iter().flatten();
            let aliases = annotations.filter(|(key, _)| key.ends_with(ALIASES));
            let aliases = aliases.filter_map(|(key, value)| Some((key, value.as_str()?)));
            let expressions = aliases.filter(|(_, value)| value.contains('~'));
            expressions.map(|(key, value)| format!("annotation {key} ({value}) of {object}")).collect()
        };
        annotated.flat_map(of_ingress).collect()
    }
}

/// The end of the key of the annotation with aliases of ingress-nginx.
const ALIASES: &str = "/server-alias";

/// Fields that may change any answer and are not evaluated, as JSON pointers.
const EVERYWHERE: [(Kind, &str); 7] = [
    (Kind::IngressClass, "/spec/controller"),
    (Kind::IngressClass, "/spec/parameters"),
    (Kind::GatewayClass, "/spec/controllerName"),
    (Kind::GatewayClass, "/spec/parametersRef"),
    (Kind::Gateway, "/spec/gatewayClassName"),
    (Kind::Gateway, "/spec/infrastructure"),
    (Kind::Gateway, "/spec/tls/backend"),
];
