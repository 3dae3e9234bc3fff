//! Runs the tools that build manifests from folders.

use std::path::Path;
use std::process::{Command, Output};

use anyhow::Context;

use super::helm::HelmArgs;
use crate::files::{BuildTool, Folder};
use crate::watch::ApiVersions;

/// What the tools need to know.
pub(super) struct BuildOptions<'o> {
    /// The namespace of the release.
    pub namespace: &'o str,
    /// The options of Helm.
    pub helm: &'o HelmArgs,
    /// What charts can ask about the cluster, if it is known.
    pub cluster: Option<&'o ApiVersions>,
}

/// Adds what a tool builds from the folder `path`. Fails if the tool is not installed; if it cannot build the folder, that
/// is reported with the documents that are not read.
pub(super) fn build(
    folder: Folder,
    tool: BuildTool,
    path: &Path,
    options: &BuildOptions<'_>,
) -> anyhow::Result<Folder> {
    let output = match tool {
        BuildTool::Helm => options.helm.template(path, options.namespace, options.cluster)?,
        BuildTool::Kustomize => kustomize(path)?,
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let file = tool.file(path);
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        return Ok(folder.with_failed_build(&file, error.trim()));
    }
    Ok(match tool {
        BuildTool::Helm => folder.with_chart(path, &text),
        BuildTool::Kustomize => folder.with_built(path, &file, &text),
    })
}

/// `kustomize build` of the folder or, where there is no kustomize, `kubectl kustomize`.
fn kustomize(path: &Path) -> anyhow::Result<Output> {
    let built = Command::new("kustomize").arg("build").arg(path).output();
    built
        .or_else(|_| Command::new("kubectl").arg("kustomize").arg(path).output())
        .context("--kustomize needs the program `kustomize` or `kubectl`")
}
