//! Files of users: YAML and JSON, several documents, lists, templates.

use std::path::Path;

use portcullis::files;
use serde_json::Value;

use super::text;
use crate::Target;

/// Any file can be read or is reported as unread, and every manifest is a JSON object.
pub const TARGET: Target = Target { name: "yaml", run, seeds };

fn run(data: &[u8]) {
    for manifest in files::parse(Path::new("fuzz.yaml"), &text(data)).manifests {
        let object: Value = serde_json::from_str(&manifest.json).expect("a manifest is JSON");
        assert!(object.is_object(), "a manifest is an object: {object}");
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let files = [
        include_str!("../../../examples/cluster/web.yaml"),
        include_str!("../../../examples/cluster/classes.yaml"),
        include_str!("../../../examples/delegation/google.yaml"),
        "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: a}}\n---\n",
        "{{- if .Values.a }}\nkind: &a Ingress\nmetadata: {name: \"{{ .b }}\", labels: {a: *a, <<: *a}}\n{{- end }}\n",
        "%YAML 1.2\n---\n? [a, b]\n: |+\n  text\n... # end\n--- !!str\n'a''b'\n",
    ];
    files.map(|file| file.as_bytes().to_vec()).to_vec()
}
