//! Errors of certificates, with messages that say what to do.

use std::io;
use std::path::PathBuf;

/// Why a certificate, a key or a CA cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A required file cannot be read.
    #[error("{path} cannot be read ({why}): name a readable PEM file", path = path.display())]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// The error of the read.
        why: io::Error,
    },
    /// A file of the development CA cannot be written.
    #[error("{path} cannot be written ({why}): name a directory that can", path = path.display())]
    Write {
        /// The path of the file.
        path: PathBuf,
        /// The error of the write.
        why: io::Error,
    },
    /// The certificate file contains no valid PEM certificate.
    #[error("{path} is not a chain of PEM certificates ({why})", path = path.display())]
    Certificate {
        /// The path of the file.
        path: PathBuf,
        /// The message of the parser.
        why: String,
    },
    /// The key file contains no valid PEM key.
    #[error("{path} is not a private key in PEM ({why})", path = path.display())]
    Key {
        /// The path of the file.
        path: PathBuf,
        /// The message of the parser.
        why: String,
    },
    /// The file of the client CAs contains no valid PEM certificate.
    #[error("{path} is not a list of PEM certificates of authorities ({why})", path = path.display())]
    ClientAuthority {
        /// The path of the file.
        path: PathBuf,
        /// The message of the parser.
        why: String,
    },
    /// The key does not belong to the certificate.
    #[error("the key {key} does not belong to the certificate {certificate}: use both files of one pair",
        key = key.display(), certificate = certificate.display())]
    Mismatch {
        /// The path of the certificate.
        certificate: PathBuf,
        /// The path of the key.
        key: PathBuf,
    },
    /// The key, or the certificate, is of a form that cannot be served.
    #[error("the certificate {certificate} cannot be served with the key {key} ({why})",
        key = key.display(), certificate = certificate.display())]
    Unsupported {
        /// The path of the certificate.
        certificate: PathBuf,
        /// The path of the key.
        key: PathBuf,
        /// The error of rustls.
        why: rustls::Error,
    },
    /// The development CA exists, but cannot be used.
    #[error("the authority in {dir} is not usable ({why}): repair ca.crt and ca.key, or remove both for a new authority",
        dir = dir.display())]
    Authority {
        /// The directory of the CA.
        dir: PathBuf,
        /// The reason.
        why: String,
    },
    /// A name is not valid in a certificate.
    #[error("{name:?} is not a DNS name or an IP address")]
    Name {
        /// The name.
        name: String,
    },
    /// A certificate could not be created.
    #[error("the certificate cannot be issued ({0})")]
    Issue(rcgen::Error),
    /// A certificate was issued, and cannot be served.
    #[error("the issued certificate cannot be used ({0})")]
    Issued(String),
}

// Not `#[from]`, which would make the cause a source, and `{:#}` print it a second time.
impl From<rcgen::Error> for TlsError {
    fn from(error: rcgen::Error) -> Self {
        Self::Issue(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_with_its_sources_names_the_cause_once() {
        let cause = rcgen::Error::KeyGenerationUnavailable;
        let error = anyhow::Error::new(TlsError::from(cause.clone()));
        assert_eq!(format!("{error:#}"), format!("the certificate cannot be issued ({cause})"));
    }
}
