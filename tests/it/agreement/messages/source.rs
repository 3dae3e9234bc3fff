//! The texts in the sources, and which check uses which: a check names functions and constants, and those name others.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::Path;

use portcullis_core::checks::registry;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::agreement::floors::sources;

/// Macros whose texts no user sees, and methods that panic.
const SILENT: [&str; 13] = [
    "panic",
    "unreachable",
    "unimplemented",
    "todo",
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "include_str",
    "expect",
    "env",
];

/// Macros that make a text of several.
const JOINING: [&str; 2] = ["concat", "labeled"];

/// Stands for the module of a method, since its type is not known.
const METHOD: &str = ".";

/// A function, a constant or a macro.
struct Definition {
    file: String,
    /// The module that the file is, in the spelling of [`plain`].
    module: String,
    name: String,
    /// Whether it is a constant, which is where checks and rules are declared.
    is_value: bool,
    parts: Vec<Part>,
}

/// What matters of a definition, in its order.
enum Part {
    Text(String),
    /// A name, after the module or type in front of it, as in `module::name`, or [`METHOD`].
    Name(Option<String>, String),
}

impl Definition {
    /// Whether a check may take its messages from here: not from another check, and not from what runs all checks.
    fn may_hold_messages(&self, ids: &HashSet<&str>) -> bool {
        let is_near = FOLDERS.iter().any(|folder| self.file.starts_with(folder));
        let is_declaration = self.name == "ALL" || self.is_value && self.texts().any(|text| ids.contains(text));
        is_near && !MACHINERY.contains(&&*self.file) && !is_declaration
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Name(..) => None,
        })
    }
}

/// Where the messages of checks are written: in the checks and rules themselves, and where findings are made.
const FOLDERS: [&str; 4] = ["checks/", "validation/", "defaults/", "finding/"];

/// What runs all checks and belongs to none of them.
const MACHINERY: [&str; 10] = [
    "checks/enabled.rs",
    "checks/found.rs",
    "checks/judgement.rs",
    "checks/plan.rs",
    "checks/registry.rs",
    "checks/round.rs",
    "checks/run.rs",
    "checks/settings.rs",
    "checks/shared.rs",
    "checks/validate.rs",
];

/// The definitions of a crate.
pub struct Sources {
    all: Vec<Definition>,
    by_name: HashMap<String, Vec<usize>>,
    /// What each file imports, in the spelling of [`plain`].
    imports: HashMap<String, HashSet<String>>,
    ids: HashSet<&'static str>,
    /// What each definition names, once it was asked for.
    used: Vec<OnceCell<Vec<usize>>>,
}

