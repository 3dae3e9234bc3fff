//! Who may ask `portcullis serve`: options, and the files that they name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::Args;

use crate::runtime::{Readiness, Supervisor, reload};
use crate::server::{Access, PathTokens};
use crate::tls::ClientAuthority;

/// Who may ask for reviews.
#[derive(Debug, Args)]
pub struct AccessArgs {
    /// Answer only clients that present a certificate of the authorities in this file (PEM), and 403 to all others; read
    /// again when it changes. Probes and metrics, on their own port, need none.
    #[arg(long, value_name = "FILE")]
    client_ca: Option<PathBuf>,
    /// A name that the client certificate must have, as its common name or an alternative name; may be given several
    /// times. Without it, any client certificate of --client-ca is accepted.
    #[arg(long, value_name = "NAME", requires = "client_ca")]
    client_name: Vec<String>,
    /// Serve at /validate/TOKEN and /mutate/TOKEN only, and answer 404 elsewhere. The file has one token per line, of at
    /// least 16 letters and digits, and each is accepted; read again when it changes. With --client-ca, a
    /// certificate or a token is enough.
    #[arg(long, value_name = "FILE")]
    path_token_file: Option<PathBuf>,
}

impl AccessArgs {
    /// Reads the files, each of which must be good now, and keeps up with them: a broken successor changes nothing.
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

/// The text of a token file; what is not UTF-8 is no token, and is told by its line.
fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or("\u{fffd}")
}
