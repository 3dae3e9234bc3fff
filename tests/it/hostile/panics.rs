//! A panic in a check.

use std::env;
use std::path::Path;

use libtest_mimic::{Completion, Failed};

use crate::harness::{PortcullisServer, process_guard};
use crate::reviews::{create, ingress};

/// Uses a build with an additional check, which panics if an annotation says so. Its profile inherits from that of a release how a panic
/// ends. The build takes minutes, so this runs only in CI and with `PORTCULLIS_SLOW=1`.
pub fn a_panic_costs_one_review() -> Result<Completion, Failed> {
    let is_set = |name: &str, value: &str| env::var(name).is_ok_and(|set| set == value);
    if !is_set("PORTCULLIS_SLOW", "1") && !is_set("CI", "true") {
        return Ok(Completion::ignored());
    }
    let gate =
        PortcullisServer::of(&panicking_build()?, [Path::new("--objects"), &process_guard().folder("empty")]).ready();
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
    Ok(Completion::Completed)
}

/// The build with the feature `panic-check`, in its own target folder.
fn panicking_build() -> Result<std::path::PathBuf, Failed> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = here.join("target/panic-check");
    let mut cargo = process_guard().command(env!("CARGO"));
    // cargo finds its registry and toolchain by environment variables.
    cargo.envs(env::vars_os()).current_dir(here).args(["build", "--profile", "fast", "--features", "panic-check"]);
    let output = cargo.arg("--target-dir").arg(&target).output()?;
    match output.status.success() {
        true => Ok(target.join("fast/portcullis")),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
    }
}
