//! The version is the same wherever it is written, the workflow runs scripts that exist, and a tag alone lets it push.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;

use portcullis_testing::repository::{files, read, root};
use regex::Regex;
use serde_json::{Value, json};

use super::documents;

const WORKFLOW: &str = ".github/workflows/release.yaml";

#[test]
fn every_file_has_the_current_version() {
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    let chart = &documents("charts/portcullis/Chart.yaml")[0];
    assert_eq!([&chart["version"], &chart["appVersion"]], [VERSION; 2], "charts/portcullis/Chart.yaml");
    let base = &documents("manifests/kustomization.yaml")[0];
    assert_eq!(base["images"], json!([{"name": "portcullis", "newTag": VERSION}]), "manifests/kustomization.yaml");
    let label = &base["labels"][1]["pairs"]["app.kubernetes.io/version"];
    assert_eq!(label, VERSION, "the label in manifests/kustomization.yaml");
    let exactly = format!("portcullis-core = {{ version = \"={VERSION}\", path = ");
    assert!(read("Cargo.toml").contains(&exactly), "the program needs the core of its own version: {exactly}");
    assert!(read("CHANGELOG.md").contains(&format!("\n## {VERSION}, ")), "CHANGELOG.md has no section about {VERSION}");
}

/// A package contains nothing outside its folder, and neither does a chart.
#[test]
fn copies_of_crds_are_current() {
    for folder in ["crates/portcullis-core/src/kinds/schema", "charts/portcullis/files/crds"] {
        for crd in ["ingressroutes.yaml", "tlscertificatedelegations.yaml"] {
            let (copy, original) = (format!("{folder}/{crd}"), format!("manifests/crds/{crd}"));
            assert!(read(&copy) == read(&original), "{copy} is not {original}: run `just docs`");
        }
    }
    let claims = "manifests/components/host-claims/hostclaims.yaml";
    let copies = [
        ("crates/portcullis-core/src/kinds/schema/hostclaims.yaml", claims),
        ("charts/portcullis/files/hostclaims.yaml", claims),
        ("charts/portcullis/files/hostgrants.yaml", "manifests/components/host-claims/hostgrants.yaml"),
        ("charts/portcullis/files/host-claims-rbac.yaml", "manifests/components/host-claims/rbac.yaml"),
        ("charts/portcullis/files/hostrequests.yaml", "manifests/components/host-requests/hostrequests.yaml"),
        ("charts/portcullis/files/host-requests-rbac.yaml", "manifests/components/host-requests/rbac.yaml"),
    ];
    for (copy, original) in copies {
        assert!(read(copy) == read(original), "{copy} is not {original}: run `just docs`");
    }
}

/// The jobs of the workflow.
fn jobs() -> Vec<(String, Value)> {
    let workflow = documents(WORKFLOW).remove(0);
    let jobs = workflow["jobs"].as_object().expect("the workflow has jobs").clone();
    jobs.into_iter().collect()
}

fn steps(job: &Value) -> &[Value] {
    job["steps"].as_array().expect("a job has steps")
}

/// Without a limit, a job that hangs runs for six hours.
#[test]
fn each_job_has_a_time_limit() {
    for (name, job) in jobs() {
        let minutes = job["timeout-minutes"].as_u64();
        assert!(minutes.is_some_and(|minutes| minutes <= 90), "job {name}: set `timeout-minutes` to at most 90");
    }
}

/// The platforms that need a machine of their own.
fn native_platforms() -> Vec<String> {
    let (_, job) = jobs().into_iter().find(|(name, _)| name == "native").expect("there is such a job");
    let machines = job["strategy"]["matrix"]["include"].as_array().expect("it runs on several machines");
    machines.iter().map(|machine| machine["platform"].as_str().expect("a machine has a platform").to_owned()).collect()
}

#[test]
fn each_command_of_the_workflow_exists() {
    for (name, job) in jobs() {
        for command in steps(&job).iter().filter_map(|step| step["run"].as_str()) {
            const PLATFORM: &str = "${{ matrix.platform }}";
            let lines = match command.contains(PLATFORM) {
                true => native_platforms().iter().map(|platform| command.replace(PLATFORM, platform)).collect(),
                false => vec![command.to_owned()],
            };
            for line in lines {
                assert!(!line.contains("${{"), "job {name}: {line}: a variable reaches a script by `env`");
                must_exist(&name, line.strip_prefix("sudo ").unwrap_or(&line));
            }
        }
    }
}

/// The command is a script of the repository, and its arguments are steps that the script knows.
fn must_exist(job: &str, command: &str) {
    let (script, arguments) = command.split_once(' ').unwrap_or((command, ""));
    let path = root().join(script);
    let mode = path.metadata().map(|found| found.permissions().mode()).unwrap_or_default();
    assert!(path.is_file() && mode & 0o111 != 0, "job {job}: {script} is not a script of the repository");
    let text = read(script);
    for argument in arguments.split_whitespace() {
        let begins = |line: &str, end: &str| line.strip_prefix(argument).is_some_and(|rest| rest.starts_with(end));
        let is_known = text.lines().any(|line| begins(line, "() {") || begins(line, ")"));
        assert!(is_known, "job {job}: {script} has no step {argument}");
    }
}

#[test]
fn only_a_tag_pushes() {
    let workflow = &documents(WORKFLOW)[0];
    assert_eq!(workflow["permissions"], json!({"contents": "read"}));
    assert_eq!(workflow["on"], json!({"push": {"tags": ["v*"]}, "workflow_dispatch": null}));
    for (name, job) in jobs() {
        let pushes = |step: &Value| step["run"].as_str().is_some_and(|command| command.contains("release/push.sh"));
        let may_write = !job["permissions"].is_null();
        assert_eq!(steps(&job).iter().any(pushes), may_write, "job {name}: what pushes may write, and nothing else");
        let is_of_tag = job["if"] == "github.ref_type == 'tag'";
        assert_eq!(is_of_tag, may_write, "job {name}: what may write runs for a tag only");
    }
}

/// A tag of an action may be moved; its commit cannot.
#[test]
fn actions_are_pinned_to_a_commit() {
    let pinned = Regex::new(r"uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$").expect("the pattern is valid");
    for file in files(".github/workflows") {
        let text = read(&file);
        let mut used = text.lines().filter(|line| line.contains("uses:")).peekable();
        assert!(used.peek().is_some(), "{file} uses no action");
        let tag = used.find(|line| !pinned.is_match(line));
        assert_eq!(tag, None, "{file}: name the commit of an action, and its version behind it");
    }
}

#[test]
fn each_platform_is_built_packed_and_offered_to_kubectl() {
    let script = read("release/build.sh");
    let packed = script.lines().find_map(|line| line.strip_prefix("platforms=(")?.strip_suffix(')'));
    let packed: BTreeSet<&str> = packed.expect("release/build.sh lists the platforms").split(' ').collect();
    let native = native_platforms();
    let built = ["linux-amd64", "linux-arm64"].into_iter().chain(native.iter().map(String::as_str)).collect();
    assert_eq!(packed, built, "release/build.sh and {WORKFLOW} differ");
    let plugin = &documents("release/krew.yaml")[0];
    let offered = plugin["spec"]["platforms"].as_array().expect("the plugin has platforms").iter().map(|platform| {
        let labels = &platform["selector"]["matchLabels"];
        format!("{}-{}", labels["os"].as_str().unwrap_or_default(), labels["arch"].as_str().unwrap_or_default())
    });
    let offered: BTreeSet<String> = offered.collect();
    assert_eq!(packed, offered.iter().map(String::as_str).collect(), "release/build.sh and release/krew.yaml differ");
}
