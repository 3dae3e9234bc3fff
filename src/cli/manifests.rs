//! `portcullis manifests`: the webhook configurations and the ClusterRole that this version needs.

use clap::{Args, ValueEnum};

use super::say;
use crate::manifests;

/// Print the webhook configurations and the ClusterRole that this version needs.
#[derive(Debug, Args)]
pub struct Manifests {
    /// The manifest to print; all of them by default.
    what: Option<What>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum What {
    /// The ValidatingWebhookConfiguration.
    Validating,
    /// The MutatingWebhookConfiguration.
    Mutating,
    /// The ClusterRole and its ClusterRoleBinding.
    Rbac,
}

impl What {
    fn text(self) -> String {
        match self {
            Self::Validating => manifests::validating(),
            Self::Mutating => manifests::mutating(),
            Self::Rbac => manifests::rbac(),
        }
    }
}

impl Manifests {
    /// Prints the manifests as YAML documents.
    pub fn run(self) -> anyhow::Result<()> {
        match self.what {
            Some(what) => say(&what.text()),
            None => say(&What::value_variants().iter().map(|what| what.text()).collect::<Vec<_>>().join("---\n")),
        }
    }
}
