//! The reviews that are sent, each with the verdict that it must get: deterministic, and as the API server's webhook
//! client encodes them.

use portcullis::kinds::Kind;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::ingress::{Ingress, Shape, go_json, usual_paths};
use crate::objects::{self, Object};

/// The uid of every review, so that a canned answer fits all of them.
pub const UID: &str = "0df28fbd-5f5f-11e9-bf2c-0242ac110002";

/// What the answer to a review must say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// Allowed, without a warning.
    Clean,
    /// Refused.
    Denied,
}

/// One review and the verdict that is expected of it.
pub struct Payload {
    /// What a table calls it.
    pub name: &'static str,
    /// The AdmissionReview, JSON.
    pub body: String,
    /// What a right answer says.
    pub verdict: Verdict,
}

/// The CREATE of an ordinary Ingress: 9.5 KB, 10 hosts, 12 paths.
pub fn ordinary() -> Payload {
    let body = review(Operation::Create, &SHAPE, None);
    Payload { name: "Ingress CREATE, 9.5 KB", body, verdict: Verdict::Clean }
}

/// The UPDATE of a large Ingress, one path changed: 500 KB, half of it the old object.
pub fn large() -> Payload {
    let shape = Shape { name: "catalogue", hosts: 505, ..SHAPE };
    let old = Shape { prefix: "/old", ..shape };
    Payload {
        name: "Ingress UPDATE, 500 KB",
        body: review(Operation::Update, &shape, Some(&old)),
        verdict: Verdict::Clean,
    }
}

/// The CREATE of an Ingress of 1,000 hosts with 10 paths each.
pub fn wide() -> Payload {
    let shape = Shape { name: "bazaar", hosts: 1_000, paths: |_| 10, ..SHAPE };
    Payload {
        name: "Ingress CREATE, 1,000 hosts x 10 paths",
        body: review(Operation::Create, &shape, None),
        verdict: Verdict::Clean,
    }
}

/// The CREATE of an Ingress that claims the hosts and paths of one that another namespace has: only who holds the whole
/// index can refuse it.
pub fn conflicting() -> Payload {
    let name = objects::ingress_name(1);
    let body = review(Operation::Create, &Shape { name: &name, ..SHAPE }, None);
    Payload { name: "Ingress CREATE, in conflict", body, verdict: Verdict::Denied }
}

/// An ordinary Ingress as somebody creates it in `namespace`: 5 KB, 5 hosts.
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
struct AdmissionReview<'a> {
    kind: &'static str,
    api_version: &'static str,
    request: Request<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a> {
    uid: &'static str,
    kind: GroupVersion,
    resource: GroupVersion,
    request_kind: GroupVersion,
    request_resource: GroupVersion,
    name: &'a str,
    namespace: &'a str,
    operation: &'static str,
    user_info: UserInfo,
    object: Ingress,
    old_object: Option<Ingress>,
    dry_run: bool,
    options: Options,
}

/// A GroupVersionKind or a GroupVersionResource, as the last field is called.
#[derive(Serialize)]
struct GroupVersion {
    group: &'static str,
    version: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    kind: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    resource: &'static str,
}

const KIND: GroupVersion = GroupVersion { group: "networking.k8s.io", version: "v1", kind: "Ingress", resource: "" };
const RESOURCE: GroupVersion = GroupVersion { kind: "", resource: "ingresses", ..KIND };

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

fn review(operation: Operation, shape: &Shape<'_>, old: Option<&Shape<'_>>) -> String {
    let request = Request {
        uid: UID,
        kind: KIND,
        resource: RESOURCE,
        request_kind: KIND,
        request_resource: RESOURCE,
        name: shape.name,
        namespace: shape.namespace,
        operation: operation.name(),
        user_info: deployer(),
        object: Ingress::new(shape),
        old_object: old.map(Ingress::new),
        dry_run: false,
        options: operation.options(),
    };
    go_json(&AdmissionReview { kind: "AdmissionReview", api_version: "admission.k8s.io/v1", request })
}

/// A ServiceAccount whose token is bound to a pod: five extra keys.
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
