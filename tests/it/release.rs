//! The scripts of a release, as far as they compile and push nothing: the files have their checksums, each archive is what the manifest of
//! the kubectl plugin says, and what is installed has the image of the registry.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use aws_lc_rs::digest::{SHA256, digest};
use libtest_mimic::Trial;
use portcullis_testing::repository::{read, root};
use regex::Regex;
use serde_json::Value;

use crate::harness::{Helm, assets, kustomize, on_cluster, on_helm, process_guard};

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, test: fn()| {
        Trial::test(format!("release::{name}"), move || {
            test();
            Ok(())
        })
    };
    vec![
        trial("each_file_has_its_checksum", each_file_has_its_checksum),
        trial("krew_installs_what_is_in_the_archives", krew_installs_what_is_in_the_archives),
        trial("a_missing_program_is_left_out_but_not_in_ci", a_missing_program_is_left_out_but_not_in_ci),
        trial("files_are_the_same_each_time", files_are_the_same_each_time),
        trial("only_the_tag_of_the_version_is_released", only_the_tag_of_the_version_is_released),
        trial("notes_are_the_section_of_the_changelog", notes_are_the_section_of_the_changelog),
        trial("release_rejects_a_program_that_denies_nothing", release_rejects_a_program_that_denies_nothing),
        trial("packages_contain_what_their_sources_include", packages_contain_what_their_sources_include),
        on_helm("release::the_chart_has_the_image_of_the_registry", the_chart_has_the_image_of_the_registry),
        on_cluster("release::install_yaml_is_the_base_with_the_image_of_the_registry", install_yaml_is_the_base),
    ]
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Where image/build.sh and release/native.sh put the program of each platform.
const BUILT: [(&str, &str); 5] = [
    ("linux-amd64", "amd64/portcullis"),
    ("linux-arm64", "arm64/portcullis"),
    ("darwin-amd64", "native/darwin-amd64/portcullis"),
    ("darwin-arm64", "native/darwin-arm64/portcullis"),
    ("windows-amd64", "native/windows-amd64/portcullis.exe"),
];

/// A folder with programs, each of which contains the name of its platform.
struct Dist(PathBuf);

impl Dist {
    fn new() -> Self {
        let dist = Self(process_guard().folder("dist"));
        for (platform, program) in BUILT {
            let program = dist.0.join(program);
            let folder = program.parent().expect("a path below the folder");
            fs::create_dir_all(folder).expect("the folder is writable");
            // As an artifact of a workflow has it, without its mode.
            fs::write(&program, platform).expect("the folder is writable");
            fs::write(folder.join("portcullis.cdx.json"), "{}").expect("the folder is writable");
        }
        dist
    }

    /// `release/build.sh` with these steps.
    fn command(&self, steps: &str) -> Command {
        let mut script = process_guard().command(root().join("release/build.sh"));
        script.arg("--directory").arg(&self.0).args(steps.split(' ')).env("GITHUB_REPOSITORY", "Example/portcullis");
        script
    }

    /// The same where nothing may be missing.
    fn build(&self, steps: &str) {
        must_succeed(self.command(steps).env("CI", "true"));
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join("release").join(name)
    }

    /// The checksums by the names of the files.
    fn checksums(&self) -> BTreeMap<String, String> {
        let text = fs::read_to_string(self.file("SHA256SUMS")).expect("there are checksums");
        let lines = text.lines().map(|line| line.split_once("  ").expect("a checksum and a name"));
        lines.map(|(checksum, name)| (name.to_owned(), checksum.to_owned())).collect()
    }

    /// The manifest of the plugin, by the name of each archive.
    fn platforms(&self) -> BTreeMap<String, Value> {
        let text = fs::read_to_string(self.file("krew.yaml")).expect("there is a manifest");
        let manifest: Value = serde_saphyr::from_str(&text).expect("the manifest is YAML");
        assert_eq!(manifest["metadata"]["name"], "portcullis");
        assert_eq!(manifest["spec"]["version"], format!("v{VERSION}"));
        let releases = format!("https://github.com/Example/portcullis/releases/download/v{VERSION}/");
        let platforms = manifest["spec"]["platforms"].as_array().expect("it has platforms").iter().map(|platform| {
            let address = platform["uri"].as_str().expect("a platform has an address");
            let name = address.strip_prefix(&releases).unwrap_or_else(|| panic!("{address} is not in {releases}"));
            (name.to_owned(), platform.clone())
        });
        platforms.collect()
    }
}

