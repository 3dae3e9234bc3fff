//! Extracts the facts about a Secret: its type, the names on its certificate, and whether its key and its CA
//! certificate are usable.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustls::crypto::aws_lc_rs::sign::any_supported_type;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use serde::Deserialize;
use serde_json::Value;

use super::certificate::{dns_names, public_key};
use portcullis_core::cluster::secret_facts::OPAQUE;
use portcullis_core::cluster::{DataEntry, SecretFacts};
use portcullis_core::kinds::Secret;

/// The facts about the Secret in `document`. If it cannot be decoded, only its type is known.
pub fn secret_facts(document: &Value) -> SecretFacts {
    match <Secret<'_> as Deserialize>::deserialize(document) {
        Ok(secret) => SecretFacts {
            kind: kind(secret.kind.as_deref()),
            certificate: held(&secret, "tls.crt", dns_names),
            key: held(&secret, "tls.key", |pem| {
                let key = any_supported_type(&PrivateKeyDer::from_pem_slice(pem).ok()?).ok()?;
                let own = key.public_key()?;
                let certified = held(&secret, "tls.crt", public_key);
                (!matches!(certified, DataEntry::Read(certified) if certified != *own)).then_some(())
            }),
            authority: held(&secret, "ca.crt", |pem| dns_names(pem).map(drop)),
        },
        Err(_) => SecretFacts {
            kind: kind(document["type"].as_str()),
            certificate: DataEntry::Unreadable,
            key: DataEntry::Unreadable,
            authority: DataEntry::Unreadable,
        },
    }
}

fn kind(written: Option<&str>) -> Box<str> {
    written.filter(|kind| !kind.is_empty()).unwrap_or(OPAQUE).into()
}

/// The entry `key` of the Secret, as `read` understands its bytes. `stringData` takes precedence over `data`.
fn held<T>(secret: &Secret<'_>, key: &str, read: impl Fn(&[u8]) -> Option<T>) -> DataEntry<T> {
    let bytes = match (secret.string_data.get(key), secret.data.get(key)) {
        (Some(text), _) => Ok(text.as_bytes().to_owned()),
        (None, Some(encoded)) => STANDARD.decode(encoded.split_ascii_whitespace().collect::<String>()),
        (None, None) => return DataEntry::Missing,
    };
    bytes.ok().and_then(|bytes| read(&bytes)).map_or(DataEntry::Unreadable, DataEntry::Read)
}
