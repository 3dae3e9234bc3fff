//! A panic in a check.

use std::env;
use std::path::{Path, PathBuf};

use crate::harness::{PortcullisServer, process_guard};
use crate::reviews::{create, ingress};

/// Uses a build with an additional check, which panics if an annotation says so.
pub fn a_panic_costs_one_review() {
    let gate =
        PortcullisServer::of(&panicking_build(), [Path::new("--objects"), &process_guard().folder("empty")]).ready();
    let good = create(&ingress("web", "shop", "shop.example.com", "/"));
    let annotations = r#""metadata":{"annotations":{"portcullis.dev/panic":"true"},"#;
    let small = good.replacen(r#""metadata":{"#, annotations, 1);
    // Large reviews run on a separate thread.
    let large = small.replacen('{', &format!(r#"{{"unknown":"{}","#, "x".repeat(1 << 20)), 1);
    for (panics, body) in [small, large].into_iter().enumerate() {
        assert_eq!(gate.metric("portcullis_panics_total"), Some(panics as f64));
        assert_eq!(gate.post("/validate", body).0, 500);
        assert_eq!(gate.metric("portcullis_panics_total"), Some(panics as f64 + 1.0));
        assert_eq!(gate.post("/validate", good.clone()).1["response"]["allowed"], true);
    }
    let logged = gate.logs("panic caught");
    assert!(logged["fields"]["panic"].as_str().is_some_and(|text| text.contains("as the annotation")), "{logged}");
}

/// The program with the feature `panic-check`, in a folder of its own. Its dependencies are those that are built already: as an
/// example it has the features of dependencies that the tests have.
fn panicking_build() -> PathBuf {
    let built = Path::new(env!("CARGO_BIN_EXE_portcullis")).ancestors().nth(2).expect("two folders above the program");
    let target = built.join("panic-check");
    let mut cargo = process_guard().command(env!("CARGO"));
    // cargo finds its registry and toolchain by environment variables.
    cargo.envs(env::vars_os()).current_dir(env!("CARGO_MANIFEST_DIR"));
    cargo.args(["build", "--example", "panicking", "--features", "panic-check", "--target-dir"]);
    let output = cargo.arg(&target).env("CARGO_BUILD_BUILD_DIR", built).output().expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    target.join("debug/examples/panicking")
}
