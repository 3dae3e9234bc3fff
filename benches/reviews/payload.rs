//! The reviews to send, each with its expected verdict. They are deterministic and encoded like those of the API
//! server's webhook client.

use portcullis_core::kinds::Kind;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::gateways::Parent;
use crate::http_route::{self, http_route};
use crate::ingress::{Ingress, Shape, usual_paths};
use crate::ingress_route::{self, ingress_route};
use crate::metadata::go_json;
use crate::objects::{self, Object};

/// The uid of all reviews, so that one canned response fits all of them.
pub const UID: &str = "0df28fbd-5f5f-11e9-bf2c-0242ac110002";

/// The expected verdict of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// Allowed, without a warning.
    Clean,
    /// Denied.
    Denied,
    /// Allowed or denied: for a review that the product denies and the baseline, which allows everything, allows.
    Either,
}

/// A review and its expected verdict.
pub struct Payload {
    /// The name for tables.
    pub name: &'static str,
    /// The AdmissionReview as JSON.
    pub body: String,
    /// The expected verdict.
    pub verdict: Verdict,
}

/// The CREATE of an ordinary Ingress: 9.5 KB, 10 hosts, 12 paths.
pub fn ordinary() -> Payload {
    let body = create(&SHAPE);
    Payload { name: "Ingress CREATE, 9.5 KB", body, verdict: Verdict::Clean }
}

/// The UPDATE of a large Ingress with other paths: 500 KB, half of it the old object.
pub fn large() -> Payload {
    update("Ingress UPDATE, 500 KB", Shape { name: "catalogue", hosts: 505, ..SHAPE })
}

/// The UPDATE of an Ingress with other paths: 125 KB, half of it the old object.
pub fn medium() -> Payload {
    update("Ingress UPDATE, 125 KB", Shape { name: "catalogue", hosts: 121, ..SHAPE })
}

/// The UPDATE of an Ingress that is larger than etcd stores by default: 3.7 MB, half of it the old object.
pub fn huge() -> Payload {
    update("Ingress UPDATE, 3.7 MB", Shape { name: "catalogue", hosts: 3_440, paths: |_| 4, ..SHAPE })
}

/// The CREATE of an Ingress of 1,000 hosts with 10 paths each.
pub fn wide() -> Payload {
    let shape = Shape { name: "bazaar", hosts: 1_000, paths: |_| 10, ..SHAPE };
    Payload { name: "Ingress CREATE, 1,000 hosts x 10 paths", body: create(&shape), verdict: Verdict::Clean }
}

/// The CREATE of an Ingress that claims the hosts and paths of an Ingress in another namespace. Denying it requires the
/// whole index.
pub fn conflicting() -> Payload {
    let name = objects::ingress_name(1);
    let body = create(&Shape { name: &name, ..SHAPE });
    Payload { name: "Ingress CREATE, in conflict", body, verdict: Verdict::Denied }
}

/// The CREATE of a large HTTPRoute: 65 KB, 16 rules with 8 matches, 3 filters and 3 backends each; every backend has a
/// filter.
pub fn route() -> Payload {
    let parents =
        [Parent { gateway: 3, listener: 40, by_section: true }, Parent { gateway: 4, listener: 50, by_section: false }];
    let (namespace, name) = (objects::FIRST_NAMESPACE, "storefront");
    let mirror = objects::namespace_name(objects::NAMESPACES - 1);
    let shape = http_route::Shape { namespace, name, mirror: &mirror, parents, rules: 16, matches: 8 };
    let place = Place { kind: Kind::HttpRoute, namespace, name };
    let body = review(Operation::Create, place, http_route(&shape), None);
    Payload { name: "HTTPRoute CREATE, 65 KB", body, verdict: Verdict::Clean }
}

/// The CREATE of an IngressRoute of 9.5 KB whose host belongs to another root. Denying it requires the whole index.
pub fn second_root() -> Payload {
    let (namespace, name, host) = (objects::FIRST_NAMESPACE, "storefront", ingress_route::host_of(4_711));
    let shape = ingress_route::Shape { namespace, name, host: &host, routes: 6 };
    let place = Place { kind: Kind::IngressRoute, namespace, name };
    let body = review(Operation::Create, place, ingress_route(&shape), None);
    Payload { name: "IngressRoute CREATE, 9.5 KB, second root", body, verdict: Verdict::Denied }
}

/// An ordinary Ingress of 5 KB with 5 hosts, to be created in `namespace`.
pub fn small(namespace: String) -> Object {
    let json = go_json(&Ingress::new(&Shape { namespace: &namespace, name: "booth", hosts: 5, ..SHAPE }));
    Object { kind: Kind::Ingress, namespace, json }
}