impl Sources {
    /// Those of all files below `folder`.
    pub fn read(folder: &Path) -> Self {
        let mut files = sources(folder);
        // The catalog prints what the documentation has already.
        files.retain(|file| !file.ends_with("tests.rs") && !file.starts_with(folder.join("report/catalog")));
        files.sort();
        let (mut definitions, mut imports) = (Vec::new(), HashMap::new());
        for file in files {
            let name = file.strip_prefix(folder).expect("it was found there").display().to_string();
            let text = fs::read_to_string(&file).expect("a source can be read");
            let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
            imports.insert(name.clone(), imported(tokens.clone()));
            define(&name, tokens, &mut definitions);
        }
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, definition) in definitions.iter().enumerate() {
            by_name.entry(definition.name.clone()).or_default().push(index);
        }
        let ids = registry::all().map(|check| check.id).collect();
        let used = definitions.iter().map(|_| OnceCell::new()).collect();
        Self { all: definitions, by_name, imports, ids, used }
    }

    /// The templates of a check: those behind its declaration, over any number of steps.
    pub fn of_check(&self, id: &str) -> BTreeSet<String> {
        let (mut templates, mut seen, mut next) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
        for definition in self.all.iter().filter(|definition| definition.is_value) {
            let mut is_declared = false;
            for part in &definition.parts {
                match part {
                    Part::Text(text) if self.ids.contains(text.as_str()) => is_declared = text == id,
                    Part::Text(text) if is_declared && is_message(text) => drop(templates.insert(text.clone())),
                    Part::Name(scope, name) if is_declared => {
                        next.extend(self.named(scope.as_deref(), name, definition))
                    }
                    _ => {}
                }
            }
        }
        while let Some(index) = next.pop() {
            if seen.insert(index) {
                let texts = self.all[index].texts().filter(|text| is_message(text));
                templates.extend(texts.map(str::to_owned));
                next.extend(self.used_by(index));
            }
        }
        templates
    }

    /// The definitions that a definition names.
    fn used_by(&self, index: usize) -> &[usize] {
        self.used[index].get_or_init(|| {
            let definition = &self.all[index];
            let names = definition.parts.iter().filter_map(|part| match part {
                Part::Name(scope, name) => Some(self.named(scope.as_deref(), name, definition)),
                Part::Text(_) => None,
            });
            names.flatten().collect::<BTreeSet<usize>>().into_iter().collect()
        })
    }

    /// The definitions that a name in a definition means: those of the module in front of it, of the file itself, or of what the file
    /// imports.
    fn named(&self, scope: Option<&str>, name: &str, user: &Definition) -> Vec<usize> {
        let Some(all) = self.by_name.get(name) else { return Vec::new() };
        let of = |applies: &dyn Fn(&Definition) -> bool| -> Vec<usize> {
            let all = all.iter().copied().filter(|index| self.all[*index].may_hold_messages(&self.ids));
            all.filter(|index| applies(&self.all[*index])).collect()
        };
        let here = of(&|other| other.file == user.file);
        let imports = &self.imports[&user.file];
        let imported = of(&|other| imports.contains(&other.module));
        let first_of = |lists: [Vec<usize>; 2]| lists.into_iter().find(|list| !list.is_empty()).unwrap_or_default();
        match scope {
            Some("Self") => here,
            Some(METHOD) => first_of([here, imported]),
            // Where no module is called so, it is an alias or a type.
            Some(scope) => first_of([of(&|other| plain(scope) == other.module), imported]),
            // A name that a module hands on may be defined in any other.
            None if here.is_empty() && imports.contains(&plain(name)) => first_of([imported, of(&|_| true)]),
            None => here,
        }
    }

    /// The texts that are not among `listed`, by file.
    pub fn beyond(&self, listed: &BTreeSet<String>) -> BTreeMap<&str, Vec<&str>> {
        let mut others: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for definition in &self.all {
            let texts = definition.texts().filter(|text| is_message(text) && !listed.contains(*text));
            for text in texts {
                others.entry(&definition.file).or_default().push(text);
            }
        }
        others.values_mut().for_each(|texts| {
            texts.sort_unstable();
            texts.dedup();
        });
        others
    }
}

/// A name without case and underscores, so that a type is written like the module that defines it.
fn plain(name: &str) -> String {
    name.replace('_', "").to_lowercase()
}

/// The module that a file is, in the spelling of [`plain`].
fn module(file: &str) -> String {
    let path = file.strip_suffix("/mod.rs").or_else(|| file.strip_suffix(".rs")).unwrap_or(file);
    plain(path.rsplit('/').next().unwrap_or(path))
}

/// The names in the `use` items of a file.
fn imported(tokens: TokenStream) -> HashSet<String> {
    let (mut names, mut is_use) = (HashSet::new(), false);
    for token in tokens {
        match token {
            TokenTree::Ident(ident) if ident == "use" => is_use = true,
            TokenTree::Punct(punct) if punct.as_char() == ';' => is_use = false,
            TokenTree::Ident(ident) if is_use => drop(names.insert(plain(&ident.to_string()))),
            TokenTree::Group(group) if is_use => names.extend(idents(group.stream())),
            _ => {}
        }
    }
    names
}

/// All names among `tokens`.
fn idents(tokens: TokenStream) -> Vec<String> {
    let each = |token| match token {
        TokenTree::Ident(ident) => vec![plain(&ident.to_string())],
        TokenTree::Group(group) => idents(group.stream()),
        _ => Vec::new(),
    };
    tokens.into_iter().flat_map(each).collect()
}

/// Whether a text has words, other than names of places.
fn is_message(text: &str) -> bool {
    let words = text.split(['{', '}']).step_by(2).collect::<String>();
    text.contains(' ') && words.chars().any(char::is_alphabetic)
}

