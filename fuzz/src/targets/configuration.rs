//! Configuration files.

use portcullis_core::checks::Plan;
use portcullis_core::config::Config;

use super::text;
use crate::Target;

/// A text is rejected with a non-empty error, or a plan is created from it or rejected with non-empty errors.
pub const TARGET: Target = Target { name: "configuration", run, seeds };

fn run(data: &[u8]) {
    match Config::parse(&text(data)) {
        Ok(config) => {
            if let Err(errors) = Plan::new(config) {
                assert!(!errors.is_empty() && errors.iter().all(|error| !error.to_string().is_empty()));
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let head = "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\n";
    let parts = [
        "profile: baseline\nthemes: {conflict: Warn}\nchecks: {'*': Off, host/path-conflict: Deny}\n",
        "hostOwnership:\n  hosts:\n  - {host: '*.{namespace.labels.team}.example.com', namespaces: {names: [web], labels: {a: b}}}\n",
        "exemptions:\n- {checks: ['ingress/*'], match: {classes: [nginx], users: [alice]}, reason: any, expires: '2026-12-01'}\n",
        "rootNamespaces: {IngressRoute: [a, 'b*']}\nextensions: [tcpproxy]\ngatewayBundle: {version: v1.6.0, channel: standard}\n",
        "dataPlanes: [{classes: [a, b]}]\ndefaults: {ingress/default-class: {enabled: true, onMultipleDefaults: Newest}}\n",
    ];
    let mut seeds = vec![include_bytes!("../../../examples/config.yaml").to_vec()];
    seeds.extend(parts.map(|part| format!("{head}{part}").into_bytes()));
    seeds
}
