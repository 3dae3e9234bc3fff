//! Compares the table of the Gateway API's fields with the upstream CRDs.

use std::collections::BTreeSet;

use libtest_mimic::Trial;
use portcullis_core::kinds::Kind;
use portcullis_testing::field_tables::{GATEWAY_FIELDS, listed, text_fields};
use serde_json::Value;

use crate::harness::{Channel, NEWEST, crds, on_gateway_api};

pub fn trials() -> Vec<Trial> {
    vec![on_gateway_api("tables::every_gateway_field_is_checked_or_ignored", every_gateway_field_is_checked_or_ignored)]
}

fn every_gateway_field_is_checked_or_ignored() {
    let of_a_kind =
        |kind: Kind| gateway_fields(kind).into_iter().map(move |field| format!("{} {field}", kind.api().kind));
    let kinds = Kind::ALL.into_iter().filter(|kind| kind.is_gateway_api());
    assert_eq!(listed(GATEWAY_FIELDS), kinds.flat_map(of_a_kind).collect::<Vec<_>>());
}

/// All text fields of `kind` in all versions that the newest bundle serves, ordered by name.
fn gateway_fields(kind: Kind) -> BTreeSet<String> {
    let (api, crds) = (kind.api(), crds(NEWEST, Channel::Experimental));
    let is_it = |crd: &&Value| crd["spec"]["group"] == api.group && crd["spec"]["names"]["kind"] == api.kind;
    let crd = crds.iter().find(is_it).unwrap_or_else(|| panic!("the bundle has a CRD of {kind}"));
    let served = crd["spec"]["versions"].as_array().into_iter().flatten().filter(|version| version["served"] == true);
    served.flat_map(|version| text_fields(&version["schema"]["openAPIV3Schema"])).collect()
}