/// Collects the definitions among `tokens`, also those inside of modules and implementations.
fn define(file: &str, tokens: TokenStream, definitions: &mut Vec<Definition>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        if is_attribute(&tokens, at) {
            let is_test = tokens[at + 1].to_string().replace(' ', "") == "[cfg(test)]";
            at = if is_test { end(&tokens, at + 2) } else { at + 2 };
            continue;
        }
        match head(&tokens[at..]) {
            Some((name, is_value)) => {
                let end = if is_value { end_of_value(&tokens, at) } else { end(&tokens, at) };
                let mut parts = Vec::new();
                collect(&tokens[at..end], &mut parts);
                let (file, module) = (file.to_owned(), module(file));
                definitions.push(Definition { file, module, name, is_value, parts });
                at = end;
            }
            None => {
                if let TokenTree::Group(group) = &tokens[at]
                    && group.delimiter() == Delimiter::Brace
                {
                    define(file, group.stream(), definitions);
                }
                at += 1;
            }
        }
    }
}

/// The name of the definition that begins here, and whether it is a constant.
fn head(tokens: &[TokenTree]) -> Option<(String, bool)> {
    let word = |at: usize| match tokens.get(at) {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    };
    match word(0)?.as_str() {
        "fn" => Some((word(1)?, false)),
        "macro_rules" => Some((word(2)?, false)),
        "const" | "static" => word(1).filter(|name| name != "fn" && name != "unsafe").map(|name| (name, true)),
        _ => None,
    }
}

fn is_attribute(tokens: &[TokenTree], at: usize) -> bool {
    let is_mark = matches!(&tokens[at], TokenTree::Punct(punct) if punct.as_char() == '#');
    is_mark && matches!(tokens.get(at + 1), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket)
}

/// Where the item that begins at `at` ends: after its body, or after a semicolon.
fn end(tokens: &[TokenTree], at: usize) -> usize {
    let is_last = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(punct) => punct.as_char() == ';',
        _ => false,
    };
    tokens[at..].iter().position(is_last).map_or(tokens.len(), |last| at + last + 1)
}

/// Where the constant that begins at `at` ends.
fn end_of_value(tokens: &[TokenTree], at: usize) -> usize {
    let is_last = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';');
    tokens[at..].iter().position(is_last).map_or(tokens.len(), |last| at + last + 1)
}

/// Collects texts and names, without attributes and what only panics.
fn collect(tokens: &[TokenTree], parts: &mut Vec<Part>) {
    let mut name = String::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(ident) => {
                name = ident.to_string();
                parts.push(Part::Name(scope(tokens, at), name.clone()));
            }
            TokenTree::Group(group) if !(SILENT.contains(&name.as_str()) || at > 0 && is_attribute(tokens, at - 1)) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                match JOINING.contains(&name.as_str()) && group.delimiter() == Delimiter::Parenthesis {
                    true => parts.push(Part::Text(joined(&inner, if name == "concat" { "" } else { "…" }))),
                    false => collect(&inner, parts),
                }
                name.clear();
            }
            TokenTree::Group(_) => name.clear(),
            TokenTree::Literal(literal) => parts.extend(text(literal).map(Part::Text)),
            TokenTree::Punct(punct) if punct.as_char() != '!' => name.clear(),
            TokenTree::Punct(_) => {}
        }
    }
}

/// The name in front of `::` in front of the token, or that it is a method.
fn scope(tokens: &[TokenTree], at: usize) -> Option<String> {
    if matches!(tokens.get(at.checked_sub(1)?), Some(TokenTree::Punct(punct)) if punct.as_char() == '.') {
        return Some(METHOD.to_owned());
    }
    match tokens.get(at.checked_sub(3)?..at)? {
        [TokenTree::Ident(scope), TokenTree::Punct(first), TokenTree::Punct(second)]
            if first.as_char() == ':' && second.as_char() == ':' =>
        {
            Some(scope.to_string())
        }
        _ => None,
    }
}

/// One text of several, with `…` for each that is not written here.
fn joined(tokens: &[TokenTree], between: &str) -> String {
    let arguments = tokens.split(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ','));
    let is_label = between == "…";
    let texts = arguments.filter(|argument| !argument.is_empty()).filter_map(|argument| match argument {
        [TokenTree::Literal(literal)] => text(literal),
        _ if is_label => None,
        _ => Some("…".to_owned()),
    });
    texts.collect::<Vec<_>>().join(between)
}

/// The value of a literal text.
fn text(literal: &proc_macro2::Literal) -> Option<String> {
    syn::parse_str::<syn::LitStr>(&literal.to_string()).ok().map(|text| text.value())
}
