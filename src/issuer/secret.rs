//! The Secret that holds the authorities.
//!
//! It is created by server-side apply, which a Role limited to one name allows where it does not allow a plain create. Each
//! replica applies as a field manager of its own, so that of two replicas that create it at once the second meets a
//! conflict. Every later change names the resourceVersion that it replaces.

use std::collections::BTreeMap;

use aws_lc_rs::rand;
use jiff::Timestamp;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{Api, Patch, PatchParams, PostParams};
use serde_json::json;

use super::authority::{certificate_pem, key_pem, parse, parse_certificates};
use super::rotation::{Authorities, Authority, Previous};
use crate::request::{FIELD_MANAGER, RequestError, request};

const CURRENT: [&str; 2] = ["ca.crt", "ca.key"];
const NEXT: [&str; 2] = ["next.crt", "next.key"];
const PREVIOUS: [&str; 2] = ["previous.crt", "previous.until"];
/// The type is that of Secrets without a schema of their own.
const TYPE: &str = "Opaque";

type Data = BTreeMap<String, ByteString>;

/// What was read of the Secret.
#[derive(Debug, Clone)]
pub enum Read {
    /// It does not exist, or has no content.
    Absent,
    /// Its content, and the object for a later change.
    Present(Box<Authorities>, Box<Secret>),
    /// Its content cannot be used.
    Unusable(String),
}

/// The Secret by its name.
pub struct SecretStore {
    api: Api<Secret>,
    name: String,
    manager: String,
}

impl SecretStore {
    /// The Secret `name` in the client's own namespace.
    pub fn new(client: kube::Client, name: &str) -> Self {
        // Process ids and times of two replicas may be equal; random numbers are not.
        let mut number = [0; 8];
        rand::fill(&mut number).expect("the source of random bytes is that of all keys");
        let replica: String = number.iter().map(|byte| format!("{byte:02x}")).collect();
        Self {
            api: Api::default_namespaced(client),
            name: name.to_owned(),
            manager: format!("{FIELD_MANAGER}-{replica}"),
        }
    }

    /// The Secret as it is now.
    pub async fn read(&self) -> Result<Read, RequestError> {
        let Some(secret) = request(self.api.get_opt(&self.name)).await? else { return Ok(Read::Absent) };
        let data = secret.data.as_ref().filter(|data| !data.is_empty());
        Ok(match data.map(decode) {
            None => Read::Absent,
            Some(Ok(authorities)) => Read::Present(Box::new(authorities), Box::new(secret)),
            Some(Err(why)) => Read::Unusable(why),
        })
    }

    /// Creates the Secret. A conflict means that another replica was first.
    pub async fn create(&self, authorities: &Authorities) -> Result<(), RequestError> {
        let secret = json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": self.name}, "type": TYPE, "data": encode(authorities),
        });
        let params = PatchParams::apply(&self.manager);
        request(self.api.patch(&self.name, &params, &Patch::Apply(&secret))).await.map(drop)
    }

    /// Replaces the content that was read as `before`. A conflict means that it has changed since.
    pub async fn replace(&self, before: &Secret, authorities: &Authorities) -> Result<(), RequestError> {
        let mut secret = before.clone();
        let data = secret.data.get_or_insert_default();
        data.retain(|key, _| ![CURRENT, NEXT, PREVIOUS].as_flattened().contains(&key.as_str()));
        data.extend(encode(authorities));
        let params = PostParams { field_manager: Some(FIELD_MANAGER.to_owned()), ..PostParams::default() };
        request(self.api.replace(&self.name, &params, &secret)).await.map(drop)
    }
}

fn encode(Authorities { current, next, previous }: &Authorities) -> Data {
    let signing = |keys: [&str; 2], authority: &Authority| {
        let values = [certificate_pem(&authority.certificate.der), key_pem(&authority.key)];
        keys.map(str::to_owned).into_iter().zip(values.map(bytes))
    };
    let next = next.iter().flat_map(|next| signing(NEXT, next));
    let mut data: Data = signing(CURRENT, current).chain(next).collect();
    if !previous.is_empty() {
        let certificates = previous.iter().map(|previous| certificate_pem(&previous.certificate.der)).collect();
        let until = previous.iter().map(|previous| previous.until.to_string()).collect::<Vec<_>>().join("\n");
        data.extend(PREVIOUS.map(str::to_owned).into_iter().zip([certificates, until].map(bytes)));
    }
    data
}

/// The authorities in the Secret's data. The error names the key that is wrong.
fn decode(data: &Data) -> Result<Authorities, String> {
    let get = |key: &str| data.get(key).map(|value| value.0.as_slice());
    let required = |key: &str| get(key).ok_or_else(|| format!("{key} is missing"));
    let signing = |[certificate, key]: [&str; 2]| {
        parse(required(certificate)?, required(key)?).map_err(|why| format!("{certificate} and {key}: {why}"))
    };
    let trusted = |[certificate, until]: [&str; 2]| {
        let certificates = parse_certificates(required(certificate)?).map_err(|why| format!("{certificate}: {why}"))?;
        let times = String::from_utf8_lossy(required(until)?);
        let times = times.split_whitespace().map(str::parse::<Timestamp>).collect::<Result<Vec<_>, _>>();
        let times = times.map_err(|error| format!("{until}: not a time ({error})"))?;
        if certificates.len() != times.len() {
            return Err(format!("{certificate} and {until}: must have the same number of entries"));
        }
        let previous = certificates.into_iter().zip(times);
        Ok(previous.map(|(certificate, until)| Previous { certificate, until }).collect())
    };
    Ok(Authorities {
        current: signing(CURRENT)?,
        next: get(NEXT[0]).map(|_| signing(NEXT)).transpose()?,
        previous: get(PREVIOUS[0]).map(|_| trusted(PREVIOUS)).transpose()?.unwrap_or_default(),
    })
}

fn bytes(text: String) -> ByteString {
    ByteString(text.into_bytes())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::issuer::authority::generate;

    #[test]
    fn encoded_authorities_can_be_decoded() -> Result<(), Box<dyn std::error::Error>> {
        let (now, year) = (Timestamp::from_second(1_800_000_000)?, Duration::from_secs(31_536_000));
        let mut authorities = Authorities::of(generate(now, year)?);
        for count in 0..3 {
            let read = decode(&encode(&authorities))?;
            assert_eq!(read, authorities, "{count} previous authorities");
            let Authority { certificate, .. } = generate(now, year)?;
            authorities.previous.push(Previous { certificate, until: now + Duration::from_secs(60 + count) });
        }
        let mut data = encode(&authorities);
        data.insert(PREVIOUS[1].to_owned(), bytes(now.to_string()));
        let error = decode(&data).err();
        assert_eq!(error.as_deref(), Some("previous.crt and previous.until: must have the same number of entries"));
        Ok(())
    }
}
