//! Charts of `lint --helm`: what Helm renders, with which values, and as if for which cluster.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::builds::{report, write};
use super::{folder, ingress};
use crate::harness::{ControlPlane, Flavour, Helm};

/// Runs `test` with a folder that contains this Helm, for each version.
fn with_each_helm(test: impl Fn(&OsStr)) {
    for helm in Helm::ALL {
        let programs = tempfile::tempdir().expect("a temporary folder");
        std::os::unix::fs::symlink(helm.program(), programs.path().join("helm")).expect("a link");
        test(programs.path().as_os_str());
    }
}

fn write_chart(folder: &Path, name: &str, template: &str) {
    write(folder, &format!("{name}/Chart.yaml"), "apiVersion: v2\nname: store\nversion: 1.0.0\n");
    write(folder, &format!("{name}/templates/ingress.yaml"), template);
}

/// An Ingress without a namespace.
fn template(name: &str, host: &str) -> String {
    ingress("web", name, host, "/").replace("namespace: web, ", "")
}

fn first_name(report: &Value) -> &str {
    report["findings"][0]["object"]["name"].as_str().unwrap_or_else(|| panic!("a finding: {report}"))
}

pub(super) fn charts_are_rendered() {
    with_each_helm(|path| {
        let folder = folder(&[("plain.yaml", &ingress("web", "plain", "plain.example.com", "/"))]);
        write_chart(folder.path(), "shop", &template("{{ .Release.Name }}", "{{ .Values.host }}"));
        write(folder.path(), "shop/values.yaml", "host: shop.example.com\n");
        let values = folder.path().join("values");
        fs::write(&values, "host: Shop_x\n").expect("writable");
        let (code, report) = report(folder.path(), &["--helm"], path);
        assert_eq!((code, &report["summary"]["objects"]), (Some(0), &2.into()), "{report}");
        let values = values.to_str().expect("a plain name");
        let (code, report) = self::report(folder.path(), &["--helm", "--values", values, "-n", "team-a"], path);
        let finding = &report["findings"][0];
        assert_eq!((code, first_name(&report), &finding["object"]["namespace"]), (Some(1), "shop", &"team-a".into()));
        assert!(finding["file"].as_str().is_some_and(|file| file.ends_with("shop/templates/ingress.yaml")), "{report}");
        let (code, report) =
            self::report(folder.path(), &["--helm", "--set", "host=Shop_y", "--release-name", "blue"], path);
        assert_eq!((code, first_name(&report)), (Some(1), "blue"), "{report}");

        write(folder.path(), "shop/templates/broken.yaml", "{{ fail \"no host\" }}\n");
        let (code, report) = self::report(folder.path(), &["--helm"], path);
        assert_eq!((code, &report["notChecked"][0]["cause"]), (Some(3), &"cannot be built".into()), "{report}");
        let message = report["notChecked"][0]["message"].as_str();
        assert!(message.is_some_and(|message| message.contains("no host")), "{report}");
    });
}

pub(super) fn charts_see_the_cluster() {
    // Helm does not know this kind by itself, and every API server serves it.
    const KIND: &str = "apiregistration.k8s.io/v1/APIService";
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let kubeconfig = control_plane.kubeconfig();
    let kubeconfig = kubeconfig.to_str().expect("a plain name");
    let folder = folder(&[]);
    let name = format!(
        "'{{{{ .Capabilities.APIVersions.Has \"{KIND}\" }}}}-{{{{ .Capabilities.KubeVersion.Version | replace \".\" \"-\" }}}}'"
    );
    write_chart(folder.path(), "shop", &template(&name, "Shop_x"));
    let world = folder.path().join("world.json.gz");
    let snapshot =
        Command::new(env!("CARGO_BIN_EXE_portcullis")).args(["snapshot", "--kubeconfig", kubeconfig]).output();
    fs::write(&world, snapshot.expect("the program runs").stdout).expect("writable");
    let world = world.to_str().expect("a plain name");
    let version = control_plane.kubectl("get --raw /version").run();
    let version: Value = serde_json::from_str(&version.stdout).expect("JSON");
    let version = version["gitVersion"].as_str().expect("a version").replace('.', "-");
    with_each_helm(|path| {
        let named = |more: &[&str]| {
            let arguments = [&["--helm"], more].concat();
            let (_, report) = report(&folder.path().join("shop"), &arguments, path);
            first_name(&report).to_owned()
        };
        assert!(named(&[]).starts_with("false-v1-"));
        assert_eq!(named(&["--kubeconfig", kubeconfig]), format!("true-{version}"));
        assert_eq!(named(&["--against", world]), format!("true-{version}"));
        assert_eq!(named(&["--api-versions", KIND, "--kube-version", "v1.29.3"]), "true-v1-29-3");
        assert_eq!(named(&["--against", world, "--kube-version", "v1.29.3"]), "true-v1-29-3");
    });
}

pub(super) fn a_chart_that_renders_nothing() {
    with_each_helm(|path| {
        let folder = folder(&[]);
        let optional = format!("{{{{ if .Values.enabled }}}}\n{}{{{{ end }}}}\n", template("shop", "shop.example.com"));
        write_chart(folder.path(), "shop", &optional);
        let (code, report) = report(folder.path(), &["--helm"], path);
        let [unread] = report["notChecked"].as_array().expect("a list").as_slice() else { panic!("{report}") };
        assert_eq!((code, &unread["cause"]), (Some(3), &"nothing is built".into()), "{report}");
        assert!(unread["message"].as_str().is_some_and(|message| message.contains("--set")), "{report}");
        let (code, report) = self::report(folder.path(), &["--helm", "--set", "enabled=true"], path);
        assert_eq!((code, &report["summary"]["objects"]), (Some(0), &1.into()), "{report}");
        write_chart(folder.path(), "shop", "");
        write(
            folder.path(),
            "shop/crds/a.yaml",
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b}\n",
        );
        let (code, report) = self::report(folder.path(), &["--helm"], path);
        assert_eq!((code, &report["summary"]["skipped"]), (Some(0), &1.into()), "a CRD is an object: {report}");
    });
}

pub(super) fn a_library_chart_is_skipped() {
    with_each_helm(|path| {
        let folder = folder(&[]);
        write(folder.path(), "common/Chart.yaml", "apiVersion: v2\nname: common\nversion: 1.0.0\ntype: library\n");
        write(folder.path(), "common/templates/_names.tpl", "{{ define \"a\" }}a{{ end }}\n");
        let (code, report) = report(folder.path(), &["--helm"], path);
        assert_eq!((code, &report["summary"]["skipped"]), (Some(0), &1.into()), "{report}");
        assert_eq!(report["notChecked"], Value::Array(Vec::new()));
    });
}
