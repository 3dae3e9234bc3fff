//! Two tables that are kept complete by tests: the rules that Portcullis covers, and the text fields of the reviewed
//! kinds.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::networking::v1::{Ingress, IngressClass};
use portcullis_core::checks::registry;
use portcullis_core::config::Theme;
use portcullis_core::defaults;
use portcullis_core::field::{At, FieldPath};
use portcullis_core::kinds::Kind;
use portcullis_core::kinds::decisive::decides;
use portcullis_testing::field_tables::{FIELDS, GATEWAY_FIELDS, OUR_FIELDS, lines, listed, text_fields};
use schemars::{JsonSchema, schema_for};
use serde_json::Value;

use crate::fields::Shown;

/// Sections with one rule per line: the rule, the ids that cover it, and perhaps a note. The last section has ids
/// without a rule, each with the reason for the check.
const CATALOGUE: &str = include_str!("../catalogue.tsv");

/// The CRDs that are defined in this repository.
const OUR_CRDS: [&str; 2] = [
    include_str!("../../manifests/crds/ingressroutes.yaml"),
    include_str!("../../manifests/crds/tlscertificatedelegations.yaml"),
];

#[test]
fn the_catalogue_holds_every_rule_once() {
    let sections = sections();
    let (_, rules) = sections.split_last().expect("the catalogue has sections");
    let titles = CATALOGUE.lines().filter_map(|line| line.strip_prefix("## "));
    let announced = titles.filter_map(|title| title.rsplit_once('(')?.1.strip_suffix(')')?.parse().ok());
    assert_eq!(rules.iter().map(Vec::len).collect::<Vec<_>>(), announced.collect::<Vec<usize>>());
    let names: Vec<_> = rules.iter().flatten().map(|columns| columns[0]).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "a rule is in two lines");
}

#[test]
fn every_rule_names_existing_checks() {
    let known = ids();
    let unknown = |id: &&str| !known.contains(id);
    assert_eq!(mapped().into_iter().filter(unknown).collect::<Vec<_>>(), [""; 0], "no check and no defaulter");
    assert_eq!(ours().into_iter().filter(unknown).collect::<Vec<_>>(), [""; 0], "no check and no defaulter");
}

#[test]
fn every_check_is_in_the_catalogue() {
    let (mapped, ours) = (mapped(), ours());
    let placed: BTreeSet<_> = mapped.union(&ours).copied().collect();
    assert_eq!(ids().difference(&placed).collect::<Vec<_>>(), [&""; 0], "these are in no line");
    assert_eq!(mapped.intersection(&ours).collect::<Vec<_>>(), [&""; 0], "these have a rule and are not ours alone");
}

#[test]
fn every_string_field_is_checked_or_ignored() {
    let fields = string_fields::<Ingress>("Ingress").chain(string_fields::<IngressClass>("IngressClass"));
    assert_eq!(listed(FIELDS), fields.collect::<Vec<_>>());
}

#[test]
fn every_field_of_our_crds_is_checked_or_ignored() {
    let fields = OUR_CRDS.into_iter().flat_map(|crd| {
        let crd: Value = serde_saphyr::from_str(crd).expect("a CRD is YAML");
        let (kind, mut fields) =
            (crd["spec"]["names"]["kind"].as_str().expect("a kind has a name").to_owned(), Vec::new());
        for version in crd["spec"]["versions"].as_array().expect("a CRD has versions") {
            fields.extend(text_fields(&version["schema"]["openAPIV3Schema"]));
        }
        fields.into_iter().map(move |field| format!("{kind} {field}"))
    });
    assert_eq!(listed(OUR_FIELDS), fields.collect::<Vec<_>>());
}

