//! Compares the layers in ARCHITECTURE.md with the dependencies between modules.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use portcullis_testing::repository::{read, root};

/// The source folders of the two crates.
pub const SOURCES: [&str; 2] = ["src", "crates/portcullis-core/src"];

/// A module uses only modules in layers below it. Modules in the same layer must not depend on each other in a cycle,
/// directly or indirectly.
#[test]
fn each_module_uses_only_layers_below_it() {
    let sources: Vec<PathBuf> = SOURCES.iter().flat_map(|folder| sources(&root().join(folder))).collect();
    let modules: BTreeSet<String> = sources.iter().map(|file| module(file)).filter(|module| module != "lib").collect();
    let layers = layers(&modules);
    let mut beside: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in sources.iter().filter(|file| module(file) != "lib") {
        let own = module(file);
        for used in used(file).into_iter().filter(|used| *used != own) {
            let below = *layers.get(&used).unwrap_or_else(|| panic!("{}: {used} is not a module", file.display()));
            assert!(layers[&own] <= below, "{} uses {used}, which is above it", file.display());
            if layers[&own] == below {
                beside.entry(own.clone()).or_default().insert(used);
            }
        }
    }
    // Repeatedly remove a module that uses no other module of its layer. What remains is in a cycle.
    while let Some(last) = beside.values().flatten().find(|used| !beside.contains_key(*used)).cloned() {
        beside.retain(|_, used| {
            used.remove(&last);
            !used.is_empty()
        });
    }
    assert!(beside.is_empty(), "these use each other: {beside:?}");
}

/// The layer of each module, counted from the top.
fn layers(modules: &BTreeSet<String>) -> BTreeMap<String, usize> {
    let page = read("ARCHITECTURE.md");
    let (_, map) = page.split_once("\n## The map\n").expect("ARCHITECTURE.md has the section");
    let drawn = map.split("```").nth(1).expect("the layers are drawn in its first block").lines().enumerate();
    let on = |(layer, line): (usize, &str)| -> Vec<(String, usize)> {
        line.split_whitespace()
            .filter(|word| modules.contains(*word))
            .map(|module| (module.to_owned(), layer))
            .collect()
    };
    let layers: Vec<(String, usize)> = drawn.flat_map(on).collect();
    let named: BTreeSet<String> = layers.iter().map(|(module, _)| module.clone()).collect();
    assert_eq!(*modules, named, "ARCHITECTURE.md draws each module");
    assert_eq!(named.len(), layers.len(), "and draws it once: {layers:?}");
    layers.into_iter().collect()
}

/// All source files below `folder`, without those that contain only unit tests.
pub fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder can be read").map(|entry| entry.expect("so can its entries"));
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) =
        entries.map(|entry| entry.path()).partition(|path| path.is_dir());
    let below = folders.iter().flat_map(|folder| sources(folder));
    let is_source = |file: &PathBuf| file.extension().is_some_and(|kind| kind == "rs") && !file.ends_with("tests.rs");
    files.into_iter().filter(is_source).chain(below).collect()
}

/// The module that a source file belongs to.
fn module(file: &Path) -> String {
    let inside = SOURCES.iter().find_map(|folder| file.strip_prefix(root().join(folder)).ok());
    let inside = inside.expect("it was found in one of them");
    let first = inside.iter().next().expect("a file has a name").to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// The modules that a source file uses outside its comments and unit tests.
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
