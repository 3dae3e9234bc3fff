//! X.509: new authorities, and the certificates that they sign.

use std::ops::Range;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use rcgen::{ExtendedKeyUsagePurpose, Issuer, KeyPair, KeyUsagePurpose, PublicKeyData};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use x509_parser::certificate::X509Certificate;
use x509_parser::parse_x509_certificate;

use super::rotation::{Authority, AuthorityCertificate, Der, Key, Leaf, Lifetime};
use crate::tls::{CLOCK_SKEW, Pair, TlsError, authority_params, leaf_params};

/// A new authority with an ECDSA P-256 key.
pub fn generate(now: Timestamp, length: Duration) -> Result<Authority, TlsError> {
    let (key, life) = (KeyPair::generate()?, Lifetime::new(whole_second(now), length));
    // Two authorities with one name would differ only in their keys, which not every tool compares.
    let name = format!("Portcullis CA {}", now.strftime("%Y-%m-%d %H:%M:%S"));
    let der = authority_params(&name, validity(life)).self_signed(&key)?.der().to_vec();
    Ok(Authority { certificate: AuthorityCertificate { der, life }, key: Key(key.serialize_der()) })
}

/// A serving certificate for these names, with a new key; it does not outlive its authority.
pub fn issue(
    authority: &Authority,
    names: &[String],
    now: Timestamp,
    length: Duration,
) -> Result<(Pair, Leaf), TlsError> {
    let Authority { certificate, key } = authority;
    let mut life = Lifetime::new(whole_second(now), length);
    life.until = life.until.min(certificate.life.until);
    let mut params = leaf_params(names.to_vec(), "portcullis", ExtendedKeyUsagePurpose::ServerAuth, validity(life))?;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    let issuer = Issuer::from_ca_cert_der(&CertificateDer::from(certificate.der.as_slice()), key_pair(key)?)?;
    let own = KeyPair::generate()?;
    let signed = params.signed_by(&own, &issuer)?;
    let private = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(own.serialize_der()));
    let pair = Pair::issued(vec![signed.der().clone()], private)?;
    Ok((pair, Leaf { issuer: certificate.der.clone(), life }))
}

/// The authority in these PEM texts. The error says what is wrong with them.
pub fn parse(certificate: &[u8], key: &[u8]) -> Result<Authority, String> {
    let der = CertificateDer::from_pem_slice(certificate).map_err(no_certificate)?;
    let certificate = authority_certificate(&der)?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| format!("not a private key in PEM ({error})"))?;
    let key = Key(key.secret_der().to_vec());
    let pair = key_pair(&key).map_err(|error| error.to_string())?;
    let parsed = x509(&certificate.der)?;
    if parsed.public_key().subject_public_key.data != pair.der_bytes() {
        return Err("the key does not belong to the certificate".to_owned());
    }
    Ok(Authority { certificate, key })
}

/// The authorities' certificates in this PEM text. The error says what is wrong with it.
pub fn parse_certificates(pem: &[u8]) -> Result<Vec<AuthorityCertificate>, String> {
    let certificates = CertificateDer::pem_slice_iter(pem);
    certificates.map(|certificate| authority_certificate(&certificate.map_err(no_certificate)?)).collect()
}

fn no_certificate(error: impl std::fmt::Display) -> String {
    format!("not a certificate in PEM ({error})")
}

fn authority_certificate(der: &CertificateDer<'_>) -> Result<AuthorityCertificate, String> {
    let parsed = x509(der)?;
    if !parsed.is_ca() {
        return Err("not the certificate of a CA".to_owned());
    }
    let moment = |time: x509_parser::time::ASN1Time| Timestamp::from_second(time.timestamp());
    let validity = parsed.validity();
    let (from, until) = (moment(validity.not_before), moment(validity.not_after));
    let (Ok(from), Ok(until)) = (from.and_then(|from| from.checked_add(CLOCK_SKEW)), until) else {
        return Err("its dates are out of range".to_owned());
    };
    Ok(AuthorityCertificate { der: der.to_vec(), life: Lifetime { from, until } })
}

/// The certificates in the PEM text of a caBundle, without what is not a certificate.
pub fn parse_bundle(pem: &[u8]) -> impl Iterator<Item = Der> {
    CertificateDer::pem_slice_iter(pem).filter_map(Result::ok).map(|certificate| certificate.to_vec())
}

/// A certificate as PEM.
pub fn certificate_pem(der: &Der) -> String {
    pem_text("CERTIFICATE", der)
}

/// A key as PEM.
pub fn key_pem(key: &Key) -> String {
    pem_text("PRIVATE KEY", &key.0)
}

fn pem_text(tag: &str, der: &[u8]) -> String {
    let config = pem::EncodeConfig::new().set_line_ending(pem::LineEnding::LF);
    pem::encode_config(&pem::Pem::new(tag, der), config)
}

/// The moment as X.509 can express it.
fn whole_second(moment: Timestamp) -> Timestamp {
    Timestamp::from_second(moment.as_second()).unwrap_or(moment)
}

fn validity(life: Lifetime) -> Range<SystemTime> {
    life.from.into()..life.until.into()
}

fn key_pair(key: &Key) -> Result<KeyPair, rcgen::Error> {
    KeyPair::try_from(key.0.as_slice())
}

fn x509(der: &[u8]) -> Result<X509Certificate<'_>, String> {
    parse_x509_certificate(der).map(|(_, parsed)| parsed).map_err(|error| format!("not an X.509 certificate ({error})"))
}
