//! What must not hurt the gate: bytes that are no review, reviews of what is no object, and objects that mean ill.
//!
//! Each trial has a gate of its own, which answers a good review after every bad one, and at the end has met no panic
//! and kept no memory.

use std::env;
use std::path::Path;
use std::time::{Duration, Instant};

use libtest_mimic::{Completion, Failed, Trial};
use serde_json::{Value, json};

use crate::door::{Answer, post};
use crate::harness::{Gate, warden};
use crate::reviews::{INGRESS, INGRESS_CLASS, create, ingress, review, send, update, warnings};

/// How much memory a gate may keep of all that a trial sent it.
const GROWTH_KIB: u64 = 64 << 10;
/// The most bytes of an answer, whatever was asked.
const LARGEST_ANSWER: usize = 64 << 10;
/// A review may be hard work, but nobody waits longer for a webhook than this.
const PATIENCE: Duration = Duration::from_secs(10);

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, story: fn()| {
        Trial::test(format!("hostile::{name}"), move || {
            story();
            Ok(())
        })
    };
    vec![
        trial("what_is_no_review_is_400", what_is_no_review_is_400),
        trial("what_is_no_request_is_turned_away", what_is_no_request_is_turned_away),
        trial("more_than_a_body_may_be_is_413", more_than_a_body_may_be_is_413),
        trial("an_object_of_another_shape_is_answered", an_object_of_another_shape_is_answered),
        trial("an_object_of_another_shape_can_be_refused", an_object_of_another_shape_can_be_refused),
        trial("what_nobody_reads_may_be_anything", what_nobody_reads_may_be_anything),
        trial("what_is_not_ours_passes", what_is_not_ours_passes),
        trial("texts_of_ill_will_stay_texts", texts_of_ill_will_stay_texts),
        trial("maps_without_number_are_turned_away", maps_without_number_are_turned_away),
        trial("an_object_with_thousands_of_faults_is_answered_briefly", thousands_of_faults),
        trial("an_update_with_thousands_of_old_faults_passes_at_once", thousands_of_old_faults),
        trial("the_same_review_gets_the_same_bytes", the_same_review_gets_the_same_bytes),
        Trial::ignorable_test("hostile::a_panic_costs_one_review", a_panic_costs_one_review),
    ]
}

/// A gate in embedded mode that must outlive what it is sent.
struct Target {
    gate: Gate,
    before: u64,
}

impl Target {
    fn start() -> Self {
        Self::with("")
    }

    /// With this configuration, beyond its first two lines.
    fn with(config: &str) -> Self {
        let folder = warden().folder("hostile");
        let other = ingress("other", "shop", "taken.example.com", "/");
        std::fs::write(folder.join("taken.json"), other).expect("the folder is writable");
        let file = folder.join("config.yaml");
        let head = "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\n";
        std::fs::write(&file, format!("{head}{config}")).expect("the folder is writable");
        let gate = Gate::start([Path::new("--objects"), &folder.join("taken.json"), Path::new("--config"), &file]);
        let target = Self { gate: gate.ready(), before: 0 };
        target.goes_on();
        Self { before: target.resident_kib(), ..target }
    }

    /// Sends a body to `/validate`; what came back, and nothing else suffered.
    fn sends(&self, body: impl Into<Vec<u8>>) -> (u16, Value) {
        let since = Instant::now();
        let (status, bytes) = self.gate.post_bytes("/validate", body);
        assert!(since.elapsed() < PATIENCE, "answered after {:?}", since.elapsed());
        self.goes_on();
        (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
    }

    /// Sends a review that must be answered with 200 and its uid; the response.
    fn asks(&self, body: impl Into<Vec<u8>>) -> Value {
        let (status, answer) = self.sends(body);
        assert_eq!(status, 200, "{answer}");
        assert_eq!(answer["apiVersion"], "admission.k8s.io/v1");
        assert_eq!(answer["response"]["uid"], "u-1");
        answer
    }

    /// Sends these bytes on a connection of their own.
    fn raw(&self, bytes: &[u8]) -> Answer {
        let answer = send(&self.gate, bytes);
        self.goes_on();
        answer
    }

    /// A good review is answered as ever.
    fn goes_on(&self) {
        let good = create(&ingress("web", "good", "good.example.com", "/"));
        let allowed = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": {"uid": "u-1", "allowed": true}});
        assert_eq!(self.gate.post("/validate", good), (200, allowed));
    }

    fn resident_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.gate.pid())).expect("the gate lives");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("Linux tells it");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// It met no panic, kept no memory, and each of its log lines is one JSON text without control characters.
    fn ends_well(self) {
        assert_eq!(self.gate.metric("portcullis_panics_total"), Some(0.0));
        let grown = self.resident_kib().saturating_sub(self.before);
        assert!(grown < GROWTH_KIB, "{grown} KiB are kept");
        for line in self.gate.log().lines() {
            let entry: Value = serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}"));
            assert!(line.len() < 4096 && !line.contains(char::is_control), "{entry}");
        }
    }
}

