//! Runs the tools that build manifests from folders.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::Context;

use crate::files::{BuildTool, Folder};

/// The options of the tools.
pub(super) struct BuildOptions<'o> {
    /// The namespace of the release.
    pub namespace: &'o str,
    /// The files with values for charts.
    pub values: &'o [PathBuf],
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
        BuildTool::Helm => helm(path, options)?,
        BuildTool::Kustomize => kustomize(path)?,
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let file = path.join(match tool {
        BuildTool::Helm => "Chart.yaml",
        BuildTool::Kustomize => "kustomization.yaml",
    });
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        return Ok(folder.with_failed_build(&file, &format!("cannot be built: {}", error.trim())));
    }
    Ok(match tool {
        BuildTool::Helm => folder.with_chart(path, &text),
        BuildTool::Kustomize => folder.with_built(&file, &text),
    })
}

/// `helm template` of the chart in `path`. The release has the name of the folder.
fn helm(path: &Path, options: &BuildOptions<'_>) -> anyhow::Result<Output> {
    let real = path.canonicalize().with_context(|| path.display().to_string())?;
    let name = real.file_name().unwrap_or("release".as_ref());
    let mut command = Command::new("helm");
    command.args(["template", "--namespace", options.namespace]).arg(name).arg(path);
    options.values.iter().for_each(|file| {
        command.arg("--values").arg(file);
    });
    command.output().context("--helm needs the program `helm`")
}

/// `kustomize build` of the folder or, where there is no kustomize, `kubectl kustomize`.
fn kustomize(path: &Path) -> anyhow::Result<Output> {
    let built = Command::new("kustomize").arg("build").arg(path).output();
    built
        .or_else(|_| Command::new("kubectl").arg("kustomize").arg(path).output())
        .context("--kustomize needs the program `kustomize` or `kubectl`")
}
