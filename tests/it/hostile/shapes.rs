//! Reviews of malformed objects.

use serde_json::json;

use super::{Target, assert_harmless};
use crate::reviews::{INGRESS, INGRESS_CLASS, create, ingress, review, warnings};

/// `depth` nested lists.
fn nested(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

/// Ingresses that are valid JSON but cannot be decoded, and the decoder's message for each.
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

pub fn an_object_of_another_shape_is_answered() {
    let target = Target::with("checks: {object/unreadable: Warn}\n");
    for (object, words) in unreadable() {
        let answer = target.asks(create(&object));
        let (shown, warnings) = (&object[..object.len().min(300)], warnings(&answer));
        assert_eq!(answer["response"]["allowed"], true, "{shown}");
        let mut unreadable = warnings.lines().filter(|warning| warning.ends_with("[object/unreadable]"));
        let warning = unreadable.next().unwrap_or_else(|| panic!("{warnings}: {shown}"));
        assert!(warning.contains(words), "{warning}: {shown}");
        assert!(warning.contains("cannot be read as Ingress: ") && warning.len() <= 256, "{warning}");
    }
    target.ends_well();
}

pub fn an_object_of_another_shape_is_refused() {
    let target = Target::start();
    for (object, _) in unreadable() {
        let answer = target.asks(create(&object));
        let status = &answer["response"]["status"];
        assert_eq!((&answer["response"]["allowed"], &status["code"]), (&json!(false), &json!(422)), "{answer}");
        let causes = status["details"]["causes"].as_array().into_iter().flatten();
        let mut messages = causes.filter_map(|cause| cause["message"].as_str());
        assert!(messages.any(|message| message.ends_with("[object/unreadable]")), "{answer}");
    }
    // The owner must be able to delete an object that cannot be decoded.
    let fields = format!(r#""kind":{INGRESS},"operation":"DELETE","oldObject":{{"spec":7}}"#);
    assert_eq!(target.asks(review("u-1", &fields))["response"], json!({"uid": "u-1", "allowed": true}));
    target.ends_well();
}

/// Unknown fields and the order of known fields do not affect the verdict.
pub fn unread_fields_may_have_any_value() {
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

pub fn unwatched_kinds_are_allowed() {
    let target = Target::start();
    let pod = r#"{"group":"","version":"v1","kind":"Pod"}"#;
    let asks = |fields: &str| target.asks(review("u-1", fields));
    let answer = asks(&format!(r#""kind":{pod},"operation":"CREATE","object":{{}}"#));
    let expected = json!({"uid": "u-1", "allowed": true, "warnings": ["portcullis: kind `Pod` is not checked here"]});
    assert_eq!(answer["response"], expected);
    let counted =
        || target.server.metric(r#"portcullis_reviews_total{kind="other",verdict="not-ours",dry_run="false"}"#);
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
