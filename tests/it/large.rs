//! The largest objects that an API server stores. An object that was stored before the webhook was installed can be
//! changed and deleted.

use std::fmt::Write;

use axum::http::Request;
use libtest_mimic::Trial;

use crate::cluster::server;
use crate::harness::{ControlPlane, Flavour, Namespace, Webhooks, on_cluster};

/// The number of paths of an Ingress that has 1.3 MB as the API server stores it, and 4.3 MB as JSON.
const PATHS: usize = 48_000;
/// The memory limit of the shipped Deployment, with a margin for debug builds, in KiB.
const PEAK_KIB: u64 = 256 << 10;

pub fn trials() -> Vec<Trial> {
    vec![on_cluster("large::a_stored_ingress_can_be_changed_and_deleted", a_stored_ingress_can_be_changed)]
}

fn a_stored_ingress_can_be_changed() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let namespace = control_plane.namespace("large");
    let http = control_plane.http();
    let list = format!("/apis/networking.k8s.io/v1/namespaces/{namespace}/ingresses");
    let one = format!("{list}/large");
    let answered = |what: &str, expected: u16, (status, body): (u16, Vec<u8>)| {
        let output: String = String::from_utf8_lossy(&body).chars().take(500).collect();
        assert_eq!(status, expected, "{what}: {output}");
    };
    let created = http.send_as(Request::post(&list), "application/vnd.kubernetes.protobuf", protobuf(&namespace));
    answered("created", 201, created);
    let server = server(control_plane, &[]);
    let webhooks = Webhooks::validating().in_namespace(&namespace.to_string());
    let _registered = control_plane.register(&server, webhooks);
    // The webhook of a busy machine may not answer within the longest timeout that an API server allows.
    let patch = |kind: &str, patch: &str| {
        let send = || http.send_as(Request::patch(&one), kind, patch.into());
        let is_answered = |(status, body): &(u16, Vec<u8>)| {
            *status != 500 || !String::from_utf8_lossy(body).contains("context deadline exceeded")
        };
        (0..3).map(|_| send()).find(is_answered).unwrap_or_else(send)
    };
    let host = r#"[{"op": "replace", "path": "/spec/rules/0/host", "value": "other.example.com"}]"#;
    answered("the host is changed", 200, patch("application/json-patch+json", host));
    let (status, _) = http.delete(&one);
    assert_eq!(status, 200, "the object can be deleted");
    let finalizers = r#"{"metadata": {"finalizers": null}}"#;
    answered("the finalizer is removed", 200, patch("application/merge-patch+json", finalizers));
    assert_eq!(http.get(&one).0, 404, "it is gone");
    assert_eq!(server.metric("portcullis_bodies_refused_total{reason=\"too-large\"}"), None);
    let peak = peak_kib(server.pid());
    assert!(peak < PEAK_KIB, "{peak} KiB");
}

/// The maximum resident memory of a process so far, in KiB.
fn peak_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it lives");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux reports it");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// An Ingress with [`PATHS`] paths and a finalizer, as protobuf, which is smaller than the API server's limit.
fn protobuf(namespace: &Namespace<'_>) -> Vec<u8> {
    let mut paths = Vec::new();
    let mut path = String::new();
    for number in 0..PATHS {
        path.clear();
        write!(path, "/{number:x}").expect("a String takes it");
        let port = field(2, &[[2 << 3, 1].as_slice()]);
        let service = field(4, &[&field(1, &[b"a"]), &port]);
        let parts = [field(1, &[path.as_bytes()]), field(2, &[&service]), field(3, &[b"Exact"])];
        paths.extend(field(1, &[&parts.concat()]));
    }
    let rule = [field(1, &[format!("{namespace}.example.com").as_bytes()]), field(2, &[&field(1, &[&paths])])].concat();
    let spec = [field(3, &[&rule]), field(4, &[b"public"])].concat();
    let metadata =
        [field(1, &[b"large"]), field(3, &[namespace.to_string().as_bytes()]), field(14, &[b"example.com/keep"])];
    let object = [field(1, &[&metadata.concat()]), field(2, &[&spec])].concat();
    let api = [field(1, &[b"networking.k8s.io/v1"]), field(2, &[b"Ingress"])].concat();
    [b"k8s\0".to_vec(), field(1, &[&api]), field(2, &[&object])].concat()
}

/// A length-delimited field of a protobuf message with these parts as its content.
fn field(number: u8, parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = vec![number << 3 | 2];
    let mut length = parts.iter().map(|part| part.len()).sum::<usize>();
    while length >= 0x80 {
        bytes.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
    parts.iter().for_each(|part| bytes.extend_from_slice(part));
    bytes
}
