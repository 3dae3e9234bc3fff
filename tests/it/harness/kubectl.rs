//! Runs kubectl: `control_plane.kubectl("get ingress shop").acting_as("jane").run()`.

use super::assets::program;
use super::control_plane::ControlPlane;
use serde_json::Value;
use std::fmt;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

impl ControlPlane {
    /// kubectl as the admin, with these arguments, split at white space.
    pub fn kubectl(&self, words: &str) -> Kubectl {
        let mut command = program("kubectl");
        command.env("KUBECONFIG", self.kubeconfig()).args(words.split_whitespace());
        Kubectl::from(command)
    }

    /// `kubectl apply` of these manifests.
    pub fn apply(&self, manifests: &str) -> KubectlOutput {
        self.kubectl("apply -f -").stdin(manifests).run()
    }

    /// `kubectl delete` of an object, such as `ingressclass/nginx`.
    pub fn delete(&self, what: &str) -> KubectlOutput {
        self.kubectl(&format!("delete {what}")).run()
    }
}

/// `kubectl kustomize` of a folder, without a cluster.
pub fn kustomize(folder: &Path) -> KubectlOutput {
    let mut command = program("kubectl");
    command.arg("kustomize").arg(folder);
    Kubectl::from(command).run()
}

/// A kubectl command that has not run yet.
pub struct Kubectl {
    command: Command,
    stdin: String,
}

impl From<Command> for Kubectl {
    /// Another program that is run like kubectl, such as Helm.
    fn from(command: Command) -> Self {
        Self { command, stdin: String::new() }
    }
}

impl Kubectl {
    /// Adds one argument verbatim.
    pub fn arg(mut self, arg: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    /// Sets the input for `-f -`.
    pub fn stdin(mut self, text: &str) -> Self {
        self.stdin = text.to_owned();
        self
    }

    /// Acts as this user, such as `system:serviceaccount:NAMESPACE:NAME`.
    pub fn acting_as(self, user: &str) -> Self {
        self.arg(format!("--as={user}"))
    }

    /// Acts as a member of this group as well. Requires a user.
    pub fn in_group(self, group: &str) -> Self {
        self.arg(format!("--as-group={group}"))
    }

    /// Runs the command and waits for its end.
    pub fn run(mut self) -> KubectlOutput {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap_or_else(|why| panic!("{:?}: {why}", self.command));
        let mut stdin = child.stdin.take().expect("its input is piped");
        // kubectl may end before it reads its input. Then its output is the result, and the broken pipe is ignored.
        let _ = stdin.write_all(self.stdin.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().expect("a child of ours can be waited for");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("kubectl speaks UTF-8");
        KubectlOutput { status: output.status, stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// The exit status and the output of a kubectl command.
#[derive(Debug, Clone)]
pub struct KubectlOutput {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl KubectlOutput {
    /// Whether the exit code of kubectl was 0.
    pub fn succeeded(&self) -> bool {
        self.status.success()
    }

    /// The exit code.
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Panics unless kubectl succeeded.
    #[track_caller]
    pub fn accepted(self) -> Self {
        assert!(self.succeeded(), "refused, but should be accepted\n{self}");
        self
    }

    /// Panics unless kubectl failed with these words on stderr.
    #[track_caller]
    pub fn refused_with(self, words: &str) -> Self {
        assert!(!self.succeeded(), "accepted, but should be refused with: {words}\n{self}");
        assert!(self.stderr.contains(words), "refused, but not with: {words}\n{self}");
        self
    }

    /// The JSON that kubectl printed, which must have succeeded.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert!(self.succeeded(), "{self}");
        serde_json::from_str(&self.stdout).expect("kubectl prints JSON")
    }

    /// The text in a terminal after this command: the command, then warnings and errors, then the output.
    pub fn in_terminal(&self, command: &str) -> String {
        format!("$ kubectl {command}\n{}{}", self.stderr, self.stdout)
    }
}

impl fmt::Display for KubectlOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kubectl ended with {}\n{}{}", self.status, self.stdout, self.stderr)
    }
}
