//! Kustomizations of `lint`: what is skipped without their tool, and what the tool builds.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{folder, ingress, lint};
use crate::harness::assets;

/// A file at a path below the folder, whose parents are created.
pub(super) fn write(folder: &Path, name: &str, text: &str) {
    let file = folder.join(name);
    fs::create_dir_all(file.parent().expect("a file is in a folder")).expect("writable");
    fs::write(file, text).expect("writable");
}

/// A flag that has no effect is most often a wrong path.
pub(super) fn nothing_to_build_is_noted() {
    let folder = folder(&[("a.yaml", &ingress("web", "shop", "shop.example.com", "/"))]);
    for (flag, words) in
        [("--helm", "no chart (a folder with Chart.yaml) found"), ("--kustomize", "no kustomization found")]
    {
        let (code, _, errors) = lint(folder.path(), &[flag]);
        assert!(code == Some(0) && errors.contains(words), "{errors}");
        assert_eq!(lint(folder.path(), &[flag, "--quiet"]).2, "");
    }
}

/// A base with an Ingress, an overlay that patches it, and a component.
fn kustomization() -> tempfile::TempDir {
    let folder = folder(&[]);
    let (base, patch) = (
        "resources: [ingress.yaml]\n",
        "kind: Ingress\napiVersion: networking.k8s.io/v1\nmetadata: {name: shop}\nspec: {rules: [{host: a_b}]}\n",
    );
    write(folder.path(), "base/kustomization.yaml", base);
    write(
        folder.path(),
        "base/ingress.yaml",
        &ingress("web", "shop", "shop.example.com", "/").replace("namespace: web, ", ""),
    );
    write(
        folder.path(),
        "prod/kustomization.yaml",
        "resources: [../base]\nnamespace: prod\npatches: [{path: patch.yaml}]\n",
    );
    write(folder.path(), "prod/patch.yaml", patch);
    write(
        folder.path(),
        "part/kustomization.yaml",
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{path: more.yaml}]\n",
    );
    write(folder.path(), "part/more.yaml", patch);
    folder
}

pub(super) fn patches_are_not_objects() {
    let folder = kustomization();
    let (code, printed, errors) = lint(folder.path(), &[]);
    assert_eq!(
        (code, &*printed),
        (
            Some(0),
            "1 object, 0 would be denied, 0 warnings; 1 document was skipped: its kind is not checked; 2 documents are not Kubernetes objects\n"
        ),
        "{errors}"
    );
    assert!(errors.contains("patches are skipped") && errors.contains("`lint --kustomize`"), "{errors}");
}

pub(super) fn a_missing_tool_is_an_error() {
    let folder = kustomization();
    let output = command(folder.path(), &["--kustomize"], OsStr::new("/nowhere"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("--kustomize needs the program `kustomize` or `kubectl`"), "{errors}");
}

fn command(path: &Path, more: &[&str], programs: &OsStr) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    command.arg("lint").arg(path).args(more).env("PATH", programs).output().expect("the program runs")
}

pub(super) fn report(path: &Path, more: &[&str], programs: &OsStr) -> (Option<i32>, Value) {
    let output = command(path, &[&["-o", "json"], more].concat(), programs);
    let report = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|why| panic!("{why}: {}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code(), report)
}

pub(super) fn kustomizations_are_built() {
    let programs = assets().unwrap_or_else(|lack| panic!("{lack}"));
    let folder = kustomization();
    let (code, report) = self::report(folder.path(), &["--kustomize"], programs.as_os_str());
    assert_eq!((code, &report["summary"]["objects"]), (Some(1), &1.into()), "only the overlay is built: {report}");
    let finding = &report["findings"][0];
    assert_eq!(
        (&finding["object"]["namespace"], &finding["check"]),
        (&"prod".into(), &"ingress/nothing-served".into()),
        "{report}"
    );
    assert!(finding["file"].as_str().is_some_and(|file| file.ends_with("prod/kustomization.yaml")), "{report}");
    assert_eq!(finding["line"], Value::Null, "what was built has no line of the file");

    write(folder.path(), "prod/kustomization.yaml", "resources: [../none]\n");
    let (code, report) = self::report(folder.path(), &["--kustomize"], programs.as_os_str());
    assert_eq!(code, Some(3), "{report}");
    assert_eq!(report["notChecked"][0]["cause"], "cannot be built");
    assert_eq!(report["summary"]["objects"], 1, "the base is built by itself: {report}");
}

pub(super) fn overlays_that_differ_are_judged_apart() {
    let programs = assets().unwrap_or_else(|lack| panic!("{lack}"));
    let folder = folder(&[]);
    write(folder.path(), "base/kustomization.yaml", "resources: [ingress.yaml]\n");
    write(folder.path(), "base/ingress.yaml", &ingress("web", "shop", "shop.example.com", "cart"));
    write(folder.path(), "staging/kustomization.yaml", "resources: [../base]\n");
    let patch = r#"[{"op": "replace", "path": "/spec/rules/0/host", "value": "prod.example.com"}]"#;
    let prod = format!("resources: [../base]\npatches: [{{target: {{kind: Ingress}}, patch: '{patch}'}}]\n");
    write(folder.path(), "prod/kustomization.yaml", &prod);
    let output = command(folder.path(), &["--kustomize"], programs.as_os_str());
    let [printed, errors] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text"));
    for overlay in ["prod", "staging"] {
        assert!(printed.contains(&format!("{overlay}/kustomization.yaml: Ingress web/shop\n")), "{printed}{errors}");
    }
    assert!(printed.ends_with("\n2 objects, 2 would be denied, 0 warnings\n"), "{printed}{errors}");
    assert!(
        errors.contains("Ingress web/shop is defined 2 times: ") && errors.contains("; each is judged"),
        "{errors}"
    );
    for overlay in ["prod", "staging"] {
        let namespaced = format!("resources: [../base]\nnamespace: {overlay}\n");
        write(folder.path(), &format!("{overlay}/kustomization.yaml"), &namespaced);
    }
    let (_, report) = self::report(folder.path(), &["--kustomize"], programs.as_os_str());
    let checks: Vec<&Value> = report["findings"].as_array().expect("a list").iter().map(|it| &it["check"]).collect();
    assert_eq!(report["summary"]["objects"], 2, "{report}");
    assert!(
        !checks.iter().any(|check| **check == "host/path-conflict"),
        "each has the host in a cluster of its own: {report}"
    );
}

pub(super) fn a_base_is_not_in_the_cluster() {
    let programs = assets().unwrap_or_else(|lack| panic!("{lack}"));
    let folder = folder(&[]);
    write(folder.path(), "base/kustomization.yaml", "resources: [more]\n");
    write(folder.path(), "base/more/kustomization.yaml", "resources: [ingress.yaml]\n");
    write(folder.path(), "base/more/ingress.yaml", &ingress("web", "shop", "shop.example.com", "/a/../b"));
    write(folder.path(), "prod/kustomization.yaml", "resources: [../base]\n");
    write(folder.path(), "blog.yaml", &ingress("web", "blog", "blog.example.com", "/"));
    let objects = folder.path().to_str().expect("the path is text");
    let (code, report) =
        self::report(&folder.path().join("prod"), &["--kustomize", "--objects", objects], programs.as_os_str());
    let finding = &report["findings"][0];
    assert_eq!((code, &finding["action"]), (Some(1), &"Deny".into()), "a fault of the base is new: {report}");
}