/// What is no JSON of an AdmissionReview is 400 at both doors.
fn what_is_no_review_is_400() {
    let target = Target::start();
    let good = create(&ingress("web", "shop", "shop.example.com", "/"));
    let with = |from: &str, to: &str| good.replacen(from, to, 1).into_bytes();
    let not_utf8 = [&good.as_bytes()[..good.len() - 9], b"\xff\xfe", &good.as_bytes()[good.len() - 9..]].concat();
    let rows: Vec<(&str, Vec<u8>)> = vec![
        ("nothing", Vec::new()),
        ("no JSON", b"nonsense".to_vec()),
        ("truncated", good.as_bytes()[..good.len() / 2].to_vec()),
        ("truncated by a byte", good.as_bytes()[..good.len() - 1].to_vec()),
        ("trailing bytes", with("}}}}", "}}}} x")),
        ("twice", [good.as_bytes(), good.as_bytes()].concat()),
        ("invalid UTF-8 in the object", not_utf8),
        ("invalid UTF-8 alone", vec![0xff; 100]),
        ("a lone surrogate in the uid", with("u-1", r"\ud800")),
        ("a list", b"[]".to_vec()),
        ("null", b"null".to_vec()),
        ("a text", b"\"AdmissionReview\"".to_vec()),
        ("lists without end", vec![b'['; 1 << 20]),
        ("no request", br#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}"#.to_vec()),
        ("request null", br#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":null}"#.to_vec()),
        ("request empty", br#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{}}"#.to_vec()),
        ("no uid", with(r#""uid":"u-1","#, "")),
        ("an empty uid", with("u-1", "")),
        ("a uid that is null", with(r#""u-1""#, "null")),
        ("a uid that is a number", with(r#""u-1""#, "1")),
        ("v1beta1", with("admission.k8s.io/v1", "admission.k8s.io/v1beta1")),
        ("another kind", with("AdmissionReview", "ConversionReview")),
        ("no kind", with(r#""kind":"AdmissionReview","#, "")),
    ];
    for (what, body) in &rows {
        for door in ["/validate", "/mutate"] {
            assert_eq!(target.gate.post(door, body.clone()).0, 400, "{what} at {door}");
            target.goes_on();
        }
    }
    let counted = target.gate.metric("portcullis_reviews_malformed_total");
    assert_eq!(counted, Some(2.0 * rows.len() as f64));
    target.ends_well();
}

fn what_is_no_request_is_turned_away() {
    let target = Target::start();
    let good = create(&ingress("web", "shop", "shop.example.com", "/"));
    let as_text = String::from_utf8(post("/validate", good.as_bytes())).expect("text");
    let plain = as_text.replace("application/json", "text/plain");
    assert_eq!(target.raw(plain.as_bytes()).status, 415);
    let untyped = as_text.replace("Content-Type: application/json\r\n", "");
    assert_eq!(target.raw(untyped.as_bytes()).status, 415);
    let typed = as_text.replace("application/json", "application/json; charset=utf-8");
    assert_eq!(target.raw(typed.as_bytes()).status, 200);
    let get = target.raw(b"GET /validate HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!((get.status, get.head.contains("allow: post\r\n")) == (405, true), "{get:?}");
    assert_eq!(target.raw(as_text.replacen("/validate", "/elsewhere", 1).as_bytes()).status, 404);
    target.ends_well();
}

fn more_than_a_body_may_be_is_413() {
    let target = Target::start();
    let head = "POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let declared = format!("{head}Content-Length: {}\r\n\r\n", (8 << 20) + 1);
    assert_eq!(target.raw(declared.as_bytes()).status, 413, "before its first byte is sent");

    let chunk = [b"100000\r\n", &[b' '; 1 << 20][..], b"\r\n"].concat();
    let head = format!("{head}Transfer-Encoding: chunked\r\n\r\n");
    let chunked = [head.as_bytes(), &chunk.repeat(8), b"1\r\n \r\n"].concat();
    assert_eq!(target.raw(&chunked).status, 413, "without waiting for its end");

    let good = create(&ingress("web", "shop", "shop.example.com", "/"));
    let padded = [good.as_bytes(), &vec![b' '; (8 << 20) - good.len()]].concat();
    assert_eq!(target.asks(padded)["response"]["allowed"], true, "8 MiB just fit");
    target.ends_well();
}

/// `depth` lists, one in the other.
fn nested(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

/// Ingresses that are JSON and yet cannot be read as one, and what the reader says of each.
fn unreadable() -> Vec<(String, &'static str)> {
    let good = ingress("web", "shop", "shop.example.com", "/");
    let with = |from: &str, to: &str| good.replacen(from, to, 1);
    let spec_twice = with(r#""spec":"#, r#""spec":{},"spec":"#);
    let mut rows = vec![
        (r#""a text""#.to_owned(), "invalid type: string"),
        ("7".to_owned(), "invalid type: integer `7`"),
        (with(r#""nginx""#, "7"), "invalid type: integer `7`, expected a string"),
        (with(r#""nginx""#, r#""\ud800""#), "unexpected end of hex escape"),
        (with("80", "1e400"), "number out of range"),
        (with("80", &"7".repeat(30)), "invalid type: floating point"),
        (with("80", "80.5"), "invalid type: floating point"),
        (with("80", &format!("\"{}\"", "x".repeat(1 << 20))), "invalid type: string"),
        (spec_twice, "duplicate field `spec`"),
        (with(r#""metadata":{"#, r#""metadata":{"annotations":{"a":1},"#), "invalid type: integer `1`"),
    ];
    for depth in [200, 100_000] {
        let lists = nested(depth);
        rows.push((lists.clone(), "invalid"));
        rows.push((with(r#""nginx""#, &lists), "invalid type: sequence, expected a string"));
        rows.push((
            with(r#""metadata":{"#, &format!(r#""metadata":{{"annotations":{lists},"#)),
            "invalid type: sequence",
        ));
    }
    rows
}

fn an_object_of_another_shape_is_answered() {
    let target = Target::start();
    for (object, words) in unreadable() {
        let answer = target.asks(create(&object));
        let (shown, warning) = (&object[..object.len().min(300)], warnings(&answer));
        assert_eq!(answer["response"]["allowed"], true, "{shown}");
        assert!(warning.contains(words) && warning.ends_with("[object/unreadable]"), "{warning}: {shown}");
        assert!(warning.contains("cannot be read as Ingress: ") && warning.len() <= 256, "{warning}");
    }
    target.ends_well();
}

fn an_object_of_another_shape_can_be_refused() {
    let target = Target::with("checks: {object/unreadable: Deny}\n");
    for (object, _) in unreadable() {
        let answer = target.asks(create(&object));
        let status = &answer["response"]["status"];
        assert_eq!((&answer["response"]["allowed"], &status["code"]), (&json!(false), &json!(422)), "{answer}");
        let message = status["details"]["causes"][0]["message"].as_str().unwrap_or_default();
        assert!(message.ends_with("[object/unreadable]"), "{answer}");
    }
    // An object that cannot be read is also one that its owner must get rid of.
    let fields = format!(r#""kind":{INGRESS},"operation":"DELETE","oldObject":{{"spec":7}}"#);
    assert_eq!(target.asks(review("u-1", &fields))["response"], json!({"uid": "u-1", "allowed": true}));
    target.ends_well();
}

/// Fields that the gate does not know, and the order of those that it does, change no verdict.
fn what_nobody_reads_may_be_anything() {
    let target = Target::start();
    let taken = ingress("web", "copy", "taken.example.com", "/");
    let refused = target.asks(create(&taken));
    assert_eq!(refused["response"]["status"]["code"], 422, "{refused}");

    let reordered = format!(
        r#"{{"request":{{"object":{taken},"oldObject":null,"operation":"CREATE","kind":{INGRESS},"userInfo":{{"username":"alice"}},"uid":"u-1"}},"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}}"#
    );
    assert_eq!(target.asks(reordered), refused, "the object before its kind");

    for odd in [nested(200), nested(100_000), "1e400".into(), "9".repeat(3000), r#""\ud800""#.into()] {
        let in_object = create(&taken.replacen('{', &format!(r#"{{"unknown":{odd},"#), 1));
        let in_spec = create(&taken.replacen(r#""spec":{"#, &format!(r#""spec":{{"unknown":{odd},"#), 1));
        let in_request = review("u-1", &format!(r#""x":{odd},"kind":{INGRESS},"operation":"CREATE","object":{taken}"#));
        let in_review = create(&taken).replacen('{', &format!(r#"{{"unknown":{odd},"#), 1);
        for body in [in_object, in_spec, in_request, in_review] {
            assert_eq!(target.asks(body), refused, "{}", &odd[..odd.len().min(100)]);
        }
    }
    target.ends_well();
}

fn what_is_not_ours_passes() {
    let target = Target::start();
    let pod = r#"{"group":"","version":"v1","kind":"Pod"}"#;
    let asks = |fields: &str| target.asks(review("u-1", fields));
    let answer = asks(&format!(r#""kind":{pod},"operation":"CREATE","object":{{}}"#));
    let expected = json!({"uid": "u-1", "allowed": true, "warnings": ["portcullis: kind `Pod` is not judged here"]});
    assert_eq!(answer["response"], expected);
    let counted = || target.gate.metric(r#"portcullis_reviews_total{kind="other",verdict="not-ours"}"#);
    assert_eq!(counted(), Some(1.0));

    let long = format!(r#"{{"group":"","version":"v1","kind":"{}"}}"#, "\\u001b[2J".repeat(100_000));
    let answer = asks(&format!(r#""kind":{long},"operation":"CREATE","object":{{}}"#));
    assert_harmless(&answer);
    assert_eq!(counted(), Some(2.0));
    let answer = asks(&format!(r#""kind":{INGRESS},"operation":"{}","object":{{}}"#, "\\n".repeat(100_000)));
    assert_harmless(&answer);

    let allowed = json!({"uid": "u-1", "allowed": true});
    let taken = ingress("web", "copy", "taken.example.com", "/");
    for fields in [
        format!(r#""kind":{INGRESS},"operation":"CONNECT","object":{taken}"#),
        format!(r#""kind":{INGRESS},"operation":"UPDATE","subResource":"status","object":{taken}"#),
        format!(r#""kind":{INGRESS},"operation":"DELETE""#),
        format!(r#""kind":{INGRESS_CLASS},"operation":"DELETE","object":null,"oldObject":null"#),
    ] {
        assert_eq!(asks(&fields)["response"], allowed, "{fields}");
    }
    target.ends_well();
}

/// An answer that no terminal and no log suffers from.
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

/// Millions of empty maps in a few bytes each would be read into hundreds of times their size.
fn maps_without_number_are_turned_away() {
    let target = Target::start();
    let paths = vec!["{}"; 2 << 20].join(",");
    let object = format!(r#"{{"metadata":{{"name":"a"}},"spec":{{"rules":[{{"http":{{"paths":[{paths}]}}}}]}}}}"#);
    assert_eq!(target.sends(create(&object)).0, 400);
    target.ends_well();
}

fn texts_of_ill_will_stay_texts() {
    let target = Target::start();
    // As they stand in JSON.
    let ills =
        [r"\u0000", r"\u001b[31m\u001b]0;owned\u0007", r#"\"\\\/"#, r"\u202e\u2066\u200e", r"\n\r\n", "{}{other}", "é"];
    for (number, ill) in ills.into_iter().enumerate() {
        for text in [ill.to_owned(), ill.repeat((1 << 20) / ill.len())] {
            let named = ingress(&text, &text, "taken.example.com", "/");
            let pathed = ingress("web", "shop", "shop.example.com", &text);
            let hosted = ingress("web", "shop", &text, "no/path");
            let classed = named.replace("nginx", &text);
            let annotated = pathed.replacen(
                r#""metadata":{"#,
                &format!(r#""metadata":{{"annotations":{{"kubernetes.io/ingress.class":"{text}","{text}":"{text}"}},"#),
                1,
            );
            for object in [named, pathed, hosted, classed, annotated] {
                assert_harmless(&target.asks(create(&object)));
            }
            let denied = ingress("web", "copy", "taken.example.com", "/");
            let (by, kind) = (format!(r#""username":"{text}""#), format!(r#""kind":{INGRESS}"#));
            let fields = format!(r#"{kind},"operation":"CREATE","name":"{text}","object":{denied}"#);
            let (status, answer) = target.sends(review(&text, &fields).replacen(r#""username":"alice""#, &by, 1));
            let uid: String = serde_json::from_str(&format!("\"{text}\"")).expect("JSON");
            assert_eq!((status, answer["response"]["uid"].as_str()), (200, Some(&*uid)), "text {number}");
            assert_eq!(answer["response"]["allowed"], false);
        }
    }
    target.ends_well();
}

/// An Ingress with this many paths, each of which is wrong.
fn with_faults(count: usize) -> String {
    let good = ingress("web", "shop", "shop.example.com", "PATH");
    let start = good.find(r#"{"path""#).expect("it has a path");
    let end = good.find("]}}]").expect("it has one host");
    let paths: Vec<String> = (0..count).map(|number| good[start..end].replace("PATH", &number.to_string())).collect();
    format!("{}{}{}", &good[..start], paths.join(","), &good[end..])
}

fn thousands_of_faults() {
    let target = Target::start();
    let answer = target.asks(create(&with_faults(3000)));
    assert_harmless(&answer);
    let status = &answer["response"]["status"];
    let causes = status["details"]["causes"].as_array().expect("causes");
    assert_eq!(causes.len(), 51);
    assert_eq!(causes[50]["message"], "and 2950 more from here on");
    assert_eq!(causes[49]["field"], "spec.rules[0].http.paths[49].path");
    assert!(status["message"].as_str().is_some_and(|message| message.contains("; and 2950 more")), "{status}");
    target.ends_well();
}

/// What was wrong before is compared fault by fault, and thousands of faults are no more work than reading them.
fn thousands_of_old_faults() {
    let target = Target::start();
    let old = with_faults(20_000);
    let new = old.replace(r#""name":"shop""#, r#""name":"shop","labels":{"a":"b"}"#);
    let answer = target.asks(update(&old, &new));
    assert_eq!(answer["response"]["allowed"], true);
    // The API server hands on 4,096 characters of warnings and drops the rest without a word.
    assert!(warnings(&answer).len() < 4096 && warnings(&answer).contains(" more"), "{answer}");
    target.ends_well();
}

fn the_same_review_gets_the_same_bytes() {
    let target = Target::start();
    let both = ingress("web", "copy", "taken.example.com", "/").replacen(
        r#"{"path""#,
        r#"{"path":"x","pathType":"Exact"},{"path""#,
        1,
    );
    let denied = create(&both);
    let first = target.gate.post_bytes("/validate", denied.clone());
    let parsed: Value = serde_json::from_slice(&first.1).expect("JSON");
    assert_eq!(parsed["response"]["status"]["details"]["causes"].as_array().map(Vec::len), Some(3));
    for _ in 0..20 {
        assert_eq!(target.gate.post_bytes("/validate", denied.clone()), first);
    }
    target.ends_well();
}

/// On a build with the shipped profile and one check more, which panics when an annotation says so. The build takes
/// minutes, so this runs in CI and when `PORTCULLIS_SLOW=1`.
fn a_panic_costs_one_review() -> Result<Completion, Failed> {
    let is_set = |name: &str, value: &str| env::var(name).is_ok_and(|set| set == value);
    if !is_set("PORTCULLIS_SLOW", "1") && !is_set("CI", "true") {
        return Ok(Completion::ignored());
    }
    let gate = Gate::of(&panicking_build()?, [Path::new("--objects"), &warden().folder("empty")]).ready();
    let good = create(&ingress("web", "shop", "shop.example.com", "/"));
    let annotations = r#""metadata":{"annotations":{"portcullis.dev/panic":"true"},"#;
    let small = good.replacen(r#""metadata":{"#, annotations, 1);
    // Large reviews are answered on a thread of their own.
    let large = small.replacen('{', &format!(r#"{{"unknown":"{}","#, "x".repeat(1 << 20)), 1);
    for (panics, body) in [small, large].into_iter().enumerate() {
        assert_eq!(gate.metric("portcullis_panics_total"), Some(panics as f64));
        assert_eq!(gate.post("/validate", body).0, 500);
        assert_eq!(gate.metric("portcullis_panics_total"), Some(panics as f64 + 1.0));
        assert_eq!(gate.post("/validate", good.clone()).1["response"]["allowed"], true);
    }
    let logged = gate.logs("a panic was caught");
    assert!(logged["fields"]["panic"].as_str().is_some_and(|text| text.contains("as the annotation")), "{logged}");
    Ok(Completion::Completed)
}

/// The release build with the feature `panic-check`, in a target folder of its own.
fn panicking_build() -> Result<std::path::PathBuf, Failed> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = here.join("target/panic-check");
    let mut cargo = warden().command(env!("CARGO"));
    // cargo finds its registry and toolchain in the developer's environment.
    cargo.envs(env::vars_os()).current_dir(here).args(["build", "--release", "--features", "panic-check"]);
    let output = cargo.arg("--target-dir").arg(&target).output()?;
    match output.status.success() {
        true => Ok(target.join("release/portcullis")),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
    }
}
