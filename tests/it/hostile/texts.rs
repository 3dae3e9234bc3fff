//! Malicious objects: the effect of their texts on responses, and the cost of thousands of faults.

use serde_json::Value;

use super::{Target, assert_harmless};
use crate::reviews::{INGRESS, create, ingress, review, update, warnings};

pub fn hostile_texts_are_escaped() {
    let target = Target::start();
    // The texts as they occur in JSON.
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

/// An Ingress with this number of paths, each of which has a fault.
fn with_faults(count: usize) -> String {
    let good = ingress("web", "shop", "shop.example.com", "PATH");
    let start = good.find(r#"{"path""#).expect("it has a path");
    let end = good.find("]}}]").expect("it has one host");
    let paths: Vec<String> = (0..count).map(|number| good[start..end].replace("PATH", &number.to_string())).collect();
    format!("{}{}{}", &good[..start], paths.join(","), &good[end..])
}

pub fn thousands_of_faults() {
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

/// Preexisting faults are compared one by one, and comparing thousands of them costs no more than reading them.
pub fn thousands_of_old_faults() {
    let target = Target::start();
    let old = with_faults(20_000);
    let new = old.replace(r#""name":"shop""#, r#""name":"shop","labels":{"a":"b"}"#);
    let answer = target.asks(update(&old, &new));
    assert_eq!(answer["response"]["allowed"], true);
    // The API server forwards 4,096 characters of warnings and drops the rest silently.
    assert!(warnings(&answer).len() < 4096 && warnings(&answer).contains(" more"), "{answer}");
    target.ends_well();
}

pub fn the_same_review_gets_the_same_bytes() {
    let target = Target::start();
    let both = ingress("web", "copy", "taken.example.com", "/").replacen(
        r#"{"path""#,
        r#"{"path":"x","pathType":"Exact"},{"path""#,
        1,
    );
    let denied = create(&both);
    let first = target.server.post_bytes("/validate", denied.clone());
    let parsed: Value = serde_json::from_slice(&first.1).expect("JSON");
    assert_eq!(parsed["response"]["status"]["details"]["causes"].as_array().map(Vec::len), Some(3));
    for _ in 0..20 {
        assert_eq!(target.server.post_bytes("/validate", denied.clone()), first);
    }
    target.ends_well();
}
