//! Input that must not harm the server: bodies that are not reviews, reviews of malformed objects, and malicious
//! objects.
//!
//! Each trial has its own server, which must answer a valid review after every bad one. At the end it must not have
//! panicked or used too much memory.

mod bodies;
mod defaults;
mod graphs;
mod load;
mod panics;
mod shapes;
mod texts;

use std::path::Path;
use std::time::Duration;

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::harness::{PortcullisServer, process_guard};
use crate::reviews::{create, ingress, send, warnings};
use crate::test_server::Answer;

/// By how much the memory of a server may grow during a trial, in KiB.
const GROWTH_KIB: u64 = 64 << 10;
/// The maximum size of any response in bytes.
const LARGEST_ANSWER: usize = 64 << 10;
/// The maximum CPU time of a review in a debug build. Other load on the machine does not change it.
const MOST_CPU_TIME: Duration = Duration::from_secs(10);

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, test: fn()| {
        Trial::test(format!("hostile::{name}"), move || {
            test();
            Ok(())
        })
    };
    vec![
        trial("invalid_reviews_get_400", bodies::invalid_reviews_get_400),
        trial("invalid_http_requests_are_rejected", bodies::invalid_http_requests_are_rejected),
        trial("body_beyond_the_limit_gets_413", bodies::body_beyond_the_limit_gets_413),
        trial("an_object_of_another_shape_is_answered", shapes::an_object_of_another_shape_is_answered),
        trial("an_object_of_another_shape_is_refused", shapes::an_object_of_another_shape_is_refused),
        trial("unread_fields_may_have_any_value", shapes::unread_fields_may_have_any_value),
        trial("unwatched_kinds_are_allowed", shapes::unwatched_kinds_are_allowed),
        trial(
            "a_class_for_a_large_ingress_costs_no_copy_of_it",
            defaults::a_class_for_a_large_ingress_costs_no_copy_of_it,
        ),
        trial(
            "thousands_of_defaults_are_written_as_they_are_made",
            defaults::thousands_of_defaults_are_written_as_they_are_made,
        ),
        trial("hostile_texts_are_escaped", texts::hostile_texts_are_escaped),
        trial("millions_of_maps_are_denied", bodies::millions_of_maps_are_denied),
        trial("too_many_maps_can_be_replaced_and_deleted", bodies::too_many_maps_can_be_replaced_and_deleted),
        trial("an_object_with_thousands_of_faults_is_answered_briefly", texts::thousands_of_faults),
        trial("an_update_with_thousands_of_old_faults_passes_at_once", texts::thousands_of_old_faults),
        trial("delegation_between_very_many_routes_is_handled", graphs::delegation_between_very_many_routes_is_handled),
        trial("thousands_of_uses_of_one_service_are_handled", graphs::thousands_of_uses_of_one_service_are_handled),
        trial("the_same_review_gets_the_same_bytes", texts::the_same_review_gets_the_same_bytes),
        trial("bodies_that_are_only_promised_cost_nothing", load::bodies_that_are_only_promised_cost_nothing),
        trial("unfinished_bodies_block_no_other_client", load::unfinished_bodies_block_no_other_client),
        trial("heavy_reviews_take_turns_among_namespaces", load::heavy_reviews_take_turns_among_namespaces),
        trial("six_hundred_at_once_and_then_a_flood", load::six_hundred_at_once_and_then_a_flood),
        trial("a_panic_costs_one_review", panics::a_panic_costs_one_review),
    ]
}

/// A server in embedded mode that must survive all input.
struct Target {
    server: PortcullisServer,
    before: u64,
}

impl Target {
    fn start() -> Self {
        Self::with("")
    }

    /// A server with this configuration, given without its first two lines.
    fn with(config: &str) -> Self {
        Self::beside(config, &[])
    }