const SHAPE: Shape<'static> =
    Shape { namespace: objects::FIRST_NAMESPACE, name: "storefront", hosts: 10, paths: usual_paths, prefix: "/api" };

#[derive(Clone, Copy)]
enum Operation {
    Create,
    Update,
}

impl Operation {
    fn name(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
        }
    }

    fn options(self) -> Options {
        let kind = match self {
            Self::Create => "CreateOptions",
            Self::Update => "UpdateOptions",
        };
        let (field_manager, field_validation) = ("kubectl-client-side-apply", "Strict");
        Options { kind, api_version: "meta.k8s.io/v1", field_manager, field_validation }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AdmissionReview<'a, T> {
    kind: &'static str,
    api_version: &'static str,
    request: Request<'a, T>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a, T> {
    uid: &'static str,
    kind: GroupVersion,
    resource: GroupVersion,
    request_kind: GroupVersion,
    request_resource: GroupVersion,
    name: &'a str,
    namespace: &'a str,
    operation: &'static str,
    user_info: UserInfo,
    object: T,
    old_object: Option<T>,
    dry_run: bool,
    options: Options,
}

/// A GroupVersionKind or a GroupVersionResource, depending on which of the last two fields is set.
#[derive(Serialize)]
struct GroupVersion {
    group: &'static str,
    version: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    kind: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    resource: &'static str,
}

impl GroupVersion {
    fn kind(kind: Kind) -> Self {
        let api = kind.api();
        Self { group: api.group, version: api.versions[0], kind: api.kind, resource: "" }
    }

    fn resource(kind: Kind) -> Self {
        Self { kind: "", resource: kind.api().plural, ..Self::kind(kind) }
    }
}

#[derive(Serialize)]
struct UserInfo {
    username: &'static str,
    uid: &'static str,
    groups: [&'static str; 3],
    extra: Value,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Options {
    kind: &'static str,
    api_version: &'static str,
    field_manager: &'static str,
    field_validation: &'static str,
}

/// The kind, namespace and name of the reviewed object.
struct Place<'a> {
    kind: Kind,
    namespace: &'a str,
    name: &'a str,
}

/// The CREATE of the Ingress of this shape.
fn create(shape: &Shape<'_>) -> String {
    review(Operation::Create, place(shape), Ingress::new(shape), None)
}

/// The UPDATE to an Ingress of this shape from one with other paths.
fn update(name: &'static str, shape: Shape<'_>) -> Payload {
    let old = Shape { prefix: "/old", ..shape };
    let (new, old) = (Ingress::new(&shape), Ingress::new(&old));
    let body = review(Operation::Update, place(&shape), new, Some(old));
    Payload { name, body, verdict: Verdict::Clean }
}

fn place<'a>(shape: &Shape<'a>) -> Place<'a> {
    Place { kind: Kind::Ingress, namespace: shape.namespace, name: shape.name }
}

fn review<T: Serialize>(operation: Operation, place: Place<'_>, object: T, old_object: Option<T>) -> String {
    let request = Request {
        uid: UID,
        kind: GroupVersion::kind(place.kind),
        resource: GroupVersion::resource(place.kind),
        request_kind: GroupVersion::kind(place.kind),
        request_resource: GroupVersion::resource(place.kind),
        name: place.name,
        namespace: place.namespace,
        operation: operation.name(),
        user_info: deployer(),
        object,
        old_object,
        dry_run: false,
        options: operation.options(),
    };
    go_json(&AdmissionReview { kind: "AdmissionReview", api_version: "admission.k8s.io/v1", request })
}

/// A ServiceAccount with a token that is bound to a pod, which adds five extra keys.
fn deployer() -> UserInfo {
    UserInfo {
        username: "system:serviceaccount:delivery:deployer",
        uid: "b3c7c1be-9a3f-4d3f-9d8a-5d8a2f6ad9a1",
        groups: ["system:serviceaccounts", "system:serviceaccounts:delivery", "system:authenticated"],
        extra: json!({
            "authentication.kubernetes.io/credential-id": ["JTI=1d5b3f2e-7a1c-4c55-8b2e-0e4a0f1b6c3d"],
            "authentication.kubernetes.io/node-name": ["node-7.zone-b.example.com"],
            "authentication.kubernetes.io/node-uid": ["5c0a1d9e-2f4b-4b6a-8c3d-7e9f1a2b3c4d"],
            "authentication.kubernetes.io/pod-name": ["deployer-6c9f7b5d4-x2lqz"],
            "authentication.kubernetes.io/pod-uid": ["9e8d7c6b-5a49-4382-a716-05f4e3d2c1b0"],
        }),
    }
}
