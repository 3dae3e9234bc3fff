//! kubectl as a trial says it: `cp.kubectl("get ingress shop").acting_as("jane").run()`.

use super::control_plane::{ControlPlane, program};
use std::fmt;
use std::io::Write;
use std::process::{Command, ExitStatus, Stdio};

impl ControlPlane {
    /// kubectl as the admin, with these words, split at white space.
    pub fn kubectl(&self, words: &str) -> Kubectl {
        let mut command = program("kubectl");
        command.env("KUBECONFIG", self.kubeconfig()).args(words.split_whitespace());
        Kubectl { command, stdin: String::new() }
    }

    /// `kubectl apply` of these manifests.
    pub fn apply(&self, manifests: &str) -> Said {
        self.kubectl("apply -f -").stdin(manifests).run()
    }

    /// `kubectl delete` of what is named, such as `ingressclass/nginx`.
    pub fn delete(&self, what: &str) -> Said {
        self.kubectl(&format!("delete {what}")).run()
    }
}

/// A kubectl command that has not run yet.
pub struct Kubectl {
    command: Command,
    stdin: String,
}

impl Kubectl {
    /// One more argument, as it stands.
    pub fn arg(mut self, arg: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    /// What kubectl reads from `-f -`.
    pub fn stdin(mut self, text: &str) -> Self {
        self.stdin = text.to_owned();
        self
    }

    /// Acts as this user, such as `system:serviceaccount:NAMESPACE:NAME`.
    pub fn acting_as(self, user: &str) -> Self {
        self.arg(format!("--as={user}"))
    }

    /// Acts as a member of this group too; needs a user.
    pub fn in_group(self, group: &str) -> Self {
        self.arg(format!("--as-group={group}"))
    }

    /// Runs it to its end.
    pub fn run(mut self) -> Said {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap_or_else(|why| panic!("{:?}: {why}", self.command));
        let mut stdin = child.stdin.take().expect("its input is piped");
        // kubectl may end without reading: then what it says is the answer, not the broken pipe.
        let _ = stdin.write_all(self.stdin.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().expect("a child of ours can be waited for");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("kubectl speaks UTF-8");
        Said { status: output.status, stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// How a kubectl command ended and what it printed.
#[derive(Debug, Clone)]
pub struct Said {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Said {
    /// Whether kubectl ended with 0.
    pub fn succeeded(&self) -> bool {
        self.status.success()
    }

    /// Itself, if kubectl ended with 0.
    #[track_caller]
    pub fn accepted(self) -> Self {
        assert!(self.succeeded(), "refused, but should be accepted\n{self}");
        self
    }

    /// Itself, if kubectl failed with these words among those on stderr.
    #[track_caller]
    pub fn refused_with(self, words: &str) -> Self {
        assert!(!self.succeeded(), "accepted, but should be refused with: {words}\n{self}");
        assert!(self.stderr.contains(words), "refused, but not with: {words}\n{self}");
        self
    }

    /// What stands in a terminal after this command: the command, then warnings and refusals, then the rest.
    pub fn in_terminal(&self, command: &str) -> String {
        format!("$ kubectl {command}\n{}{}", self.stderr, self.stdout)
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kubectl ended with {}\n{}{}", self.status, self.stdout, self.stderr)
    }
}
