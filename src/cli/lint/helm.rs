//! The options of `helm template`, and how it is run.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::Context;
use clap::Args;

use crate::watch::ApiVersions;

/// What charts are rendered with.
#[derive(Debug, Args)]
pub(super) struct HelmArgs {
    /// Check what `helm template` prints for each chart, instead of its files.
    #[arg(long)]
    helm: bool,
    /// Values for the charts; may be repeated.
    #[arg(long, value_name = "FILE", requires = "helm")]
    values: Vec<PathBuf>,
    /// Set a value for the charts, as `helm template --set` does; may be repeated.
    #[arg(long, value_name = "KEY=VALUE", requires = "helm")]
    set: Vec<String>,
    /// The name of the release [default: the name of the folder]
    #[arg(long, value_name = "NAME", requires = "helm")]
    release_name: Option<String>,
    /// The Kubernetes version that charts see [default: that of --context or --against, otherwise that of Helm]
    #[arg(long, value_name = "VERSION", requires = "helm")]
    kube_version: Option<String>,
    /// API versions that charts see besides those of --context or --against and of Helm, such as `monitoring.coreos.com/v1` or
    /// `monitoring.coreos.com/v1/ServiceMonitor`; may be repeated.
    #[arg(long, value_name = "VERSION", requires = "helm", value_delimiter = ',')]
    api_versions: Vec<String>,
}

impl HelmArgs {
    /// Whether charts are rendered.
    pub(super) const fn is_used(&self) -> bool {
        self.helm
    }

    /// Fails if a file with values does not exist.
    pub(super) fn validate(&self) -> anyhow::Result<()> {
        for file in &self.values {
            anyhow::ensure!(file.is_file(), "--values {}: file not found", file.display());
        }
        Ok(())
    }

    /// Runs `helm template` for the chart in `path` in a namespace. The chart sees the version and the APIs of `cluster`, if they
    /// are known. CRDs are printed, too, so that a chart that contains nothing else does not look empty.
    pub(super) fn template(
        &self,
        path: &Path,
        namespace: &str,
        cluster: Option<&ApiVersions>,
    ) -> anyhow::Result<Output> {
        let real = path.canonicalize().with_context(|| path.display().to_string())?;
        let name = self.release_name.as_ref().map(AsRef::as_ref).or_else(|| real.file_name());
        let mut command = Command::new("helm");
        command.args(["template", "--include-crds", "--namespace", namespace]);
        command.arg(name.unwrap_or("release".as_ref())).arg(path);
        let mut pass = |flag: &str, value: &dyn AsRef<std::ffi::OsStr>| {
            command.arg(flag).arg(value);
        };
        self.values.iter().for_each(|file| pass("--values", file));
        self.set.iter().for_each(|value| pass("--set", value));
        if let Some(version) = self.kube_version.as_ref().or(cluster.map(|cluster| &cluster.kubernetes)) {
            pass("--kube-version", version);
        }
        let known = cluster.into_iter().flat_map(|cluster| &cluster.apis);
        known.chain(&self.api_versions).for_each(|version| pass("--api-versions", version));
        command.output().context("--helm needs the program `helm`")
    }
}
