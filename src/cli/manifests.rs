//! `portcullis manifests`: prints the webhook configurations and the ClusterRole that this version needs.

use clap::{Args, ValueEnum};

use super::print_text;
use crate::manifests;

/// Print the webhook configurations and the ClusterRole that this version needs.
#[derive(Debug, Args)]
pub struct ManifestsArgs {
    /// The manifest to print; by default, the webhook configurations and the ClusterRole.
    what: Option<What>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum What {
    /// The ValidatingWebhookConfiguration.
    Validating,
    /// The MutatingWebhookConfiguration.
    Mutating,
    /// The ClusterRole and the Role, with their bindings.
    Rbac,
    /// The rights that `serve --enforce` needs beside those.
    Enforce,
    /// The rights that `portcullis maintain` needs.
    Maintainer,
    /// The patch of the ClusterRole that allows to write the status of the kinds of the Gateway API.
    GatewayStatus,
    /// The right to read the Secrets to which Gateways and BackendTLSPolicies refer (`status.readSecrets`).
    GatewayStatusSecrets,
    /// The right to read the ConfigMaps to which Gateways and BackendTLSPolicies refer (`status.readConfigMaps`).
    GatewayStatusConfigMaps,
    /// The patch of the ClusterRole that allows to write the status of Ingresses.
    IngressStatus,
}

/// The manifests that are installed as they are printed.
const INSTALLED: [What; 3] = [What::Validating, What::Mutating, What::Rbac];

impl What {
    fn text(self) -> String {
        match self {
            Self::Validating => manifests::validating(),
            Self::Mutating => manifests::mutating(),
            Self::Enforce => manifests::enforce(),
            Self::Maintainer => manifests::maintainer(),
            Self::Rbac => manifests::rbac(),
            Self::GatewayStatus => manifests::gateway_status(),
            Self::GatewayStatusSecrets => manifests::gateway_status_secrets(),
            Self::GatewayStatusConfigMaps => manifests::gateway_status_config_maps(),
            Self::IngressStatus => manifests::ingress_status(),
        }
    }
}

impl ManifestsArgs {
    /// Prints the manifests as YAML documents.
    pub fn run(self) -> anyhow::Result<()> {
        match self.what {
            Some(what) => print_text(&what.text()),
            None => print_text(&INSTALLED.map(What::text).join("---\n")),
        }
    }
}
