//! Measures commands over files: `cargo bench --bench offline`.
//!
//! `config diff` compares two configurations over 10,000 Ingresses in 300 namespaces, and `lint` checks 6,000 documents in 600 files.
//! The program runs as a process, as a user runs it. Every output is checked. An exceeded bound is only printed.

#[allow(dead_code, reason = "the reviews use the rest of it")]
#[path = "../reviews/table.rs"]
mod table;

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::table::{Row, Table, figure};

/// The number of objects of `config diff`, and the maximum time in seconds.
const COMPARED: (usize, f64) = (10_000, 2.0);
/// The number of documents of `lint`, and of documents in a file.
const LINTED: (usize, usize) = (6_000, 10);
/// How often each command runs; the fastest run counts, since others may use the machine.
const ROUNDS: usize = 5;

const HEAD: &str = "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\n";

fn main() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (compared, linted) = (folder.path().join("compared"), folder.path().join("linted"));
    fs::create_dir(&compared)?;
    fs::create_dir(&linted)?;
    fs::write(compared.join("all.yaml"), ingresses(0..COMPARED.0))?;
    for start in (0..LINTED.0).step_by(LINTED.1) {
        fs::write(linted.join(format!("{start}.yaml")), ingresses(start..start + LINTED.1))?;
    }
    let (old, new) = (folder.path().join("old.yaml"), folder.path().join("new.yaml"));
    fs::write(&old, HEAD)?;
    fs::write(&new, format!("{HEAD}checks: {{ingress/tls-missing: Warn}}\n"))?;
    let diff = [Path::new("config"), Path::new("diff"), &old, &new, Path::new("--objects"), &compared];
    let rows = vec![
        measure(
            &format!("`config diff` over {} objects, s", COMPARED.0),
            &diff,
            &format!("{0} of {0} objects change", COMPARED.0),
            Some(COMPARED.1),
        )?,
        measure(
            &format!("`lint` of {} documents, s", LINTED.0),
            &[Path::new("lint"), &linted],
            &format!("{} objects, 0 would be denied, 0 warnings", LINTED.0),
            None,
        )?,
    ];
    println!("{}", Table { figures: vec!["measured"], rows });
    Ok(())
}

/// Ingresses with these numbers, each with a host of its own.
fn ingresses(numbers: std::ops::Range<usize>) -> String {
    let mut text = String::new();
    for number in numbers {
        let _ = write!(
            text,
            "---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {{namespace: team-{}, name: i{number}}}
spec:
  ingressClassName: public
  rules:
  - host: h{number}.example.com
    http: {{paths: [{{path: /, pathType: Prefix, backend: {{service: {{name: cart, port: {{number: 80}}}}}}}}]}}
",
            number % 300
        );
    }
    text
}

/// Runs the program several times. Its output must contain `expected`.
fn measure(what: &str, arguments: &[&Path], expected: &str, bound: Option<f64>) -> Result<Row> {
    let mut fastest = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_portcullis")).args(arguments).output().context("the program")?;
        fastest = fastest.min(start.elapsed().as_secs_f64());
        let printed = String::from_utf8_lossy(&output.stdout);
        ensure!(printed.contains(expected), "{what}: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(figure(what, fastest, bound))
}
