//! Two tables that cannot fall behind: the rules that Portcullis set out to judge, and the string fields of the kinds that it judges.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::networking::v1::{Ingress, IngressClass};
use libtest_mimic::{Failed, Trial};
use portcullis_core::checks::registry;
use portcullis_core::config::Theme;
use portcullis_core::defaults;
use portcullis_core::field::{At, FieldPath};
use portcullis_core::kinds::Kind;
use portcullis_core::kinds::decisive::decides;
use schemars::{JsonSchema, schema_for};
use serde_json::Value;

use crate::fields::Shown;
use crate::harness::{Channel, NEWEST, crds, on_gateway_api};

/// Sections of rules, each a rule, the ids that judge it and perhaps a note; in the last section ids and why there is such a check.
const CATALOGUE: &str = include_str!("../catalogue.tsv");

/// Kind, field, `judged` or `ignored`, and by which checks or why.
const FIELDS: &str = include_str!("../fields.tsv");

/// The same of the kinds whose CRDs are ours.
const OUR_FIELDS: &str = include_str!("../fields-delegation.tsv");

/// The CRDs that are ours.
const OUR_CRDS: [&str; 2] = [
    include_str!("../../manifests/crds/ingressroutes.yaml"),
    include_str!("../../manifests/crds/tlscertificatedelegations.yaml"),
];

/// The same of the Gateway API, whose schemas are upstream's CRDs.
const GATEWAY_FIELDS: &str = include_str!("../fields-gateway.tsv");

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("tables::the_catalogue_holds_every_rule_once", the_catalogue_holds_every_rule_once),
        Trial::test("tables::every_rule_is_judged_by_what_exists", every_rule_is_judged_by_what_exists),
        Trial::test("tables::every_check_has_its_place_in_the_catalogue", every_check_has_its_place_in_the_catalogue),
        Trial::test("tables::every_string_field_is_judged_or_ignored", every_string_field_is_judged_or_ignored),
        Trial::test(
            "tables::every_field_of_our_crds_is_judged_or_ignored",
            every_field_of_our_crds_is_judged_or_ignored,
        ),
        on_gateway_api("tables::every_gateway_field_is_judged_or_ignored", every_gateway_field_is_judged_or_ignored),
        Trial::test("tables::every_judged_field_is_judged_by_its_checks", every_judged_field_is_judged_by_its_checks),
        Trial::test("tables::no_check_judges_an_ignored_field", no_check_judges_an_ignored_field),
        Trial::test("tables::tenancy_and_conflicts_hang_on_fields_that_decide", tenancy_hangs_on_fields_that_decide),
    ]
}

fn the_catalogue_holds_every_rule_once() -> Result<(), Failed> {
    let sections = sections();
    let (_, rules) = sections.split_last().expect("the catalogue has sections");
    let titles = CATALOGUE.lines().filter_map(|line| line.strip_prefix("## "));
    let announced = titles.filter_map(|title| title.rsplit_once('(')?.1.strip_suffix(')')?.parse().ok());
    assert_eq!(rules.iter().map(Vec::len).collect::<Vec<_>>(), announced.collect::<Vec<usize>>());
    let names: Vec<_> = rules.iter().flatten().map(|columns| columns[0]).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "a rule stands in two lines");
    Ok(())
}

fn every_rule_is_judged_by_what_exists() -> Result<(), Failed> {
    let known = ids();
    let unknown = |id: &&str| !known.contains(id);
    assert_eq!(mapped().into_iter().filter(unknown).collect::<Vec<_>>(), [""; 0], "no check and no defaulter");
    assert_eq!(ours().into_iter().filter(unknown).collect::<Vec<_>>(), [""; 0], "no check and no defaulter");
    Ok(())
}

fn every_check_has_its_place_in_the_catalogue() -> Result<(), Failed> {
    let (mapped, ours) = (mapped(), ours());
    let placed: BTreeSet<_> = mapped.union(&ours).copied().collect();
    assert_eq!(ids().difference(&placed).collect::<Vec<_>>(), [&""; 0], "these stand in no line");
    assert_eq!(mapped.intersection(&ours).collect::<Vec<_>>(), [&""; 0], "these have a rule and are not ours alone");
    Ok(())
}

