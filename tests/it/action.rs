//! The GitHub action: its steps run as a runner runs them, in a clean folder, with a release that is a local folder.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use libtest_mimic::Trial;
use portcullis_testing::page::blocks;
use portcullis_testing::repository::{read, root};
use serde_json::Value;

use crate::harness::process_guard;

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, test: fn()| {
        Trial::test(format!("action::{name}"), move || {
            test();
            Ok(())
        })
    };
    vec![
        trial("findings_are_annotations_and_a_summary", findings_are_annotations_and_a_summary),
        trial("inputs_reach_the_program_as_they_are", inputs_reach_the_program_as_they_are),
        trial("lines_may_end_as_on_windows", lines_may_end_as_on_windows),
        trial("without_a_path_nothing_is_checked", without_a_path_nothing_is_checked),
        trial("a_long_report_is_left_to_the_log", a_long_report_is_left_to_the_log),
        trial("a_mirror_replaces_the_releases", a_mirror_replaces_the_releases),
        trial("only_a_listed_program_is_installed", only_a_listed_program_is_installed),
        trial("with_cosign_the_list_must_be_signed", with_cosign_the_list_must_be_signed),
        trial("the_guide_describes_each_input", the_guide_describes_each_input),
    ]
}

/// The release that the action installs by default.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The program under test, as a script.
const PROGRAM: &str = concat!("exec '", env!("CARGO_BIN_EXE_portcullis"), "' \"$@\"");

/// A job on a runner: a folder with the workspace, the releases of `https://github.com`, and what the steps write.
struct Job {
    folder: PathBuf,
    os: &'static str,
    arch: &'static str,
    /// The address of GitHub.
    server: String,
    /// The repository of the action; empty for an action of a local path.
    repository: &'static str,
}

/// The exit code of the last step that ran, and what all have printed on standard output.
type Finished = (Option<i32>, String);

impl Job {
    /// With these files in the workspace, and a script as the program of the release.
    fn new(program: &str, files: &[(&str, &str)]) -> Self {
        let folder = process_guard().folder("job");
        let server = format!("file://{}", folder.join("github").display());
        let job = Self { folder, os: "Linux", arch: "X64", server, repository: "team/portcullis" };
        ["temp", "workspace"].iter().for_each(|name| fs::create_dir(job.folder.join(name)).expect("a new folder"));
        files.iter().for_each(|(name, text)| job.write(&format!("workspace/{name}"), text));
        job.publish("github/team/portcullis/releases/download", VERSION, program);
        job
    }

    /// Publishes a script as the program of a release for each platform, with the list of their hashes.
    fn publish(&self, releases: &str, version: &str, program: &str) {
        let release = format!("{releases}/v{version}");
        for platform in ["linux-amd64", "linux-arm64", "darwin-arm64"] {
            let script = format!("#!/bin/sh\n# {platform}\n{program}\n");
            self.write(&format!("{release}/portcullis-{version}-{platform}"), &script);
        }
        let mut shell = process_guard().command("sh");
        shell.args(["-c", "sha256sum portcullis-* >SHA256SUMS"]).current_dir(self.folder.join(release));
        assert!(shell.status().expect("sh runs").success(), "sha256sum fails");
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.folder.join(name);
        fs::create_dir_all(file.parent().expect("a path below the folder")).expect("the folder is writable");
        fs::write(file, text).expect("the folder is writable");
    }

