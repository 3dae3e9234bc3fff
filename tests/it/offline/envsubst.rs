//! Variables that Flux fills in after it has built a kustomization: `--envsubst` names their values.

use std::fs;
use std::process::Command;

use super::{folder, ingress, lint};

/// Two Ingresses of one host, with a variable in front of each path, and one whose host is not known.
fn manifests() -> String {
    let shop = ingress("web", "shop", "\"shop.${DOMAIN}\"", "/");
    let bank = ingress("bank", "bank", "\"${NAME:=shop}.${DOMAIN:-example.org}\"", "/");
    let unknown = ingress("web", "unknown", "\"shop.${UNKNOWN}\"", "/");
    let rewriting = "metadata: {annotations: {nginx.ingress.kubernetes.io/rewrite-target: /$1, x: \"${b}\"}, ";
    let all = shop + &bank + &unknown.replace("metadata: {", rewriting);
    all.replace("{path:", "{x: \"${DOMAIN}\", path:")
}

pub(super) fn known_variables_are_filled_in() {
    let files = folder(&[("a.yaml", &manifests())]);
    let values = folder(&[("flux.env", "# The cluster\nDOMAIN=example.com\n"), ("bad.env", "DOMAIN: example.com\n")]);
    let file = |name: &str| values.path().join(name).display().to_string();
    let (code, printed, _) = lint(files.path(), &[]);
    assert!(code == Some(0) && !printed.contains("[host/path-conflict]"), "{printed}");
    let (code, printed, errors) = lint(files.path(), &["--envsubst", &file("flux.env")]);
    assert!(code == Some(1) && printed.contains("shop.example.com is also served by "), "{printed}{errors}");
    let texts = manifests();
    let column = texts.lines().nth(8).and_then(|line| line.find("path:")).expect("the first path") + 1;
    assert!(printed.contains(&format!("\n  9:{column}  Deny  spec.rules[0].http.paths[0].path: ")), "{printed}");
    assert!(!printed.contains("host-malformed"), "the name that is not known: {printed}");

    let (code, _, errors) = lint(files.path(), &["--envsubst", &file("bad.env")]);
    assert!(code == Some(2) && errors.contains("bad.env: line 1: must be NAME=value"), "{errors}");
}

pub(super) fn variables_are_filled_in_in_objects_and_texts() {
    let [all, shop, values] = [
        folder(&[("a.yaml", &manifests())]),
        folder(&[("b.yaml", &ingress("web", "new", "shop.${DOMAIN}", "/"))]),
        folder(&[("flux.env", "DOMAIN=example.com\n")]),
    ];
    let (objects, file) = (all.path().display().to_string(), values.path().join("flux.env").display().to_string());
    let (_, printed, errors) = lint(shop.path(), &["--objects", &objects, "--envsubst", &file]);
    assert!(printed.contains("[host/path-conflict]"), "{printed}{errors}");
    let audit = Command::new(env!("CARGO_BIN_EXE_portcullis")).args(["audit", &objects, "--envsubst", &file]).output();
    let printed = String::from_utf8(audit.expect("the program runs").stdout).expect("text");
    assert!(printed.contains("path / on shop.example.com is also served by"), "{printed}");
    // An error has the line and the column of the file.
    fs::write(shop.path().join("b.yaml"), "a: ${DOMAIN}\nb: [${DOMAIN}, *none]\nkind: Ingress\n").expect("writable");
    let (_, printed, errors) = lint(shop.path(), &["--envsubst", &file]);
    assert!(format!("{printed}{errors}").contains("line 2, column 16: "), "{printed}{errors}");
}
