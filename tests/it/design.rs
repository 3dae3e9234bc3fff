//! The examples in the design documents, from `tests/design`. In their current spelling they are
//! admitted. In the spelling of the documents, reviews and `lint` say what to write instead.

use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Failed, Trial};
use portcullis::files::Manifest;
use portcullis_core::checks::Plan;
use portcullis_core::config::{API_VERSION, Config, KIND};
use portcullis_core::review::Reviewer;
use portcullis_testing::golden;
use portcullis_testing::pages::{cluster, manifests, today};
use serde_json::{Value, json};

const DOCUMENTS: [&str; 5] = ["concepts", "contour-ingressroute", "gep-724", "gep-1651", "kep-758"];

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("design::modern_examples_are_admitted", modern_examples_are_admitted),
        Trial::test("design::lint_reports_fields_of_historical_examples", lint_reports_fields_of_historical_examples),
    ]
}

fn modern_examples_are_admitted() -> Result<(), Failed> {
    for document in DOCUMENTS {
        let file = file(document, "modern");
        assert_eq!(reviewed(&file), "", "{document}");
        let output = lint(&file);
        assert!(
            output.contains("objects, 0 would be denied, 0 warnings") && output.lines().count() == 1,
            "{document}: {output}"
        );
    }
    Ok(())
}

fn lint_reports_fields_of_historical_examples() -> Result<(), Failed> {
    let difference = |document: &&str| {
        let file = file(document, "historical");
        let words = format!("reviews\n{}\n$ portcullis lint\n{}", reviewed(&file), lint(&file));
        golden::differs(&format!("design_{}", document.replace('-', "_")), &words)
    };
    let wrong: Vec<String> = DOCUMENTS.iter().filter_map(difference).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

fn file(document: &str, spelling: &str) -> PathBuf {
    let name = format!("tests/design/{document}-{spelling}.yaml");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The messages of reviews that create each object in the presence of the others, with one line for each warning and
/// cause.
fn reviewed(file: &Path) -> String {
    let all = manifests(&std::fs::read_to_string(file).expect("it is in the repository"));
    let config = Config::parse(&format!("apiVersion: {API_VERSION}\nkind: {KIND}\nprofile: baseline\n"));
    let reviewed_lines = |reviewed: &Manifest| {
        let plan = Plan::new(config.clone().expect("a configuration")).expect("a plan");
        let others = all.iter().filter(|other| other.object_ref != reviewed.object_ref && other.object().is_ok());
        let reviewer = Reviewer::new(plan, cluster(&others.cloned().collect::<Vec<_>>()));
        let answer = reviewer.validate(review(reviewed).to_string().as_bytes(), today()).expect("all is known");
        let answer: Value = serde_json::from_slice(&answer.body).expect("an answer is JSON");
        lines(&reviewed.object_ref.to_string(), &answer["response"])
    };
    all.iter().filter(|manifest| manifest.object_ref.kind.is_validated()).map(reviewed_lines).collect()
}

fn review(manifest: &Manifest) -> Value {
    let (object_ref, api) = (&manifest.object_ref, manifest.object_ref.kind.api());
    let object: Value = serde_json::from_str(&manifest.json).expect("a manifest is JSON");
    let version = object["apiVersion"].as_str().and_then(|version| version.rsplit('/').next());
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "u-1", "kind": {"group": api.group, "version": version, "kind": api.kind},
        "name": object_ref.name, "namespace": object_ref.namespace, "operation": "CREATE",
        "userInfo": {"username": "alice"}, "object": object,
    }})
}

/// One line for each warning and cause of a response.
fn lines(object_ref: &str, response: &Value) -> String {
    let listed = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let warnings = listed(&response["warnings"]).into_iter();
    let warnings = warnings.map(|warning| format!("{object_ref}: warns: {}\n", warning.as_str().unwrap_or_default()));
    let causes = listed(&response["status"]["details"]["causes"]).into_iter().map(|cause| {
        let [field, message] = ["field", "message"].map(|name| cause[name].as_str().unwrap_or_default().to_owned());
        format!("{object_ref}: refuses: {field}: {message}\n")
    });
    warnings.chain(causes).collect()
}

/// The output of `portcullis lint` for a file, with the file's name instead of its path.
fn lint(file: &Path) -> String {
    // Nothing of this repository is beside the examples.
    let mut program = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    let output = program.args(["lint", "--isolated"]).arg(file).output().expect("it runs");
    let folder = file.parent().and_then(Path::to_str).expect("a plain name");
    String::from_utf8(output.stdout).expect("it speaks UTF-8").replace(&format!("{folder}/"), "")
}
