//! Helm 3 and Helm 4, which are built once from their Go modules.

use super::assets::{GoPrograms, Lack, assets, needing};
use super::control_plane::ControlPlane;
use super::kubectl::{Kubectl, KubectlOutput};
use super::process_guard::process_guard;
use libtest_mimic::Trial;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A trial that needs Helm and the programs of the control plane.
pub fn on_helm(name: &str, test: fn()) -> Trial {
    needing(name, || lack().or_else(|| assets().err()), test)
}

/// A major version of Helm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Helm {
    Three,
    Four,
}

impl Helm {
    /// Both versions.
    pub const ALL: [Self; 2] = [Self::Three, Self::Four];

    /// The program.
    pub fn program(self) -> PathBuf {
        let name = match self {
            Self::Three => "helm3",
            Self::Four => "helm4",
        };
        programs().unwrap_or_else(|lack| panic!("{lack}")).join(name)
    }

    /// Helm without a cluster, with these arguments, split at white space.
    pub fn command(self, words: &str) -> Kubectl {
        let mut command = process_guard().command(self.program());
        command.args(words.split_whitespace());
        Kubectl::from(command)
    }

    /// Helm as the admin of a cluster.
    pub fn on(self, control_plane: &ControlPlane, words: &str) -> Kubectl {
        self.command(words).arg("--kubeconfig").arg(control_plane.kubeconfig())
    }

    /// `helm template` of the chart as release `portcullis` in a namespace, with more arguments.
    pub fn template(self, namespace: &str, arguments: &[&str]) -> KubectlOutput {
        // Without a cluster, Helm assumes a version of Kubernetes that its build names.
        let command = self.command("template portcullis --kube-version 1.30 --namespace").arg(namespace).arg(chart());
        arguments.iter().fold(command, |command, argument| command.arg(argument)).run()
    }
}

/// The chart of the repository.
pub fn chart() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("charts/portcullis")
}

/// The folder with both programs, which are built once per process if need be.
fn programs() -> Result<&'static Path, Lack> {
    static PROGRAMS: OnceLock<Result<PathBuf, Lack>> = OnceLock::new();
    let helm = GoPrograms { name: "helm", contents: "Helm 3 and Helm 4", version: pinned, without_go: Lack::GoForHelm };
    PROGRAMS.get_or_init(|| helm.folder()).as_deref().map_err(Lack::clone)
}

/// Why the programs are not available, if they are not.
pub fn lack() -> Option<Lack> {
    programs().err()
}

/// The text of go.mod, of which the build script keeps a copy.
fn pinned() -> String {
    let go_mod = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/helm/go.mod");
    fs::read_to_string(go_mod).expect("go.mod is in the repository")
}