/// The page of each check in a row has an example whose findings depend on only this field, at this address or at
/// another one with the same structure.
#[test]
fn every_checked_field_affects_its_checks() {
    let pages = pages();
    let claims = rows("judged").flat_map(|(kind, field, ids)| ids.split(',').map(move |id| (kind, field, id)));
    let unproved = claims.filter(|(kind, field, id)| {
        let page = pages.get(id).unwrap_or_else(|| panic!("there is no check {id}"));
        !page.depends_on(kind, field)
    });
    assert_eq!(unproved.collect::<Vec<_>>(), [("", "", ""); 0], "no example of the page depends on this field");
}

/// No example of any page depends on an ignored field.
#[test]
fn ignored_fields_affect_no_check() {
    let pages = pages();
    let affected = rows("ignored").flat_map(|(kind, field, _)| {
        let affecting = pages.iter().filter(move |(_, page)| page.depends_on(kind, field));
        affecting.map(move |(id, _)| (kind, field, *id))
    });
    assert_eq!(affected.collect::<Vec<_>>(), [("", "", ""); 0], "an example of the page depends on this field");
}

/// A field that decides about tenancy or conflicts is a decisive field, which must not be skipped if it is unreadable.
#[test]
fn tenancy_and_conflict_fields_are_decisive() {
    let is_about_traffic =
        |id: &&str| registry::find(id).is_some_and(|check| matches!(check.theme, Theme::Tenancy | Theme::Conflict));
    let missing = rows("judged").filter(|(kind, field, ids)| {
        let kind = Kind::ALL.into_iter().find(|known| known.api().kind == *kind).expect("a row names a kind of ours");
        let at = FieldPath::from(At::element::<4>(field.trim_end_matches("{}"), [0; 4]));
        ids.split(',').any(|id| is_about_traffic(&id)) && !decides(kind, &at)
    });
    assert_eq!(missing.collect::<Vec<_>>(), [("", "", ""); 0], "these are not among the fields that decide");
}

/// The examples on the page of each check, by id.
fn pages() -> BTreeMap<&'static str, Shown> {
    registry::all().map(|check| (check.id, Shown::on_page_of(check))).collect()
}

/// The ids of all checks and defaulters.
fn ids() -> BTreeSet<&'static str> {
    let defaulters = defaults::registry::ALL.iter().map(|defaulter| defaulter.id);
    registry::all().map(|check| check.id).chain(defaulters).collect()
}

/// The ids that cover some rule of the catalog. Rules with `none` and a note have no check.
fn mapped() -> BTreeSet<&'static str> {
    let sections = sections();
    let (_, rules) = sections.split_last().expect("the catalogue has sections");
    let ids_of = |columns: &Vec<&'static str>| columns.get(1).expect("a rule names its checks").split(',');
    let is_validated = |columns: &&Vec<&str>| !matches!(columns[..], [_, "none", _]);
    rules.iter().flatten().filter(is_validated).flat_map(ids_of).collect()
}

/// The ids without a rule in the catalog, each with a reason.
fn ours() -> BTreeSet<&'static str> {
    let sections = sections();
    let ours = sections.last().expect("the catalogue has sections");
    assert!(ours.iter().all(|columns| columns.len() == 2), "an id beyond the catalogue has a reason");
    ours.iter().map(|columns| columns[0]).collect()
}

/// The lines of each section, split into columns.
fn sections() -> Vec<Vec<Vec<&'static str>>> {
    CATALOGUE
        .split("\n## ")
        .skip(1)
        .map(|section| lines(section.split_once('\n').map_or("", |(_, rest)| rest)).collect())
        .collect()
}

/// The rows with this verdict in all tables of fields: the kind, the field, and the checks or the reason.
fn rows(verdict: &'static str) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let rows = [FIELDS, GATEWAY_FIELDS, OUR_FIELDS].into_iter().flat_map(lines);
    rows.filter(move |columns| columns[2] == verdict).map(|columns| (columns[0], columns[1], columns[3]))
}

/// Every text field of `T` as `kind field`, in the order of its JSON schema.
fn string_fields<T: JsonSchema>(kind: &'static str) -> impl Iterator<Item = String> {
    let schema = schema_for!(T).to_value();
    text_fields(&schema).into_iter().map(move |field| format!("{kind} {field}"))
}