fn must_succeed(command: &mut Command) -> Output {
    let output = command.output().expect("the script can be run");
    assert!(output.status.success(), "{command:?}: {}", errors(&output));
    output
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn checksum(file: &Path) -> String {
    let content = fs::read(file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    digest(&SHA256, &content).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn each_file_has_its_checksum() {
    let dist = Dist::new();
    dist.build("files chart krew checksums");
    let listed = dist.checksums();
    let entries = fs::read_dir(dist.0.join("release")).expect("there are files");
    let names = entries.map(|entry| entry.expect("it stays").file_name().into_string().expect("names are text"));
    let others: BTreeSet<String> = names.filter(|name| name != "SHA256SUMS").collect();
    assert_eq!(listed.keys().cloned().collect::<BTreeSet<_>>(), others);
    for (name, listed) in &listed {
        assert_eq!(*listed, checksum(&dist.file(name)), "{name}");
    }
    for (platform, program) in BUILT {
        let suffix = if program.ends_with(".exe") { ".exe" } else { "" };
        let name = format!("portcullis-{VERSION}-{platform}");
        let alone = dist.file(&format!("{name}{suffix}"));
        assert_eq!(fs::read_to_string(&alone).expect("the program is there, alone"), platform);
        let mode = alone.metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o755, "the mode of {name}");
        assert!(others.contains(&format!("{name}.cdx.json")), "{name} has a bill of materials");
    }
    // A second run lists the signature of the first one's list as little as the list.
    fs::write(dist.file("SHA256SUMS.sigstore.json"), "{}").expect("the folder is writable");
    dist.build("checksums");
    assert_eq!(dist.checksums(), listed);
}

fn krew_installs_what_is_in_the_archives() {
    let dist = Dist::new();
    dist.build("files krew checksums");
    let (listed, platforms) = (dist.checksums(), dist.platforms());
    assert_eq!(platforms.len(), BUILT.len());
    for (platform, _) in BUILT {
        let archive = format!("portcullis-{VERSION}-{platform}.tar.gz");
        let offered = &platforms[&archive];
        let labels = &offered["selector"]["matchLabels"];
        assert_eq!([&labels["os"], &labels["arch"]], platform.split_once('-').map(<[_; 2]>::from).expect("two words"));
        assert_eq!(offered["sha256"], *listed[&archive], "{archive}");
        let folder = process_guard().folder("archive");
        let mut tar = process_guard().command("tar");
        must_succeed(tar.arg("-xzf").arg(dist.file(&archive)).arg("-C").arg(&folder));
        let program = folder.join(offered["bin"].as_str().expect("a platform has a program"));
        assert_eq!(fs::read_to_string(&program).expect("the archive has the program"), platform);
        let mode = program.metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o755, "the mode in {archive}");
        assert_eq!(fs::read_to_string(folder.join("LICENSE")).expect("the archive has the license"), read("LICENSE"));
    }
}

fn a_missing_program_is_left_out_but_not_in_ci() {
    let dist = Dist::new();
    let missing = dist.0.join("native/windows-amd64/portcullis.exe");
    fs::remove_file(&missing).expect("it was there");
    let output = must_succeed(&mut dist.command("files krew checksums"));
    let said = format!("the release has no program for windows-amd64: {} is missing\n", missing.display());
    assert_eq!(errors(&output), said);
    let windows = format!("portcullis-{VERSION}-windows-amd64");
    let offered = dist.platforms();
    assert_eq!(offered.len(), BUILT.len() - 1);
    assert!(offered.keys().chain(dist.checksums().keys()).all(|name| !name.starts_with(&windows)));
    for step in ["files", "krew"] {
        let output = dist.command(step).env("CI", "true").output().expect("the script can be run");
        assert!(!output.status.success() && errors(&output).contains("windows-amd64"), "{step}: {}", errors(&output));
    }
}

fn files_are_the_same_each_time() {
    let dists = [Dist::new(), Dist::new()];
    dists.iter().for_each(|dist| dist.build("files chart krew checksums"));
    let [first, second] = dists.each_ref().map(Dist::checksums);
    assert_eq!(first, second);
}

fn only_the_tag_of_the_version_is_released() {
    let dist = Dist::new();
    dist.build("check");
    let check = |tag: &str| {
        let mut script = dist.command("check");
        let output = script.env("GITHUB_REF_TYPE", "tag").env("GITHUB_REF_NAME", tag).output();
        let output = output.expect("the script can be run");
        (output.status.success(), errors(&output))
    };
    let other = format!("the tag is v9.9.9, and the version in Cargo.toml is {VERSION}; tag v{VERSION}\n");
    assert_eq!(check("v9.9.9"), (false, other));
    let changelog = read("CHANGELOG.md");
    let heading = changelog.lines().find(|line| line.starts_with("## ")).expect("the newest section is first");
    let expected = match heading.ends_with(", unreleased") {
        true => (false, format!("CHANGELOG.md calls {VERSION} unreleased; write the date there before the tag\n")),
        false => (true, String::new()),
    };
    assert_eq!(check(&format!("v{VERSION}")), expected);
}

fn notes_are_the_section_of_the_changelog() {
    let dist = Dist::new();
    dist.build("notes");
    let notes = fs::read_to_string(dist.0.join("release-notes.md")).expect("there are notes");
    let page = format!("](https://github.com/Example/portcullis/blob/v{VERSION}/");
    let changelog = read("CHANGELOG.md");
    let section = changelog.split("\n## ").find(|section| section.starts_with(&format!("{VERSION}, ")));
    let (_, section) = section.expect("there is a section").split_once('\n').expect("below its heading");
    assert!(notes.contains(&page), "a link on the page of a release has its whole address");
    assert_eq!(notes.replace(&page, "](").trim(), section.trim());
}

fn release_rejects_a_program_that_denies_nothing() {
    let run = |program: &Path| {
        let output = process_guard().command(root().join("release/try.sh")).arg(program).output();
        let output = output.expect("the script can be run");
        (output.status.success(), errors(&output))
    };
    assert_eq!(run(Path::new(env!("CARGO_BIN_EXE_portcullis"))), (true, String::new()));
    let file = process_guard().folder("program").join("portcullis");
    for (script, fault) in
        [("exit 0", "does not deny demo/another-teams-path.yaml"), ("exit 1", "does not accept examples/cluster")]
    {
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).expect("the folder is writable");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("the file is ours");
        let (success, errors) = run(&file);
        assert!(!success && errors.contains(fault), "{script}: {errors}");
    }
}

