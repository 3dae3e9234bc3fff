//! What the certificates of every authority have in common: that of development, and those that the issuer rotates.

use std::ops::Range;
use std::time::{Duration, SystemTime};

use rcgen::{BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, KeyUsagePurpose};

/// Certificates are valid this long before they are issued, for clients whose clock is behind.
pub const CLOCK_SKEW: Duration = Duration::from_secs(60 * 60);

/// The certificate of an authority, which signs no other authority. `life` is from when it is issued until it expires.
pub fn authority_params(name: &str, life: Range<SystemTime>) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    with_name_and_life(params, name, life)
}

/// A certificate with these alternative names that an authority signs for this usage. `life` is from when it is issued until it
/// expires.
pub fn leaf_params(
    alternative_names: Vec<String>,
    name: &str,
    usage: ExtendedKeyUsagePurpose,
    life: Range<SystemTime>,
) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(alternative_names)?;
    params.extended_key_usages = vec![usage];
    params.use_authority_key_identifier_extension = true;
    Ok(with_name_and_life(params, name, life))
}

fn with_name_and_life(mut params: CertificateParams, name: &str, life: Range<SystemTime>) -> CertificateParams {
    params.distinguished_name.push(DnType::CommonName, name);
    params.not_before = (life.start - CLOCK_SKEW).into();
    params.not_after = life.end.into();
    params
}
