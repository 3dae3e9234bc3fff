//! Fingerprints, by which other tools recognize a finding in a later report.

use super::ObjectFindings;
use crate::finding::Finding;
use crate::kinds::ObjectRef;

/// The basis and the prime of the 64-bit FNV-1a hash. Unlike the hashes of the standard library, it never changes.
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// The fingerprint of each finding of an object, in their order: a hash of check, object, address without list indexes,
/// value and other object, and the number of the finding among those with the same hash. Neither moved lines nor a
/// changed order of a list changes it.
pub(super) fn fingerprints(entry: &ObjectFindings) -> Vec<String> {
    let mut seen: Vec<u64> = Vec::new();
    let of = |finding: &Finding| {
        let hash = hash(&entry.object, finding);
        seen.push(hash);
        let number = seen.iter().filter(|other| **other == hash).count();
        format!("{hash:016x}:{number}")
    };
    entry.findings.iter().map(|finding| &finding.evaluated.finding).map(of).collect()
}

/// The fingerprint of something other than a finding: a hash of these texts.
pub(super) fn fingerprint_of_texts(texts: &[&str]) -> String {
    format!("{:016x}", hash_of_texts(texts))
}

fn hash(object: &ObjectRef, finding: &Finding) -> u64 {
    let (own, at) = (reference(object), finding.at.without_indexes().text());
    let other = finding.other.as_ref().map(reference).unwrap_or_default();
    let texts = [finding.check, &own, &at, &finding.value, &other];
    hash_of_texts(&texts)
}

fn hash_of_texts(texts: &[&str]) -> u64 {
    // No byte of UTF-8 is 0xff, so the texts cannot run into each other.
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0xff]));
    bytes.fold(BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

/// `Kind/namespace/name` with the group of the kind; the namespace is empty for cluster-scoped kinds.
pub(super) fn reference(object: &ObjectRef) -> String {
    let api = object.kind.api();
    format!("{}.{}/{}/{}", api.kind, api.group, object.namespace, object.name)
}
