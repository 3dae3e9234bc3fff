//! Access control of `portcullis serve`: its options and their files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::Args;

use crate::runtime::{Readiness, Supervisor, reload};
use crate::server::{Access, PathTokens};
use crate::tls::ClientAuthority;

/// The options that restrict who may send reviews.
#[derive(Debug, Args)]
pub struct AccessArgs {
    /// Accept only clients with a certificate of a CA in this file (PEM), and answer all others with 403; reloaded when it
    /// changes. Probes and metrics have their own port and need no certificate.
    #[arg(long, value_name = "FILE")]
    client_ca: Option<PathBuf>,
    /// A common name or subject alternative name of an accepted client certificate; may be repeated. Without it, any
    /// client certificate of --client-ca is accepted.
    #[arg(long, value_name = "NAME", requires = "client_ca")]
    client_name: Vec<String>,
    /// Serve only at /validate/TOKEN and /mutate/TOKEN, and answer all other paths with 404. The file has one token per
    /// line, of at least 16 characters, and each of them is accepted; reloaded when it changes. With --client-ca, a
    /// certificate or a token suffices.
    #[arg(long, value_name = "FILE")]
    path_token_file: Option<PathBuf>,
}

impl AccessArgs {
    /// Reads the files, which must be valid now, and reloads them when they change. An invalid new version is ignored.
    pub fn follow(&self, readiness: &Arc<Readiness>, supervisor: &mut Supervisor) -> anyhow::Result<Access> {
        let mut access = Access::default();
        if let Some(file) = &self.client_ca {
            let first = read(file, "--client-ca")?;
            let clients = Arc::new(ClientAuthority::new(file, &first, self.client_name.clone())?);
            access.clients = Some(Arc::clone(&clients));
            let replace = move |pem: &[u8]| clients.replace(pem).map_err(|error| error.to_string());
            let reloading = reload::access(file.clone(), first, "client-ca", replace, Arc::clone(readiness));
            supervisor.spawn("--client-ca reloader", reloading);
        }
        if let Some(file) = &self.path_token_file {
            let first = read(file, "--path-token-file")?;
            let named = || format!("--path-token-file: {} is not usable", file.display());
            let tokens = Arc::new(PathTokens::new(text(&first)).with_context(named)?);
            access.tokens = Some(Arc::clone(&tokens));
            let replace = move |bytes: &[u8]| tokens.replace(text(bytes)).map_err(|error| error.to_string());
            let reloading = reload::access(file.clone(), first, "path-token", replace, Arc::clone(readiness));
            supervisor.spawn("--path-token-file reloader", reloading);
        }
        Ok(access)
    }
}

fn read(file: &Path, option: &str) -> anyhow::Result<Vec<u8>> {
    std::fs::read(file).with_context(|| format!("{option}: {} cannot be read", file.display()))
}

/// The text of a token file. Bytes that are not UTF-8 become an invalid token, which is reported with its line.
fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or("\u{fffd}")
}