fn every_string_field_is_judged_or_ignored() -> Result<(), Failed> {
    let fields = string_fields::<Ingress>("Ingress").chain(string_fields::<IngressClass>("IngressClass"));
    assert_eq!(listed(FIELDS), fields.collect::<Vec<_>>());
    Ok(())
}

fn every_field_of_our_crds_is_judged_or_ignored() -> Result<(), Failed> {
    let fields = OUR_CRDS.into_iter().flat_map(|crd| {
        let crd: Value = serde_saphyr::from_str(crd).expect("a CRD is YAML");
        let (kind, mut fields) =
            (crd["spec"]["names"]["kind"].as_str().expect("a kind has a name").to_owned(), Vec::new());
        for version in crd["spec"]["versions"].as_array().expect("a CRD has versions") {
            let schema = &version["schema"]["openAPIV3Schema"];
            collect(schema, schema, String::new(), &mut fields);
        }
        fields.into_iter().map(move |field| format!("{kind} {field}"))
    });
    assert_eq!(listed(OUR_FIELDS), fields.collect::<Vec<_>>());
    Ok(())
}

fn every_gateway_field_is_judged_or_ignored() {
    let of_a_kind =
        |kind: Kind| gateway_fields(kind).into_iter().map(move |field| format!("{} {field}", kind.api().kind));
    let kinds = Kind::ALL.into_iter().filter(|kind| kind.is_gateway_api());
    assert_eq!(listed(GATEWAY_FIELDS), kinds.flat_map(of_a_kind).collect::<Vec<_>>());
}

/// On the page of each check that a row names stands an example in which just this field makes a difference to what is
/// found, at this address or carried there from one of the same structure.
fn every_judged_field_is_judged_by_its_checks() -> Result<(), Failed> {
    let pages = pages();
    let claims = rows("judged").flat_map(|(kind, field, ids)| ids.split(',').map(move |id| (kind, field, id)));
    let unproved = claims.filter(|(kind, field, id)| {
        let page = pages.get(id).unwrap_or_else(|| panic!("there is no check {id}"));
        !page.hangs_on(kind, field)
    });
    assert_eq!(unproved.collect::<Vec<_>>(), [("", "", ""); 0], "no example of the page hangs on this field");
    Ok(())
}

/// What is said to be ignored is: no example of any page hangs on it.
fn no_check_judges_an_ignored_field() -> Result<(), Failed> {
    let pages = pages();
    let judged = rows("ignored").flat_map(|(kind, field, _)| {
        let judging = pages.iter().filter(move |(_, page)| page.hangs_on(kind, field));
        judging.map(move |(id, _)| (kind, field, *id))
    });
    assert_eq!(judged.collect::<Vec<_>>(), [("", "", ""); 0], "an example of the page hangs on this field");
    Ok(())
}

/// A field by which a check tells whose traffic it is must not be left out of an object unread.
fn tenancy_hangs_on_fields_that_decide() -> Result<(), Failed> {
    let is_about_traffic =
        |id: &&str| registry::find(id).is_some_and(|check| matches!(check.theme, Theme::Tenancy | Theme::Conflict));
    let missing = rows("judged").filter(|(kind, field, ids)| {
        let kind = Kind::ALL.into_iter().find(|known| known.api().kind == *kind).expect("a row names a kind of ours");
        let at = FieldPath::from(At::element::<4>(field.trim_end_matches("{}"), [0; 4]));
        ids.split(',').any(|id| is_about_traffic(&id)) && !decides(kind, &at)
    });
    assert_eq!(missing.collect::<Vec<_>>(), [("", "", ""); 0], "these are not among the fields that decide");
    Ok(())
}

/// The page of each check by its id.
fn pages() -> BTreeMap<&'static str, Shown> {
    registry::all().map(|check| (check.id, Shown::on_page_of(check))).collect()
}

/// The ids of all checks and defaulters.
fn ids() -> BTreeSet<&'static str> {
    let defaulters = defaults::registry::ALL.iter().map(|defaulter| defaulter.id);
    registry::all().map(|check| check.id).chain(defaulters).collect()
}

