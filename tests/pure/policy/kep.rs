//! Compares the page about the profile `kep-758` with the checks and defaulters that it names.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use portcullis_core::checks::registry;
use portcullis_core::defaults;
use portcullis_core::kinds::Kind;

/// The path of the page in the repository.
const PAGE: &str = "docs/kep-758.md";

/// The cells of each row below the head of the table.
fn rows() -> Vec<Vec<String>> {
    let page = fs::read_to_string(root().join(PAGE)).expect("the page is there");
    let lines = page.lines().filter(|line| line.starts_with("| ")).skip(1);
    lines.map(|line| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A check or defaulter in a cell: its id, its link and the word after the link.
struct Named {
    id: String,
    link: String,
    word: String,
}

fn named(cell: &str) -> Vec<Named> {
    let named = |part: &str| {
        let part = part.strip_prefix("[`")?;
        let (id, rest) = part.split_once("`](")?;
        let (link, word) = rest.split_once(") ")?;
        Some(Named { id: id.to_owned(), link: link.to_owned(), word: word.to_owned() })
    };
    match cell {
        "no check" => Vec::new(),
        cell => {
            cell.split("; ").map(|part| named(part).unwrap_or_else(|| panic!("no link and word: {part}"))).collect()
        }
    }
}

/// The expected word for each check and defaulter.
fn words() -> BTreeMap<&'static str, String> {
    let checks = registry::all().map(|check| (check.id, check.actions.kep_758.to_string()));
    let word = |enabled: bool| if enabled { "on" } else { "opt-in" }.to_owned();
    let defaulters = defaults::registry::ALL.iter().map(|defaulter| (defaulter.id, word(defaulter.enabled)));
    checks.chain(defaulters).collect()
}

#[test]
fn kep_page_matches_the_profile() {
    let words = words();
    for row in rows() {
        for Named { id, word, .. } in named(&row[4]) {
            assert_eq!(words.get(id.as_str()), Some(&word), "row {}: {id}", row[0]);
        }
    }
}

#[test]
fn the_kep_page_has_eighteen_rows() {
    let rows = rows();
    let numbers: Vec<_> = rows.iter().map(|row| row[0].clone()).collect();
    assert_eq!(numbers, (1..=18).map(|number| number.to_string()).collect::<Vec<_>>());
    for row in &rows {
        assert_eq!(row.len(), 6, "{row:?}");
        let places = ["live", "`/mutate`", "offline", "not reached: "];
        assert!(
            places.iter().any(|object_ref| row[5].starts_with(object_ref)),
            "row {} says nowhere where: {}",
            row[0],
            row[5]
        );
        for Named { id, link, .. } in named(&row[4]) {
            let file = root().join(PAGE).with_file_name(&link);
            let page = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{link}: {error}"));
            assert!(page.starts_with(&format!("# `{id}`\n")), "{link} is not the page of {id}");
        }
    }
}

/// The page explains every difference between the profile and `baseline`.
#[test]
fn kep_page_names_every_difference() {
    let named: Vec<_> = rows().iter().flat_map(|row| named(&row[4])).map(|named| named.id).collect();
    let differs = registry::all().filter(|check| check.actions.kep_758 != check.actions.baseline);
    let silent: Vec<_> = differs.map(|check| check.id).filter(|id| !named.iter().any(|named| named == id)).collect();
    assert_eq!(silent, [""; 0]);
    let defaulters = defaults::registry::ALL.iter().filter(|defaulter| defaulter.fill.is_for(Kind::Ingress));
    let silent: Vec<_> =
        defaulters.map(|defaulter| defaulter.id).filter(|id| !named.iter().any(|named| named == id)).collect();
    assert_eq!(silent, [""; 0]);
}