    /// The content of a file; empty without one.
    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap_or_default()
    }

    /// Runs the steps until one fails.
    fn run(&self, inputs: &[(&str, &str)]) -> Finished {
        let action = action();
        let declared = &action["inputs"];
        inputs.iter().for_each(|(name, _)| assert!(declared[name].is_object(), "action.yml has no input `{name}`"));
        let mut printed = String::new();
        for step in action["runs"]["steps"].as_array().expect("the steps are a list") {
            let script = step["run"].as_str().expect("a step is a script");
            assert!(!script.contains("${{"), "the text of an input becomes a part of the script: {script}");
            assert_eq!(step["shell"], "bash");
            let mut bash = process_guard().command("bash");
            bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]);
            bash.current_dir(self.folder.join("workspace")).env("PATH", self.path());
            bash.env("RUNNER_OS", self.os).env("RUNNER_ARCH", self.arch).env("RUNNER_TEMP", self.folder.join("temp"));
            bash.env("GITHUB_SERVER_URL", &self.server);
            bash.env("GITHUB_ACTION_PATH", root()).env("GITHUB_PATH", self.folder.join("path"));
            bash.env("GITHUB_STEP_SUMMARY", self.folder.join("summary"));
            for (name, value) in step["env"].as_object().expect("a step has variables") {
                bash.env(name, self.evaluated(value.as_str().expect("a variable is a text"), declared, inputs));
            }
            let output = bash.output().expect("bash runs");
            printed += &String::from_utf8(output.stdout).expect("text");
            if !output.status.success() {
                return (output.status.code(), printed);
            }
        }
        (Some(0), printed)
    }

    /// The folders that the steps have added, the last one first, before those of the runner.
    fn path(&self) -> String {
        let added = self.read("path");
        let own = std::env::var("PATH").expect("the PATH is set");
        added.lines().rev().chain([&*own]).collect::<Vec<_>>().join(":")
    }

    /// The value of the variable of a step.
    fn evaluated<'v>(&self, text: &str, declared: &'v Value, inputs: &[(&str, &'v str)]) -> &'v str {
        let expression = text.strip_prefix("${{ ").and_then(|rest| rest.strip_suffix(" }}")).expect("an expression");
        if expression == "github.action_repository" {
            return self.repository;
        }
        let name = expression.strip_prefix("inputs.").expect("an input");
        assert!(declared[name].is_object(), "action.yml has no input `{name}`");
        let given = inputs.iter().find(|(given, _)| *given == name).map(|(_, value)| *value);
        given.or_else(|| declared[name]["default"].as_str()).unwrap_or_default()
    }
}

fn action() -> Value {
    serde_saphyr::from_str(&read("action.yml")).expect("action.yml is YAML")
}

/// Two Ingresses that serve one path, of which the second has an unknown field.
fn conflict() -> [(&'static str, &'static str); 2] {
    const SHOP: &str = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {namespace: shop, name: shop}\nspec:\n  \
        ingressClassName: public\n  rules:\n  - host: shop.example.com\n    http:\n      paths:\n      \
        - {path: /cart, pathType: Prefix, backend: {service: {name: cart, port: {number: 80}}}}\n";
    const COPY: &str = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {namespace: team-b, name: copy}\nspec:\n  \
        ingressClas: public\n  ingressClassName: public\n  rules:\n  - host: shop.example.com\n    http:\n      paths:\n      \
        - {path: /cart, pathType: Prefix, backend: {service: {name: cart, port: {number: 80}}}}\n";
    [("teams/a shop.yaml", SHOP), ("teams/copy.yaml", COPY)]
}

fn findings_are_annotations_and_a_summary() {
    let job = Job::new(PROGRAM, &conflict());
    let (code, printed) = job.run(&[]);
    assert_eq!(code, Some(1), "{printed}");
    let annotated: Vec<&str> = printed.lines().filter_map(|line| Some(line.split_once("::Ingress ")?.0)).collect();
    let expected = [
        "::error file=teams/copy.yaml,line=11,col=10,title=host/path-conflict",
        "::warning file=teams/copy.yaml,line=5,col=3,title=object/unknown-field",
    ];
    assert_eq!(annotated, expected, "{printed}");
    let summary = job.read("summary");
    let text = summary.strip_prefix("```text\n").and_then(|text| text.strip_suffix("\n```\n")).expect("one block");
    assert!(text.starts_with("./teams/copy.yaml: Ingress team-b/copy\n"), "{summary}");
    assert!(text.ends_with("\n2 objects, 1 would be denied, 1 warning"), "{summary}");

    let clean = Job::new(PROGRAM, &conflict()[..1]);
    assert_eq!(clean.run(&[]), (Some(0), String::new()));
    assert_eq!(clean.read("summary"), "```text\n1 object, 0 would be denied, 0 warnings\n```\n");
    let warned = Job::new(PROGRAM, &conflict()[1..]);
    assert_eq!((warned.run(&[]).0, warned.run(&[("fail-on", "warn")]).0), (Some(0), Some(1)));
    let nothing = clean.run(&[("config", "missing.yaml")]);
    assert_eq!(nothing, (Some(2), String::new()));
    let unread = Job::new(PROGRAM, &[("a.yaml", "kind: Ingress\nspec: [\n")]);
    assert_eq!(unread.run(&[]).0, Some(3));
}

/// No shell expands an input, and a path never becomes an option.
fn inputs_reach_the_program_as_they_are() {
    let job = Job::new(r#"for word in "$@"; do echo "<$word>"; done"#, &[("a.yaml", "")]);
    let (code, printed) = job.run(&[
        ("paths", "a folder\n*\n\n$(touch made)\n--config=of-a-file-name\n"),
        ("args", "--exclude *\n  --objects .  "),
        ("config", "my config.yaml"),
        ("fail-on", "`touch made`"),
    ]);
    let report = printed.lines().find(|line| line.starts_with("<text=")).expect("a report is written");
    let expected = format!(
        "<lint>\n<--output>\n<github>\n<--output>\n{report}\n<--fail-on>\n<`touch made`>\n<--exclude>\n<*>\n<--objects>\n<.>\n\
         <--config>\n<my config.yaml>\n<-->\n<a folder>\n<*>\n<$(touch made)>\n<--config=of-a-file-name>\n"
    );
    assert_eq!((code, &*printed), (Some(0), &*expected));
    let files = fs::read_dir(job.folder.join("workspace")).expect("the workspace").count();
    assert_eq!(files, 1, "an input was executed");
}

/// A script on Windows may write the list of changed files.
fn lines_may_end_as_on_windows() {
    let job = Job::new(r#"shift 7; for word in "$@"; do echo "<$word>"; done"#, &[]);
    for paths in ["a folder\r\n\r\nb.yaml\r\n", "a folder\r\nb.yaml\r"] {
        let printed = job.run(&[("paths", paths), ("args", "--exclude c.yaml\r\n--objects .\r\n")]);
        let expected = "<--exclude>\n<c.yaml>\n<--objects>\n<.>\n<-->\n<a folder>\n<b.yaml>\n";
        assert_eq!(printed, (Some(0), expected.to_owned()), "{paths:?}");
    }
}

/// A list of changed files may be empty.
fn without_a_path_nothing_is_checked() {
    let job = Job::new("exit 1", &[]);
    let notice = "::notice title=portcullis::no path is given, so nothing is checked\n";
    for paths in ["\n", "\r\n"] {
        assert_eq!(job.run(&[("paths", paths)]), (Some(0), notice.to_owned()));
    }
}

fn a_long_report_is_left_to_the_log() {
    let job = Job::new(r#"head -c 1000001 /dev/zero >"${5#text=}"; exit 1"#, &[]);
    assert_eq!(job.run(&[]), (Some(1), String::new()));
    let summary = "The log of `portcullis lint` has all findings, which are too many for this page.\n";
    assert_eq!(job.read("summary"), summary);
}

fn a_mirror_replaces_the_releases() {
    let mut job = Job::new("exit 1", &[]);
    job.publish("mirror", "1.2.3", "exit 7");
    let mirror = format!("file://{}", job.folder.join("mirror").display());
    for version in ["1.2.3", "v1.2.3"] {
        assert_eq!(job.run(&[("releases", &*mirror), ("version", version)]), (Some(7), String::new()));
    }
    job.repository = "";
    let error = "::error title=portcullis::an action in a local folder has no releases; set the input `releases`\n";
    assert_eq!(job.run(&[]), (Some(1), error.to_owned()));
    assert_eq!(job.run(&[("releases", &*mirror), ("version", "1.2.3")]), (Some(7), String::new()));
}

fn only_a_listed_program_is_installed() {
    let mut job = Job::new("sed -n 2p \"$0\"", &[]);
    assert_eq!(job.run(&[]), (Some(0), "# linux-amd64\n".to_owned()));
    (job.os, job.arch) = ("macOS", "ARM64");
    assert_eq!(job.run(&[]), (Some(0), "# darwin-arm64\n".to_owned()));
    (job.os, job.arch) = ("Linux", "ARM64");
    assert_eq!(job.run(&[]), (Some(0), "# linux-arm64\n".to_owned()));
    let error = |job: &Job, inputs: &[(&str, &str)]| {
        let (code, printed) = job.run(inputs);
        assert_eq!(code, Some(1), "{printed}");
        printed.strip_prefix("::error title=portcullis::").expect("an error").to_owned()
    };
    let releases = job.folder.join("github/team/portcullis/releases/download");
    assert_eq!(
        error(&job, &[("version", "9.9.9")]),
        format!(
            "file://{}/v9.9.9/portcullis-9.9.9-linux-arm64 cannot be downloaded; set the input `version` to a published release\n",
            releases.display()
        )
    );
    let program = format!("portcullis-{VERSION}-linux-arm64");
    let other = format!("{program} is not the file that SHA256SUMS of the release lists\n");
    job.write(&format!("github/team/portcullis/releases/download/v{VERSION}/{program}"), "#!/bin/sh\n");
    assert_eq!(error(&job, &[]), other);
    job.write(&format!("github/team/portcullis/releases/download/v{VERSION}/SHA256SUMS"), "");
    assert_eq!(error(&job, &[]), other);
    (job.os, job.arch) = ("Linux", "X86");
    let missing = "a release has no program for Linux on X86; use a runner with Linux or macOS on X64 or ARM64, or Windows on X64\n";
    assert_eq!(error(&job, &[]), missing);
}

/// The identity is that of the workflow, at the tag of the release.
fn with_cosign_the_list_must_be_signed() {
    const COSIGN: &str = "#!/bin/sh\n[ \"$(cat SHA256SUMS.sigstore.json)\" = right ] && [ \"$*\" = \"verify-blob SHA256SUMS \
        --bundle SHA256SUMS.sigstore.json --certificate-identity \
        https://github.com/team/portcullis/.github/workflows/release.yaml@refs/tags/v1.2.3 \
        --certificate-oidc-issuer https://token.actions.githubusercontent.com\" ]\n";
    let mut job = Job::new("exit 1", &[]);
    job.publish("mirror", "1.2.3", "exit 7");
    let mirror = format!("file://{}", job.folder.join("mirror").display());
    let inputs = [("releases", &*mirror), ("version", "1.2.3")];
    job.write("bin/cosign", COSIGN);
    fs::set_permissions(job.folder.join("bin/cosign"), Permissions::from_mode(0o755)).expect("the file is ours");
    job.write("path", &format!("{}\n", job.folder.join("bin").display()));
    assert_eq!(job.run(&inputs), (Some(7), String::new()), "another server has another issuer");

    job.server = "https://github.com".to_owned();
    let bundle = "SHA256SUMS.sigstore.json";
    let missing =
        format!("{mirror}/v1.2.3/{bundle} cannot be downloaded; set the input `version` to a published release");
    let unsigned = "SHA256SUMS of v1.2.3 is not signed by the release workflow of team/portcullis".to_owned();
    for (signature, fault) in [(None, missing), (Some("wrong"), unsigned)] {
        signature.into_iter().for_each(|signature| job.write(&format!("mirror/v1.2.3/{bundle}"), signature));
        assert_eq!(job.run(&inputs), (Some(1), format!("::error title=portcullis::{fault}\n")));
    }
    job.write(&format!("mirror/v1.2.3/{bundle}"), "right");
    assert_eq!(job.run(&inputs), (Some(7), String::new()));
}

fn the_guide_describes_each_input() {
    let (page, action) = (read("docs/guides/pre-commit.md"), action());
    for (name, input) in action["inputs"].as_object().expect("the inputs are a map") {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{name}` | ")));
        let row = row.unwrap_or_else(|| panic!("the guide does not describe `{name}`"));
        let default = input["default"].as_str().map(|default| format!(" | `{default}` |"));
        assert!(default.is_none_or(|default| row.ends_with(&default)), "the default of `{name}`: {row}");
    }
    let mut count = 0;
    for block in blocks(&page).iter().filter(|block| block.text.contains("uses: OWNER/")) {
        let steps: Vec<Value> = serde_saphyr::from_str(&block.text).expect("a list of steps");
        let address = format!("OWNER/portcullis@v{VERSION}");
        for step in steps.iter().filter(|step| step["uses"] == *address) {
            let inputs = step["with"].as_object().expect("the step has inputs");
            inputs.keys().for_each(|name| assert!(action["inputs"][name].is_object(), "input `{name}` not found"));
            count += 1;
        }
    }
    assert_eq!(count, 2, "the guide has other steps");
}
