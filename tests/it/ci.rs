//! The end-to-end step of CI may be skipped, but only where a prerequisite is missing.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;
use portcullis_testing::repository::root;

use crate::harness::process_guard;

pub fn trials() -> Vec<Trial> {
    vec![Trial::test("ci::only_a_missing_prerequisite_skips_the_end_to_end_steps", || {
        only_a_missing_prerequisite_skips();
        Ok(())
    })]
}

/// A checkout that has the two scripts under test; everything that they call is replaced by a script of one line.
struct Checkout(PathBuf);

/// The scripts under test.
const OURS: [&str; 2] = [".ci/end-to-end", "tests/end-to-end.sh"];
/// What they read.
const READ: [&str; 2] = ["tests/it/harness/gateway_api.rs", "tests/it/harness/contour.rs"];
/// What they call of the system.
const SYSTEM: [&str; 6] = ["bash", "dirname", "mkdir", "rm", "sed", "xargs"];

impl Checkout {
    /// `cluster` and `image` are the scripts of the node and of the image.
    fn new(cluster: &str, image: &str) -> Self {
        let checkout = Self(process_guard().folder("checkout"));
        for path in OURS {
            fs::create_dir_all(checkout.parent(path)).expect("the folder is writable");
            fs::copy(root().join(path), checkout.0.join(path)).expect("the script is in the repository");
        }
        READ.into_iter().for_each(|path| checkout.write(path, ""));
        checkout.write("tests/node/cluster.sh", cluster);
        checkout.write("image/build.sh", image);
        for (path, script) in [(".ci/packages", ""), ("tests/helm/build.sh", ""), ("bin/go", "")] {
            checkout.write(path, script);
        }
        checkout.write("bin/cargo", "");
        for program in SYSTEM {
            let found = ["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(program));
            let found = found.into_iter().find(|path| path.exists()).expect("a Unix has it");
            symlink(found, checkout.0.join("bin").join(program)).expect("the folder is writable");
        }
        checkout
    }

    fn parent(&self, path: &str) -> PathBuf {
        self.0.join(path).parent().expect("a path below the folder").to_owned()
    }

    fn write(&self, path: &str, script: &str) {
        fs::create_dir_all(self.parent(path)).expect("the folder is writable");
        let path = self.0.join(path);
        fs::write(&path, format!("#!/bin/bash\n{script}\n")).expect("the folder is writable");
        fs::set_permissions(path, Permissions::from_mode(0o755)).expect("the file is ours");
    }

    /// The exit code of the step, and whether it says that nothing was run.
    fn run(&self, is_required: bool) -> (Option<i32>, bool) {
        let mut command = process_guard().command(self.0.join(OURS[0]));
        command.env("PATH", self.0.join("bin"));
        if is_required {
            command.env("REQUIRE_END_TO_END", "1");
        }
        let output = command.output().expect("the script can be run");
        let error = String::from_utf8(output.stderr).expect("it prints UTF-8");
        (output.status.code(), error.lines().any(|line| line.starts_with("end to end: NOT RUN (")))
    }
}

fn only_a_missing_prerequisite_skips() {
    let on = |verb: &str, code: i32| format!("if [[ $1 == {verb} ]]; then exit {code}; fi");
    for (cluster, image, expected) in [
        (String::new(), String::new(), (Some(0), false)),
        (on("check", 3), String::new(), (Some(0), true)),
        (String::new(), on("--check", 3), (Some(0), true)),
        (on("check", 1), String::new(), (Some(1), false)),
        // Such as a node that does not start.
        (on("up", 3), String::new(), (Some(1), false)),
        (on("run", 3), String::new(), (Some(1), false)),
        (String::new(), on("--profile", 3), (Some(1), false)),
    ] {
        let checkout = Checkout::new(&cluster, &image);
        assert_eq!(checkout.run(false), expected, "cluster: `{cluster}`, image: `{image}`");
        let required = if expected.1 { Some(1) } else { expected.0 };
        assert_eq!(checkout.run(true), (required, expected.1), "required; cluster: `{cluster}`, image: `{image}`");
    }
    let node = fs::read_to_string(root().join("tests/node/cluster.sh")).expect("the script is in the repository");
    assert!(!node.contains("exit 3"), "tests/node/cluster.sh ends with this code by tests/prerequisites.sh only");
}
