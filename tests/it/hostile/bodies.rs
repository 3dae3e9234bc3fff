//! Bodies that are not reviews.

use super::Target;
use crate::reviews::{INGRESS, create, ingress, review, update};
use crate::test_server::post;

/// The reasons in the metric for bodies that are rejected before they are read completely.
const REASONS: [&str; 6] = ["method", "content-type", "too-large", "busy", "slow", "broken"];

/// A chunked body whose second chunk is malformed.
fn broken(path: &str) -> Vec<u8> {
    let head = format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n");
    format!("{head}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\nzz\r\n").into_bytes()
}

/// Both endpoints answer 400 to a body that is not the JSON of an AdmissionReview.
pub fn invalid_reviews_get_400() {
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
        for path in ["/validate", "/mutate"] {
            assert_eq!(target.server.post(path, body.clone()).0, 400, "{what} at {path}");
            target.goes_on();
        }
    }
    assert_eq!(target.malformed(), Some(2.0 * rows.len() as f64));
    for reason in REASONS {
        assert_eq!(target.refused(reason).unwrap_or_default(), 0.0, "all were read");
    }
    target.ends_well();
}

pub fn invalid_http_requests_are_rejected() {
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
    assert_eq!((target.refused("content-type"), target.refused("method")), (Some(2.0), Some(1.0)));
    assert_eq!(target.malformed(), Some(0.0), "none was read");
    target.ends_well();
}

pub fn body_beyond_the_limit_gets_413() {
    let target = Target::start();
    let head = "POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let declared = format!("{head}Content-Length: {}\r\n\r\n", (16 << 20) + 1);
    assert_eq!(target.raw(declared.as_bytes()).status, 413, "before its first byte is sent");

    let chunk = [b"100000\r\n", &[b' '; 1 << 20][..], b"\r\n"].concat();
    let head = format!("{head}Transfer-Encoding: chunked\r\n\r\n");
    let chunked = [head.as_bytes(), &chunk.repeat(16), b"1\r\n \r\n"].concat();
    assert_eq!(target.raw(&chunked).status, 413, "without waiting for its end");

    let good = create(&ingress("web", "shop", "shop.example.com", "/"));
    let padded = [good.as_bytes(), &vec![b' '; (16 << 20) - good.len()]].concat();
    assert_eq!(target.asks(padded)["response"]["allowed"], true, "16 MiB just fit");
    assert_eq!((target.refused("too-large"), target.malformed()), (Some(2.0), Some(0.0)));

    let broken = broken("/validate");
    assert_eq!(target.raw(&broken).status, 400);
    assert_eq!((target.refused("broken"), target.malformed()), (Some(1.0), Some(0.0)));
    target.ends_well();
}

/// Millions of empty maps take a few bytes each, but would need hundreds of times their size in memory. The object is denied: an error
/// would admit it where `failurePolicy` is Ignore.
pub fn millions_of_maps_are_denied() {
    let target = Target::start();
    let paths = vec!["{}"; 2 << 20].join(",");
    let object = format!(r#"{{"metadata":{{"name":"a"}},"spec":{{"rules":[{{"http":{{"paths":[{paths}]}}}}]}}}}"#);
    assert_eq!(target.asks(create(&object))["response"]["allowed"], false);
    target.ends_well();
}

/// Objects that were stored before the webhook was installed, or while it was down, can still be made smaller and
/// deleted.
pub fn too_many_maps_can_be_replaced_and_deleted() {
    let target = Target::start();
    let paths = vec!["{}"; 500_000].join(",");
    let huge = format!(r#"{{"metadata":{{"name":"a"}},"spec":{{"rules":[{{"http":{{"paths":[{paths}]}}}}]}}}}"#);
    let small = ingress("web", "a", "a.example.com", "/");
    assert_eq!(target.asks(update(&small, &huge))["response"]["allowed"], false);
    let finalized = huge.replace(r#""name":"a""#, r#""name":"a","finalizers":["example.com/wait"]"#);
    assert_eq!(target.asks(update(&finalized, &huge))["response"]["allowed"], true);
    assert_eq!(target.asks(update(&huge, &small))["response"]["allowed"], true);
    let deleted = review("u-1", &format!(r#""kind":{INGRESS},"operation":"DELETE","object":null,"oldObject":{huge}"#));
    assert_eq!(target.asks(deleted)["response"]["allowed"], true);
    target.ends_well();
}