/// `cargo publish` builds a package without the rest of the repository.
fn packages_contain_what_their_sources_include() {
    let include = Regex::new(r#"include_(?:str|bytes)!\(\s*"([^"]+)""#).expect("the pattern is valid");
    for (package, folder) in [("portcullis-core", "crates/portcullis-core"), ("portcullis", ".")] {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["package", "--list", "--allow-dirty", "--offline", "--package", package]).current_dir(root());
        let output = must_succeed(&mut cargo);
        let packed: BTreeSet<PathBuf> = String::from_utf8_lossy(&output.stdout).lines().map(PathBuf::from).collect();
        for name in ["LICENSE", "Cargo.lock"] {
            assert!(packed.contains(Path::new(name)), "{package} has no {name}");
        }
        let mut included = 0;
        for source in packed.iter().filter(|file| file.extension().is_some_and(|kind| kind == "rs")) {
            let text = read(&format!("{folder}/{}", source.display()));
            // Unit tests are not built.
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            for found in include.captures_iter(code) {
                let file = normal(&source.parent().expect("a source is in a folder").join(&found[1]));
                assert!(packed.contains(&file), "{package}: {} includes {}", source.display(), file.display());
                included += 1;
            }
        }
        assert!(included > 0, "{package} includes something");
    }
}

/// The path without `..`, as far as it leads out of folders that it has entered.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path {
        if part == ".." && normal.file_name().is_some_and(|last| last != "..") {
            normal.pop();
        } else {
            normal.push(part);
        }
    }
    normal
}

const IMAGE: &str = concat!("ghcr.io/example/portcullis:", env!("CARGO_PKG_VERSION"));

fn the_chart_has_the_image_of_the_registry() {
    let dist = Dist::new();
    dist.build("chart");
    let chart = dist.file(&format!("portcullis-chart-{VERSION}.tgz"));
    let ours = format!("\"portcullis:{VERSION}\"");
    for helm in Helm::ALL {
        let template = helm.command("template portcullis --kube-version 1.30 --namespace portcullis");
        let released = template.arg(&chart).run().accepted().stdout;
        let from_sources = helm.template("portcullis", &[]).accepted().stdout;
        assert!(from_sources.contains(&ours), "the chart of the sources has an image without a registry");
        assert_eq!(released, from_sources.replace(&ours, &format!("\"{IMAGE}\"")), "{helm:?}");
    }
}

fn install_yaml_is_the_base() {
    let dist = Dist::new();
    let programs = assets().unwrap_or_else(|lack| panic!("{lack}")).display();
    let path = format!("{programs}:{}", std::env::var("PATH").expect("there is a PATH"));
    must_succeed(dist.command("manifests").env("PATH", path));
    let written = fs::read_to_string(dist.file("install.yaml")).expect("there is a manifest");
    let base = kustomize(&root().join("manifests")).accepted().stdout;
    let ours = format!("image: portcullis:{VERSION}\n");
    assert!(base.contains(&ours), "the base has an image without a registry");
    assert_eq!(written, base.replace(&ours, &format!("image: {IMAGE}\n")));
    let starter = fs::read_to_string(dist.file("starter.yaml")).expect("there is a configuration");
    assert_eq!(starter, fs::read_to_string(root().join("examples/starter.yaml")).expect("it is in the repository"));
}
