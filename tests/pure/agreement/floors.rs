//! The floors of ARCHITECTURE.md, held against what the rooms name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use portcullis_testing::repository::{read, root};

/// The sources of the two crates.
pub const SOURCES: [&str; 2] = ["src", "crates/portcullis-core/src"];

/// Two rooms of one floor may not use each other either, by whatever way.
#[test]
fn each_room_uses_those_below_it() {
    let sources: Vec<PathBuf> = SOURCES.iter().flat_map(|folder| sources(&root().join(folder))).collect();
    let rooms: BTreeSet<String> = sources.iter().map(|file| room(file)).filter(|room| room != "lib").collect();
    let floors = floors(&rooms);
    let mut beside: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in sources.iter().filter(|file| room(file) != "lib") {
        let own = room(file);
        for used in used(file).into_iter().filter(|used| *used != own) {
            let below = *floors.get(&used).unwrap_or_else(|| panic!("{}: {used} is no room", file.display()));
            assert!(floors[&own] <= below, "{} uses {used}, which is above it", file.display());
            if floors[&own] == below {
                beside.entry(own.clone()).or_default().insert(used);
            }
        }
    }
    // Whoever uses nobody beside it goes, until nobody is left.
    while let Some(last) = beside.values().flatten().find(|used| !beside.contains_key(*used)).cloned() {
        beside.retain(|_, used| {
            used.remove(&last);
            !used.is_empty()
        });
    }
    assert!(beside.is_empty(), "these use each other: {beside:?}");
}

/// The floor of each room, counted from the top.
fn floors(rooms: &BTreeSet<String>) -> BTreeMap<String, usize> {
    let map = read("ARCHITECTURE.md");
    let drawn = map.split("```").nth(1).expect("the floors are drawn first").lines().enumerate();
    let on = |(floor, line): (usize, &str)| -> Vec<(String, usize)> {
        line.split_whitespace().filter(|word| rooms.contains(*word)).map(|room| (room.to_owned(), floor)).collect()
    };
    let floors: Vec<(String, usize)> = drawn.flat_map(on).collect();
    let named: BTreeSet<String> = floors.iter().map(|(room, _)| room.clone()).collect();
    assert_eq!(*rooms, named, "ARCHITECTURE.md draws each room");
    assert_eq!(named.len(), floors.len(), "and draws it once: {floors:?}");
    floors.into_iter().collect()
}

/// All sources below `folder`.
pub fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder can be read").map(|entry| entry.expect("so can its entries"));
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) =
        entries.map(|entry| entry.path()).partition(|path| path.is_dir());
    let below = folders.iter().flat_map(|folder| sources(folder));
    files.into_iter().filter(|file| file.extension().is_some_and(|kind| kind == "rs")).chain(below).collect()
}

/// The room that a source belongs to.
fn room(file: &Path) -> String {
    let inside = SOURCES.iter().find_map(|folder| file.strip_prefix(root().join(folder)).ok());
    let inside = inside.expect("it was found in one of them");
    let first = inside.iter().next().expect("a file has a name").to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// The rooms that a source names outside of its comments and its own tests.
fn used(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).expect("a source can be read");
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let paths = code.flat_map(|line| {
        let in_core = line.split("portcullis_core::").skip(1);
        line.split("crate::").skip(1).chain(in_core)
    });
    let each = paths.flat_map(|rest| match rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
        Some((several, _)) => several.split(',').map(str::trim).collect::<Vec<_>>(),
        None => vec![rest],
    });
    let first = |path: &str| path.chars().take_while(|next| next.is_alphanumeric() || *next == '_').collect();
    each.map(first).collect()
}
