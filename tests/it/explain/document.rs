//! Runs the program on the examples of the design document.

use std::path::Path;
use std::process::Command;

use portcullis_testing::kep_table::ROWS;
use serde_json::{Value, json};

/// The answer of the program, with the folder as the cluster.
fn explained(folder: &Path, url: &str) -> Value {
    let program = Command::new(env!("CARGO_BIN_EXE_portcullis"))
        .args(["explain", url, "-o", "json", "--objects"])
        .arg(folder)
        .output();
    let output = program.expect("the program runs");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(output.status.code(), Some(i32::from(answer["winner"].is_null())), "{answer}");
    answer
}

fn folder(spec: &Value) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ingress = json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
        "metadata": {"namespace": "web", "name": "shop"}, "spec": spec});
    std::fs::write(folder.path().join("a.json"), ingress.to_string()).expect("the folder is writable");
    folder
}

fn backend(name: &str) -> Value {
    json!({"service": {"name": name, "port": {"number": 80}}})
}

pub fn table_of_paths() {
    for (row, (written, requests, answer)) in ROWS.iter().enumerate() {
        let path = |(index, (kind, path)): (usize, &(portcullis_core::matching::PathType, &str))| json!({"path": path, "pathType": kind.to_string(), "backend": backend(&format!("s{index}"))});
        let paths: Vec<Value> = written.iter().enumerate().map(path).collect();
        let rules = json!([{"host": "foo.com", "http": {"paths": paths}}]);
        let alone = folder(&json!({"rules": rules}));
        let with_default = folder(&json!({"rules": rules, "defaultBackend": backend("default")}));
        for request in *requests {
            let url = format!("http://foo.com{request}");
            let (explanation, or_default) = (explained(alone.path(), &url), explained(with_default.path(), &url));
            let expected = answer.map(|index| format!("spec.rules[0].http.paths[{index}]"));
            let row = row + 1;
            assert_eq!(explanation["winner"]["field"].as_str(), expected.as_deref(), "row {row}: {request}");
            let service = answer.map_or("default".to_owned(), |index| format!("s{index}"));
            let backends = json!([{"service": service, "port": 80, "share": 1.0}]);
            assert_eq!(or_default["winner"]["backends"], backends, "row {row}: {request}");
        }
    }
}

pub fn examples_of_hosts() {
    let paths = json!({"paths": [{"path": "/", "pathType": "Prefix", "backend": backend("s")}]});
    let folder = folder(&json!({"rules": [{"host": "*.foo.com", "http": paths}]}));
    for (host, taken) in [("bar.foo.com", true), ("aaa.bbb.foo.com", false), ("foo.com", false)] {
        let answer = explained(folder.path(), &format!("http://{host}:8080/"));
        assert_eq!(answer["winner"].is_object(), taken, "{host}");
        let reason = answer["losers"].as_array().expect("a list").iter().map(|loser| loser["reason"].clone());
        let expected = if taken { json!([]) } else { json!(["host *.foo.com: `*` matches exactly one label"]) };
        assert_eq!(reason.collect::<Value>(), expected, "{host}");
    }
}
