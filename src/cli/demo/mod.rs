//! `portcullis demo`: shows what the webhooks, `lint` and `explain` say about the objects of two teams.

mod kubectl;
mod server;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};
use clap::Args;
use tempfile::TempDir;

use self::server::DemoServer;
use super::print_text;
use crate::files;

/// The objects that the cluster has at the beginning, by file.
const CLUSTER: [(&str, &str); 5] = [
    ("classes.yaml", include_str!("../../../examples/cluster/classes.yaml")),
    ("team-b.yaml", include_str!("../../../examples/cluster/team-b.yaml")),
    ("web.yaml", include_str!("../../../examples/cluster/web.yaml")),
    ("gateway-class.yaml", include_str!("../../../demo/gateway-class.yaml")),
    ("gateway.yaml", include_str!("../../../demo/gateway.yaml")),
];

/// A manifest that is applied.
struct Write {
    /// What it shows.
    about: &'static str,
    file: &'static str,
    manifest: &'static str,
}

const WRITES: [Write; 6] = [
    Write {
        about: "Team B takes a path of the team in namespace web: denied.",
        file: "another-teams-path.yaml",
        manifest: include_str!("../../../demo/another-teams-path.yaml"),
    },
    Write {
        about: "A Service that does not exist yet: admitted with a warning, since objects may be applied in any order.",
        file: "missing-service.yaml",
        manifest: include_str!("../../../demo/missing-service.yaml"),
    },
    Write {
        about: "No class: the mutating webhook fills in the default one.",
        file: "without-class.yaml",
        manifest: include_str!("../../../demo/without-class.yaml"),
    },
    Write {
        about: "A second default IngressClass, so that the default would be undefined: denied.",
        file: "second-default.yaml",
        manifest: include_str!("../../../demo/second-default.yaml"),
    },
    Write {
        about: "A listener that the Gateway does not have: admitted with a warning.",
        file: "missing-listener.yaml",
        manifest: include_str!("../../../demo/missing-listener.yaml"),
    },
    Write {
        about: "A header that is matched twice, in different case: denied.",
        file: "header-twice.yaml",
        manifest: include_str!("../../../demo/header-twice.yaml"),
    },
];

/// The commands that are run on the same files, each with what it shows.
const COMMANDS: [(&str, &str); 2] = [
    (
        "The same checks before a merge: the files that were applied, against those of the cluster.",
        "lint changes --objects cluster",
    ),
    ("Which object answers a request, and why.", "explain https://shop.example.com/cart/7 --objects cluster"),
];

/// Show what the webhooks, `lint` and `explain` say about the objects of two teams. Needs no cluster.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Use a real API server and kubectl instead: `demo/run.sh` of a checkout, which builds them first with Go (10 minutes).
    #[arg(long)]
    control_plane: bool,
}

impl DemoArgs {
    /// Prints each step while it runs. Everything is on 127.0.0.1 and in a temporary folder.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if self.control_plane {
            return with_control_plane();
        }
        let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
        write_all(&folder, "cluster", CLUSTER)?;
        write_all(&folder, "changes", WRITES.map(|write| (write.file, write.manifest)))?;
        apply_all(folder.path())?;
        for (about, line) in COMMANDS {
            print_text(&format!("\n# {about}\n$ portcullis {line}\n"))?;
            let mut command = Command::new(std::env::current_exe()?);
            // Its exit code says what it found.
            command.args(line.split(' ')).current_dir(&folder).status().context("cannot run this program again")?;
        }
        print_text(NEXT)?;
        Ok(ExitCode::SUCCESS)
    }
}

const NEXT: &str = "
# Next: `portcullis lint FOLDER` for your manifests, `portcullis audit --context CONTEXT` for your cluster; neither
# installs anything. docs/install.md installs the webhooks.
";

/// Sends each write to a server over the objects of the cluster, and prints the answers.
fn apply_all(folder: &Path) -> anyhow::Result<()> {
    let server = DemoServer::start(folder)?;
    print_text(&format!(
        "# The webhooks answer at {} for a cluster of two teams. No API server runs: this command sends\n\
         # the reviews that one would send, and prints the answers as kubectl prints them.\n",
        server.url()
    ))?;
    for Write { about, file, manifest } in WRITES {
        print_text(&format!("\n# {about}\n$ kubectl apply -f {file}\n"))?;
        for manifest in files::parse(Path::new(file), manifest).manifests {
            print_text(&kubectl::apply(&server, &manifest)?)?;
        }
    }
    Ok(())
}

fn write_all<const N: usize>(folder: &TempDir, name: &str, files: [(&str, &str); N]) -> anyhow::Result<()> {
    let folder = folder.path().join(name);
    fs::create_dir(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for (file, text) in files {
        let file = folder.join(file);
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

fn with_control_plane() -> anyhow::Result<ExitCode> {
    let script = Path::new("demo/run.sh");
    if !script.is_file() {
        bail!("{} not found: --control-plane runs in a checkout of Portcullis", script.display());
    }
    let status = Command::new(script).status().with_context(|| format!("cannot run {}", script.display()))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
