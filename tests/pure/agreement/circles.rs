//! The modules of a folder do not use each other in a circle, directly or indirectly, so that each can be read without those that use it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use portcullis_testing::repository::root;
use proc_macro2::{Spacing, TokenStream, TokenTree};

use super::layers::{SOURCES, sources};

/// The crates whose sources are in [`SOURCES`].
const CRATES: [&str; 2] = ["portcullis", "portcullis_core"];

/// The circles that are not opened, each with the reason.
const KEPT: [(&str, &str); 4] = [
    ("checks: object registry", "a check compares with the ids of all checks, and is one of them"),
    ("cluster: namespace_entries reservations view", "the view holds what is counted and reserved in it"),
    ("explain: ingress ingress_chain ingress_rules", "a controller has rules of its own, and evaluates them"),
    ("kinds: kind table", "a kind has a row in the table, and each row names its kind"),
];

/// A path from the crate to a module or an item, or a path as it is written.
type Segments = Vec<String>;

/// What a module names: the paths in its code, and the names that `use` gives to some of them.
#[derive(Default)]
struct Module {
    paths: Vec<Segments>,
    names: BTreeMap<String, Segments>,
}

/// If a new circle is found, move what both modules need into a file of its own. If one is opened, remove it from the list.
#[test]
fn modules_use_each_other_in_no_circle() {
    let kept = KEPT.map(|(circle, _)| circle.to_owned()).into();
    assert_eq!(circles(&modules()), kept, "the circles, and those that are kept");
}

/// The modules of both crates.
fn modules() -> BTreeMap<Segments, Module> {
    let mut modules = BTreeMap::new();
    for (folder, name) in SOURCES.map(|folder| root().join(folder)).into_iter().zip(CRATES) {
        for file in sources(&folder) {
            let inside = file.strip_prefix(&folder).expect("it was found there").with_extension("");
            let segments = inside.iter().map(|segment| segment.to_string_lossy().into_owned());
            let path = [name.to_owned()].into_iter().chain(segments.filter(|name| name != "mod" && name != "lib"));
            let text = fs::read_to_string(&file).expect("a source can be read");
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let mut module = Module::default();
            module.collect(code.parse().expect("a source has tokens"));
            modules.insert(path.collect(), module);
        }
    }
    modules
}

impl Module {
    /// Adds the paths in `tokens`.
    fn collect(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut rest = &tokens[..];
        while let [token, after @ ..] = rest {
            if let TokenTree::Group(group) = token {
                self.collect(group.stream());
            }
            rest = match token {
                TokenTree::Ident(word) if word == "use" => self.add(after, &[], true),
                TokenTree::Ident(_) => self.add(rest, &[], false),
                _ => after,
            };
        }
    }

    /// Adds the path, or the tree of paths, at the beginning of `tokens`. Returns the tokens after it.
    fn add<'t>(&mut self, mut tokens: &'t [TokenTree], above: &[String], is_use: bool) -> &'t [TokenTree] {
        let mut path = above.to_vec();
        while let [TokenTree::Ident(word), rest @ ..] = tokens {
            path.push(word.to_string());
            tokens = rest;
            let [TokenTree::Punct(mark), _, below @ ..] = rest else { break };
            if (mark.as_char(), mark.spacing()) != (':', Spacing::Joint) {
                break;
            }
            tokens = below;
        }
        if let (true, [TokenTree::Group(group), rest @ ..]) = (is_use, tokens) {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            for tree in inner.split(|token| token.to_string() == ",") {
                self.add(tree, &path, true);
            }
            return rest;
        }
        path.pop_if(|last| is_use && last == "self");
        if let (true, Some(last)) = (is_use, path.last()) {
            let name = if let [TokenTree::Ident(_), alias, ..] = tokens { alias.to_string() } else { last.clone() };
            self.names.insert(name, path.clone());
        }
        self.paths.push(path);
        tokens
    }
}

/// The module that defines what `from` calls `path`, also if another one exports it; `None` for what is not in the crates.
fn definer(modules: &BTreeMap<Segments, Module>, from: &[String], path: &[String]) -> Option<Segments> {
    let supers = path.iter().take_while(|segment| *segment == "super").count();
    let absolute = match path.first()?.as_str() {
        "crate" => [&from[..1], &path[1..]].concat(),
        "self" => [from, &path[1..]].concat(),
        "super" => [&from[..from.len().checked_sub(supers)?], &path[supers..]].concat(),
        first if CRATES.contains(&first) => path.to_vec(),
        _ if modules.contains_key(&[from, &path[..1]].concat()) => [from, path].concat(),
        _ => return None,
    };
    let length = (1..=absolute.len()).rev().find(|length| modules.contains_key(&absolute[..*length]))?;
    let (module, rest) = absolute.split_at(length);
    let named = rest.first().and_then(|name| modules[module].names.get(name));
    let exported = named.and_then(|path| definer(modules, module, &[path, &rest[1..]].concat()));
    exported.or_else(|| Some(module.to_vec()))
}

/// The circles of modules of one folder; what a module is made of belongs to it.
fn circles(modules: &BTreeMap<Segments, Module>) -> BTreeSet<String> {
    let mut uses: BTreeMap<Segments, BTreeSet<Segments>> = BTreeMap::new();
    for (from, module) in modules {
        for to in module.paths.iter().filter_map(|path| definer(modules, from, path)) {
            let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
            if common > 0 && common < from.len().min(to.len()) {
                uses.entry(from[..=common].to_vec()).or_default().insert(to[..=common].to_vec());
            }
        }
    }
    let names = |circle: BTreeSet<&Segments>| {
        let names: Vec<&str> = circle.iter().filter_map(|module| Some(module.last()?.as_str())).collect();
        let [_, folder @ .., _] = circle.first()?.as_slice() else { return None };
        Some(format!("{}: {}", folder.join("::"), names.join(" ")))
    };
    let is_back = |used: &Segments, module: &Segments| reached(used, &uses).contains(module);
    let circle = |module| reached(module, &uses).into_iter().filter(|used| is_back(used, module)).collect();
    uses.keys().map(circle).filter_map(names).collect()
}

/// The modules of the folder that `from` uses, directly or indirectly.
fn reached<'u>(from: &'u Segments, uses: &'u BTreeMap<Segments, BTreeSet<Segments>>) -> BTreeSet<&'u Segments> {
    let (mut reached, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(module) = next.pop() {
        next.extend(uses.get(module).into_iter().flatten().filter(|used| reached.insert(*used)));
    }
    reached
}
