//! The end-to-end steps of CI fail where anything is missing or fails: nothing skips them.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;
use portcullis_testing::repository::root;

use crate::harness::process_guard;

pub fn trials() -> Vec<Trial> {
    vec![Trial::test("ci::nothing_skips_the_end_to_end_steps", || {
        nothing_skips_the_end_to_end_steps();
        Ok(())
    })]
}

/// A checkout that has the scripts under test; everything that they call is replaced by a script of one line.
struct Checkout(PathBuf);

/// The scripts under test.
const OURS: [&str; 3] = [".ci/end-to-end", ".ci/packages", "tests/end-to-end.sh"];
/// What they read.
const READ: [(&str, &str); 2] = [
    ("tests/it/harness/gateway_api.rs", "    (\"1.2.3\", \"h1:x\"),"),
    ("tests/it/harness/contour.rs", "    (\"github.com/x/y\", \"1.2.3\", \"h1:x\"),"),
];
/// What they call.
const CALLED: [&str; 7] = [
    "tests/kind/cluster.sh",
    "image/build.sh",
    "tests/helm/build.sh",
    "bin/apt-get",
    "bin/cargo",
    "bin/docker",
    "bin/go",
];
/// What they call of the system.
const SYSTEM: [&str; 6] = ["bash", "dirname", "mkdir", "rm", "sed", "xargs"];

impl Checkout {
    /// In which each script succeeds, for root.
    fn new() -> Self {
        let checkout = Self(process_guard().folder("checkout"));
        for path in OURS {
            fs::create_dir_all(checkout.parent(path)).expect("the folder is writable");
            fs::copy(root().join(path), checkout.0.join(path)).expect("the script is in the repository");
        }
        CALLED.into_iter().for_each(|path| checkout.write(path, ""));
        READ.into_iter().for_each(|(path, text)| checkout.write(path, text));
        checkout.write("bin/go", "echo '\"Dir\": \"x\"'");
        checkout.write("bin/id", "echo 0");
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

    /// The exit code, and what is printed as errors.
    fn run(&self) -> (Option<i32>, String) {
        let mut command = process_guard().command(self.0.join(OURS[0]));
        let output = command.env("PATH", self.0.join("bin")).output().expect("the script can be run");
        (output.status.code(), String::from_utf8(output.stderr).expect("it prints UTF-8"))
    }
}

fn nothing_skips_the_end_to_end_steps() {
    assert_eq!(Checkout::new().run(), (Some(0), String::new()));
    for (path, arguments) in [
        ("bin/apt-get", "install"),
        ("tests/kind/cluster.sh", "check"),
        ("image/build.sh", "--check"),
        ("image/build.sh", "--profile"),
        ("tests/helm/build.sh", ""),
        ("bin/cargo", "test --no-run"),
        ("bin/go", "mod download"),
        ("tests/kind/cluster.sh", "up"),
        ("tests/kind/cluster.sh", "run tests/registry/push.sh"),
        ("tests/kind/cluster.sh", "run cargo test"),
        ("tests/kind/cluster.sh", "down"),
    ] {
        let checkout = Checkout::new();
        checkout.write(path, &format!("if [[ $* == '{arguments}'* ]]; then echo missing: all >&2; exit 1; fi"));
        let (code, errors) = checkout.run();
        assert_eq!(code, Some(1), "`{path} {arguments}` fails: {errors}");
        assert!(errors.contains("missing: all"), "{errors}");
    }
}