    /// The same with these stored objects.
    fn beside(config: &str, objects: &[Value]) -> Self {
        let folder = process_guard().folder("hostile");
        let other = ingress("other", "shop", "taken.example.com", "/");
        let objects: Vec<String> = objects.iter().map(ToString::to_string).chain([other]).collect();
        std::fs::write(folder.join("taken.yaml"), objects.join("\n---\n")).expect("the folder is writable");
        let file = folder.join("config.yaml");
        let head = "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\n";
        std::fs::write(&file, format!("{head}{config}")).expect("the folder is writable");
        let server =
            PortcullisServer::start([Path::new("--objects"), &folder.join("taken.yaml"), Path::new("--config"), &file]);
        let target = Self { server: server.ready(), before: 0 };
        target.goes_on();
        Self { before: target.peak_kib(), ..target }
    }

    /// Posts a body to `/validate`, and verifies that the server still answers. Returns the status and the JSON of the
    /// response.
    fn sends(&self, body: impl Into<Vec<u8>>) -> (u16, Value) {
        let before = self.server.cpu_time();
        let (status, bytes) = self.server.post_bytes("/validate", body);
        let used = self.server.cpu_time() - before;
        assert!(used < MOST_CPU_TIME, "answered after {used:?} of CPU time");
        self.goes_on();
        (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
    }

    /// Posts a review that must be answered with status 200 and its uid. Returns the response.
    fn asks(&self, body: impl Into<Vec<u8>>) -> Value {
        let (status, answer) = self.sends(body);
        assert_eq!(status, 200, "{answer}");
        assert_eq!(answer["apiVersion"], "admission.k8s.io/v1");
        assert_eq!(answer["response"]["uid"], "u-1");
        answer
    }

    /// Sends these bytes on a new connection.
    fn raw(&self, bytes: &[u8]) -> Answer {
        let answer = send(&self.server, bytes);
        self.goes_on();
        answer
    }

    /// Verifies that the server answers a valid review.
    fn goes_on(&self) {
        let allowed = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": {"uid": "u-1", "allowed": true}});
        assert_eq!(self.server.post("/validate", good()), (200, allowed));
    }

    /// The number of bodies that were not a valid review.
    fn malformed(&self) -> Option<f64> {
        self.server.metric("portcullis_reviews_malformed_total")
    }

    /// The number of bodies that were rejected for this reason.
    fn refused(&self, reason: &str) -> Option<f64> {
        self.server.metric(&format!("portcullis_bodies_refused_total{{reason=\"{reason}\"}}"))
    }

    /// The maximum resident memory so far, in KiB.
    fn peak_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server.pid())).expect("Portcullis lives");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux reports it");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// Verifies that the server did not panic, used little memory, and logged only JSON without control characters.
    fn ends_well(self) {
        self.ends_within(GROWTH_KIB);
    }

    /// The same with another memory limit.
    fn ends_within(self, most_kib: u64) {
        assert_eq!(self.server.metric("portcullis_panics_total"), Some(0.0));
        let grown = self.peak_kib().saturating_sub(self.before);
        assert!(grown < most_kib, "{grown} KiB were taken");
        for line in self.server.log().lines() {
            let entry: Value = serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}"));
            assert!(line.len() < 4096 && !line.contains(char::is_control), "{entry}");
        }
    }
}

/// A review without findings.
fn good() -> String {
    create(&ingress("web", "good", "good.example.com", "/"))
}

/// Verifies that a response is harmless for terminals and logs.
fn assert_harmless(answer: &Value) {
    let size = answer.to_string().len();
    assert!(size <= LARGEST_ANSWER, "the answer has {size} bytes");
    assert!(warnings(answer).lines().all(|warning| warning.len() <= 256), "{answer}");
    let mut texts: Vec<&Value> = answer["response"]["warnings"].as_array().into_iter().flatten().collect();
    let causes = answer["response"]["status"]["details"]["causes"].as_array().into_iter().flatten();
    texts.extend(causes.flat_map(|cause| [&cause["message"], &cause["field"]]));
    texts.extend([&answer["response"]["status"]["details"]["name"]].into_iter().filter(|name| !name.is_null()));
    for text in texts {
        let text = text.as_str().expect("a text");
        let hides =
            |character: char| character.is_control() || matches!(character, '\u{200e}' | '\u{202e}' | '\u{2066}');
        assert!(!text.contains(hides) && text.chars().count() <= 256, "{text:?}");
    }
}
