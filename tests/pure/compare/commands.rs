//! Comparisons as workflow commands.

use portcullis_core::compare::Pairing;
use portcullis_core::field::FieldPath;
use portcullis_core::kinds::ObjectRef;
use portcullis_core::report::compare::{Compared, github};
use portcullis_core::report::{Position, Source};
use serde_json::{Value, json};

use super::of_files;

#[test]
fn a_removed_rule_is_named_with_its_file() {
    let route = |name: &str| -> Value {
        json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"namespace": "web", "name": name},
            "spec": {"ingressClassName": "nginx", "rules": [{"host": format!("{name}.com"), "http": {"paths": [
                {"path": "/", "pathType": "Prefix", "backend": {"service": {"name": "s", "port": {"number": 80}}}}]}}]}})
    };
    let place = |file: &str, name: &str| {
        let (file, name) = (file.to_owned(), name.to_owned());
        move |object: &ObjectRef, _: &FieldPath| {
            let position = Some(Position { line: 3, column: 1 });
            (object.name == name).then(|| Source { file: file.clone(), document: None, position })
        }
    };
    of_files(&[route("gone"), route("kept")], &[route("kept")], Pairing::ByName, |results| {
        let compared = Compared { hosts: results, unread: &[] };
        let commands = github::render(&compared, place("old/gone.yaml", "gone"), place("kept.yaml", "kept"));
        let removed = "Ingress web/gone is removed (before, in old/gone.yaml, line 3)";
        assert!(commands.contains(removed) && !commands.contains("file="), "{commands}");
        let commands = github::render(&compared, place("old/gone.yaml", "gone"), place("new.yaml", "gone"));
        assert!(commands.contains("file=new.yaml,line=3") && !commands.contains("is removed"), "{commands}");
    });
}
