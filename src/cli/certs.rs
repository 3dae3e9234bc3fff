//! `portcullis certs`: creates a development CA and a serving certificate as files.

use std::path::PathBuf;

use clap::Args;

use super::print_text;
use crate::tls::authority;

/// Create a development CA and a serving certificate, or reuse existing ones.
#[derive(Debug, Args)]
pub struct CertsArgs {
    /// The folder of the certificates; created if missing.
    #[arg(long, value_name = "DIR", default_value = "certs")]
    out: PathBuf,
    /// An additional DNS name or IP address of the server, besides `localhost`; may be repeated.
    #[arg(long = "name", value_name = "NAME")]
    names: Vec<String>,
    /// Also create a client certificate with this common name, for an API server that must present one (--client-ca of
    /// serve).
    #[arg(long, value_name = "NAME")]
    client: Option<String>,
}

impl CertsArgs {
    /// Creates missing files and prints the paths of all files.
    pub fn run(self) -> anyhow::Result<()> {
        let paths = authority::ensure(&self.out, &self.names)?;
        let lines = [
            ("CA certificate", &paths.ca_certificate),
            ("CA key", &paths.ca_key),
            ("serving certificate", &paths.certificate),
            ("serving key", &paths.key),
        ];
        let mut lines = Vec::from(lines.map(|(what, path)| (what, path.clone())));
        if let Some(name) = &self.client {
            let client = authority::issue_client(&self.out, name)?;
            lines.extend([("client certificate", client.certificate), ("client key", client.key)]);
        }
        let lines: String = lines.iter().map(|(what, path)| format!("{what:<24} {}\n", path.display())).collect();
        print_text(&lines)
    }
}
