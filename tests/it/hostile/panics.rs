//! A panic in a check.

use std::path::Path;

use crate::harness::{PortcullisServer, process_guard};
use crate::reviews::{create, ingress};

/// In a build with debug assertions, a review panics if an annotation requests it.
pub fn a_panic_costs_one_review() {
    let server = PortcullisServer::start([Path::new("--objects"), &process_guard().folder("empty")]).ready();
    let good = create(&ingress("web", "shop", "shop.example.com", "/"));
    let annotations = r#""metadata":{"annotations":{"portcullis.dev/panic":"true"},"#;
    let small = good.replacen(r#""metadata":{"#, annotations, 1);
    // Large reviews run on a separate thread.
    let large = small.replacen('{', &format!(r#"{{"unknown":"{}","#, "x".repeat(1 << 20)), 1);
    for (panics, body) in [small, large].into_iter().enumerate() {
        assert_eq!(server.metric("portcullis_panics_total"), Some(panics as f64));
        assert_eq!(server.post("/validate", body).0, 500);
        assert_eq!(server.metric("portcullis_panics_total"), Some(panics as f64 + 1.0));
        assert_eq!(server.post("/validate", good.clone()).1["response"]["allowed"], true);
    }
    let logged = server.logs("panic caught");
    assert!(logged["fields"]["panic"].as_str().is_some_and(|text| text.contains("as the annotation")), "{logged}");
}
