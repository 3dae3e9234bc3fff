//! What can be wrong with certificates, in words that say what to do.

use std::io;
use std::path::PathBuf;

/// A certificate, a key or an authority that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file that should be there cannot be read.
    #[error("{path} cannot be read ({source}): name a readable PEM file", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file of the development authority cannot be written.
    #[error("{path} cannot be written ({source}): name a directory that can", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The certificate file holds no whole PEM certificate.
    #[error("{path} is not a chain of PEM certificates ({why})", path = path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// What its reader says.
        why: String,
    },
    /// The key file holds no whole PEM key.
    #[error("{path} is not a private key in PEM ({why})", path = path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// What its reader says.
        why: String,
    },
    /// The file of the authorities for clients holds no whole PEM certificate.
    #[error("{path} is not a list of PEM certificates of authorities ({why})", path = path.display())]
    ClientAuthority {
        /// The file.
        path: PathBuf,
        /// What its reader says.
        why: String,
    },
    /// Key and certificate cannot serve together.
    #[error("the key {key} cannot serve the certificate {certificate} ({source}): they must be of one pair",
        key = key.display(), certificate = certificate.display())]
    Mismatch {
        /// The certificate's file.
        certificate: PathBuf,
        /// The key's file.
        key: PathBuf,
        /// What rustls says.
        source: rustls::Error,
    },
    /// There is a development authority, and it is not to be used.
    #[error("the authority in {dir} is not usable ({why}): repair ca.crt and ca.key, or remove both for a new authority",
        dir = dir.display())]
    Authority {
        /// Its directory.
        dir: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A name that no certificate can carry.
    #[error("{name:?} is not a DNS name or an IP address")]
    Name {
        /// The name.
        name: String,
    },
    /// A certificate could not be made.
    #[error("the certificate cannot be issued ({0})")]
    Issue(#[from] rcgen::Error),
}