/// The ids that some rule of the catalogue names; `none`, with a note, stands where nobody judges it.
fn mapped() -> BTreeSet<&'static str> {
    let sections = sections();
    let (_, rules) = sections.split_last().expect("the catalogue has sections");
    let ids_of = |columns: &Vec<&'static str>| columns.get(1).expect("a rule names who judges it").split(',');
    let is_judged = |columns: &&Vec<&str>| !matches!(columns[..], [_, "none", _]);
    rules.iter().flatten().filter(is_judged).flat_map(ids_of).collect()
}

/// The ids beyond the catalogue, each with a reason.
fn ours() -> BTreeSet<&'static str> {
    let sections = sections();
    let ours = sections.last().expect("the catalogue has sections");
    assert!(ours.iter().all(|columns| columns.len() == 2), "an id beyond the catalogue has a reason");
    ours.iter().map(|columns| columns[0]).collect()
}

/// The lines under each `##`, in columns.
fn sections() -> Vec<Vec<Vec<&'static str>>> {
    CATALOGUE
        .split("\n## ")
        .skip(1)
        .map(|section| lines(section.split_once('\n').map_or("", |(_, rest)| rest)).collect())
        .collect()
}

/// The lines of a table that are not comments, in columns.
fn lines(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split('\t').collect())
}

/// The rows of all tables of fields with this verdict: kind, field, and by which checks or why.
fn rows(verdict: &'static str) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let rows = [FIELDS, GATEWAY_FIELDS, OUR_FIELDS].into_iter().flat_map(lines);
    rows.filter(move |columns| columns[2] == verdict).map(|columns| (columns[0], columns[1], columns[3]))
}

/// The kind and field of each row of a table of fields.
fn listed(table: &'static str) -> Vec<String> {
    let listed = lines(table).map(|columns| match columns[..] {
        [kind, field, "judged" | "ignored", why] if !why.is_empty() => format!("{kind} {field}"),
        _ => panic!("a line is kind, field, judged or ignored, and why: {columns:?}"),
    });
    listed.collect()
}

/// Every field of `kind` that holds text in any version that the newest bundle serves, in order of name.
fn gateway_fields(kind: Kind) -> BTreeSet<String> {
    let (api, crds) = (kind.api(), crds(NEWEST, Channel::Experimental));
    let is_it = |crd: &&Value| crd["spec"]["group"] == api.group && crd["spec"]["names"]["kind"] == api.kind;
    let crd = crds.iter().find(is_it).unwrap_or_else(|| panic!("the bundle has a CRD of {kind}"));
    let served = crd["spec"]["versions"].as_array().into_iter().flatten().filter(|version| version["served"] == true);
    let mut fields = Vec::new();
    for version in served {
        let schema = &version["schema"]["openAPIV3Schema"];
        collect(schema, schema, String::new(), &mut fields);
    }
    fields.into_iter().collect()
}

/// Every field of `T` that holds text, as `kind field`, in the order of its JSON schema.
fn string_fields<T: JsonSchema>(kind: &'static str) -> impl Iterator<Item = String> {
    let schema = schema_for!(T).to_value();
    let mut fields = Vec::new();
    collect(&schema, &schema, String::new(), &mut fields);
    fields.into_iter().map(move |field| format!("{kind} {field}"))
}

/// Walks from `schema`, which stands at `field`, down to every text.
fn collect(root: &Value, schema: &Value, field: String, fields: &mut Vec<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let referred = root.pointer(reference.trim_start_matches('#')).expect("a schema refers to what it defines");
        return collect(root, referred, field, fields);
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let dot = if field.is_empty() { "" } else { "." };
        collect(root, property, format!("{field}{dot}{name}"), fields);
    }
    match schema["type"].as_str() {
        Some("string") => fields.push(field),
        Some("array") => collect(root, &schema["items"], format!("{field}[]"), fields),
        Some("object") if schema["additionalProperties"].is_object() => {
            collect(root, &schema["additionalProperties"], format!("{field}{{}}"), fields);
        }
        _ => {}
    }
}
