//! The schema of the chart's values.

use std::fs;

use serde_json::Value;

use super::objects::rendered;
use crate::harness::{Helm, chart};

/// Values that are no values of the chart, or have the wrong type, and the words of the refusal that name them.
const REFUSED: [(&str, &str); 20] = [
    ("replica=3", "replica"),
    (r#"image.name="portcullis""#, "name"),
    (r#"replicas="many""#, "replicas"),
    ("port=443", "port"),
    ("healthPort=70000", "healthPort"),
    (r#"enforce="yes""#, "enforce"),
    (r#"certificates.mode="vault""#, "mode"),
    (r#"certificates.caBundle="LS0tLS1CRUdJTi""#, "caBundle"),
    (r#"image.digest="latest""#, "digest"),
    (r#"image.pullPolicy="Sometimes""#, "pullPolicy"),
    (r#"networkPolicy.ipBlocks=["192.0.2.1"]"#, "ipBlocks"),
    (r#"exemptNamespaces=["Web"]"#, "exemptNamespaces"),
    (r#"podDisruptionBudget.minAvailable="one""#, "minAvailable"),
    (r#"extraArgs=["serve"]"#, "extraArgs"),
    (r#"serviceMonitor.interval="often""#, "interval"),
    (r#"crds.install="later""#, "install"),
    (r#"pathTokens=["short"]"#, "pathTokens"),
    (r#"certManager.serviceAccount="a/b""#, "serviceAccount"),
    (r#"config.profil="restricted""#, "profil"),
    (r#"config.maxAction="warn""#, "/config/maxAction"),
];

pub fn unknown_values_are_refused() {
    for helm in Helm::ALL {
        for (value, named) in REFUSED {
            rendered(helm, "portcullis", &[value]).refused_with(named);
        }
        let output = rendered(helm, "portcullis", &["replica=3"]);
        output.refused_with("values don't meet the specifications of the schema");
        // The parent of a subchart gives it this value.
        rendered(helm, "portcullis", &["global={}"]).accepted();
    }
    let output = rendered(Helm::Four, "portcullis", &["auditOnly=true", "enforce=true"]);
    output.refused_with("auditOnly and enforce exclude each other");
    let exempt = r#"exemptNamespaces=["default"]"#;
    rendered(Helm::Four, "portcullis", &[exempt]).accepted();
    for (namespace, values) in [("default", exempt), ("portcullis", r#"test.namespace="portcullis""#)] {
        let output = rendered(Helm::Four, "portcullis", &["enforce=true", values]);
        output.refused_with(&format!("test.namespace {namespace} is exempt, so no replica would be seen to deny"));
    }
    let output = rendered(Helm::Four, "portcullis", &["networkPolicy.enabled=true"]);
    output.refused_with("ipBlocks or peers is required, or the API server cannot reach Portcullis");
    for port in ["port", "healthPort"] {
        let output = rendered(Helm::Four, "portcullis", &["hostNetwork=true", &format!("{port}=10250")]);
        output.refused_with(&format!("{port} must not be 10250 with hostNetwork: the kubelet uses that port"));
    }
    rendered(Helm::Four, "portcullis", &["port=8443", "healthPort=8443"])
        .refused_with("port and healthPort must differ");
    let output = rendered(Helm::Four, "portcullis", &[r#"podDisruptionBudget.minAvailable="100%""#]);
    output.refused_with(
        "podDisruptionBudget.minAvailable must be less than 100%, or no node with a replica can be drained",
    );
}

/// values.yaml and values.schema.json have the same values, and each has a description.
pub fn all_values_are_described() {
    let schema = fs::read_to_string(chart().join("values.schema.json")).expect("the chart has a schema");
    let schema: Value = serde_json::from_str(&schema).expect("a schema is JSON");
    let mut described = Vec::new();
    describe("", &schema, &mut described);
    described.retain(|path| path != "global");
    let mut values: Vec<String> = super::values::paths();
    values.sort();
    described.sort();
    assert_eq!(described, values, "values.schema.json and values.yaml differ");
}

/// Adds the paths of the values below a schema, where each object is closed.
fn describe(path: &str, schema: &Value, paths: &mut Vec<String>) {
    let Some(properties) = schema["properties"].as_object() else {
        assert!(schema["description"].is_string(), "{path} has no description");
        return paths.push(path.to_owned());
    };
    assert_eq!(schema["additionalProperties"], false, "`{path}` accepts anything");
    for (name, property) in properties {
        let below = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        describe(&below, property, paths);
    }
}
