//! Extracts the texts from the sources, and determines which of them belong to which check.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;

use portcullis_core::checks::{Check, registry};
use portcullis_core::report::catalog::CatalogEntry;
use portcullis_testing::repository::root;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::agreement::layers::{SOURCES, sources};

/// The files of checks and rules, and of the code that several of them use.
const CHECKS: [&str; 5] = [
    "crates/portcullis-core/src/checks/",
    "crates/portcullis-core/src/defaults/",
    "crates/portcullis-core/src/matching/annotation_names/",
    "crates/portcullis-core/src/routing/default_class.rs",
    "crates/portcullis-core/src/validation/",
];

/// The validators for values that most rules use.
const VALIDATORS: &str = "crates/portcullis-core/src/validation/validators.rs";

/// The names under which rules import [`VALIDATORS`].
const VALIDATORS_NAMES: [&str; 2] = ["must", "validators"];

/// Files in [`CHECKS`] that report configuration errors.
const CONFIGURATION: [&str; 9] = [
    "crates/portcullis-core/src/checks/decision.rs",
    "crates/portcullis-core/src/checks/ineffective.rs",
    "crates/portcullis-core/src/checks/pinned_profile.rs",
    "crates/portcullis-core/src/checks/resolve.rs",
    "crates/portcullis-core/src/checks/settings.rs",
    "crates/portcullis-core/src/checks/validate/mod.rs",
    "crates/portcullis-core/src/checks/validate/selectors.rs",
    "crates/portcullis-core/src/checks/validate/settings.rs",
    "crates/portcullis-core/src/checks/validate/status.rs",
];

/// Macros and methods whose texts no user sees.
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

/// Macros that concatenate texts.
const JOINING: [&str; 2] = ["concat", "labeled"];

/// Macros that write a log line.
const LOGGING: [&str; 5] = ["error", "warn", "info", "debug", "trace"];

/// A function, a constant, a macro, or the message of an error type.
struct Definition {
    file: String,
    name: String,
    parts: Vec<Part>,
}

/// The relevant parts of a definition, in order.
enum Part {
    Text(String),
    /// A log line, prefixed with its level.
    Log(String),
    Name(String),
    /// A function of [`VALIDATORS`].
    Validator(String),
}

impl Definition {
    fn texts(&self) -> impl Iterator<Item = &String> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(text) if is_message(text) => Some(text),
            _ => None,
        })
    }

    fn logs(&self) -> impl Iterator<Item = &String> {
        self.parts.iter().filter_map(|part| match part {
            Part::Log(text) => Some(text),
            _ => None,
        })
    }
}

/// Texts by source file.
pub type ByFile = BTreeMap<String, BTreeSet<String>>;

/// The definitions of both crates.
pub struct Sources {
    all: Vec<Definition>,
    ids: HashSet<&'static str>,
}

impl Sources {
    pub fn read() -> Self {
        let mut all = Vec::new();
        for file in SOURCES.iter().flat_map(|folder| sources(&root().join(folder))) {
            let name = file.strip_prefix(root()).expect("it was found there").display().to_string();
            // The catalog and the manifests are files already.
            if !["/report/catalog/", "src/manifests/"].iter().any(|part| name.contains(part)) {
                let text = fs::read_to_string(&file).expect("a source can be read");
                let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
                define(&name, tokens, &mut all);
            }
        }
        for file in CONFIGURATION.iter().chain([&VALIDATORS]) {
            assert!(all.iter().any(|definition| definition.file == *file), "there is no {file}: correct its name here");
        }
        Self { all, ids: registry::all().map(|check| check.id).collect() }
    }

    /// The templates in the check's own file, or those of the rule's table row. Of a validator, only its own templates
    /// are included.
    pub fn of_check(&self, check: &'static Check) -> BTreeSet<String> {
        let page = CatalogEntry::Check(check).file();
        let own = format!("crates/portcullis-core/src/{}.rs", page.trim_end_matches(".md"));
        let in_file = self.all.iter().filter(|definition| definition.file == own);
        let mut templates: BTreeSet<String> = in_file.flat_map(Definition::texts).cloned().collect();
        for table in self.all.iter().filter(|definition| self.declares(definition)) {
            let is_id = |part: &Part| matches!(part, Part::Text(text) if self.ids.contains(&**text));
            let mut rows = table.parts.split_inclusive(|part| is_id(part));
            let before = rows.find(|row| matches!(row.last(), Some(Part::Text(text)) if text == check.id));
            if let (Some(_), Some(row)) = (before, rows.next()) {
                self.collect_row(row, &table.file, &mut templates);
            }
        }
        templates
    }

    /// Adds the templates of a table row in `file`, and those of the functions in that file that it names, directly or
    /// indirectly.
    fn collect_row(&self, row: &[Part], file: &str, templates: &mut BTreeSet<String>) {
        let (mut rows, mut seen) = (vec![row], HashSet::new());
        while let Some(row) = rows.pop() {
            for part in row {
                match part {
                    Part::Text(text) if is_message(text) => {
                        templates.insert(text.clone());
                    }
                    Part::Name(name) if seen.insert(name) => {
                        rows.extend(self.named(file, name).map(|definition| &*definition.parts));
                    }
                    Part::Validator(name) => templates.extend(self.of_validator(name)),
                    _ => {}
                }
            }
        }
    }

    /// The templates in a validator, including those in constants.
    fn of_validator(&self, name: &str) -> Vec<String> {
        let constants = |part: &Part| match part {
            Part::Name(name) if is_constant(name) => self.named(VALIDATORS, name).collect(),
            _ => Vec::new(),
        };
        let of = |validator| {
            Definition::texts(validator).chain(validator.parts.iter().flat_map(constants).flat_map(Definition::texts))
        };
        self.named(VALIDATORS, name).flat_map(of).cloned().collect()
    }

    /// The definitions of `name` in `file`, and in the modules below it.
    fn named(&self, file: &str, name: &str) -> impl Iterator<Item = &Definition> {
        let below = format!("{}/", file.trim_end_matches(".rs"));
        let named = self.all.iter().filter(move |other| other.name == name && !self.declares(other));
        named.filter(move |other| other.file == file || other.file.starts_with(&below))
    }

    /// Whether the definition declares checks or rules.
    fn declares(&self, definition: &Definition) -> bool {
        CHECKS.iter().any(|folder| definition.file.starts_with(folder))
            && is_constant(&definition.name)
            && definition.parts.iter().any(|part| matches!(part, Part::Text(text) if self.ids.contains(&**text)))
    }

    /// The messages of checks that are not among `listed`, and all other texts.
    pub fn beyond(&self, listed: &BTreeSet<String>) -> [ByFile; 2] {
        let [mut shared, mut others] = [ByFile::new(), ByFile::new()];
        for definition in &self.all {
            let file = &definition.file;
            let is_of_checks =
                CHECKS.iter().any(|folder| file.starts_with(folder)) && !CONFIGURATION.contains(&&**file);
            let texts = if is_of_checks { &mut shared } else { &mut others };
            for text in definition.texts().filter(|text| !is_of_checks || !listed.contains(*text)) {
                texts.entry(file.clone()).or_default().insert(text.clone());
            }
        }
        [shared, others]
    }

    /// All log lines.
    pub fn logs(&self) -> ByFile {
        let mut logs = ByFile::new();
        for definition in &self.all {
            for text in definition.logs() {
                logs.entry(definition.file.clone()).or_default().insert(text.clone());
            }
        }
        logs
    }
}

/// Whether a name is that of a constant.
fn is_constant(name: &str) -> bool {
    name.bytes().all(|byte| byte == b'_' || byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

/// Whether a text contains words besides placeholders, and is not a regular expression.
fn is_message(text: &str) -> bool {
    let words = text.split(['{', '}']).step_by(2).collect::<String>();
    text.contains(' ') && words.chars().any(char::is_alphabetic) && !text.contains("(?")
}

/// Collects the definitions in `tokens`, including those in modules, types and implementations.
fn define(file: &str, tokens: TokenStream, definitions: &mut Vec<Definition>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let push = |name: String, tokens: &[TokenTree], definitions: &mut Vec<Definition>| {
        let mut parts = Vec::new();
        collect(tokens, &mut parts);
        definitions.push(Definition { file: file.to_owned(), name, parts });
    };
    let mut at = 0;
    while at < tokens.len() {
        if is_attribute(&tokens, at) {
            let is_test = tokens[at + 1].to_string().replace(' ', "") == "[cfg(test)]";
            if let Some(message) = of_error(&tokens[at + 1]) {
                push(String::new(), &message, definitions);
            }
            at = if is_test { end(&tokens, at + 2) } else { at + 2 };
            continue;
        }
        match head(&tokens[at..]) {
            Some((name, is_value)) => {
                let end = if is_value { end_of_value(&tokens, at) } else { end(&tokens, at) };
                push(name, &tokens[at..end], definitions);
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

/// The tokens in the parentheses of an attribute `[error(…)]`.
fn of_error(attribute: &TokenTree) -> Option<Vec<TokenTree>> {
    let TokenTree::Group(attribute) = attribute else { return None };
    match &attribute.stream().into_iter().collect::<Vec<_>>()[..] {
        [TokenTree::Ident(name), TokenTree::Group(message)] if name == "error" => {
            Some(message.stream().into_iter().collect())
        }
        _ => None,
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

/// The end of the item that begins at `at`: after its body, or after a semicolon.
fn end(tokens: &[TokenTree], at: usize) -> usize {
    let is_last = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(punct) => punct.as_char() == ';',
        _ => false,
    };
    tokens[at..].iter().position(is_last).map_or(tokens.len(), |last| at + last + 1)
}

/// The end of the constant that begins at `at`.
fn end_of_value(tokens: &[TokenTree], at: usize) -> usize {
    let is_last = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';');
    tokens[at..].iter().position(is_last).map_or(tokens.len(), |last| at + last + 1)
}

/// Collects texts and names, without attributes and without the texts of panics.
fn collect(tokens: &[TokenTree], parts: &mut Vec<Part>) {
    let mut name = String::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_macro = || matches!(&tokens[at - 1], TokenTree::Punct(punct) if punct.as_char() == '!');
        match token {
            TokenTree::Ident(ident) => {
                name = ident.to_string();
                match scope(tokens, at) {
                    Scope::Own => parts.push(Part::Name(name.clone())),
                    Scope::Validators => parts.push(Part::Validator(name.clone())),
                    Scope::Other => {}
                }
            }
            TokenTree::Group(group) if !(SILENT.contains(&name.as_str()) || at > 0 && is_attribute(tokens, at - 1)) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                if JOINING.contains(&name.as_str()) && group.delimiter() == Delimiter::Parenthesis {
                    parts.push(Part::Text(joined(&inner, if name == "concat" { "" } else { "…" })));
                } else if LOGGING.contains(&name.as_str()) && is_macro() {
                    let texts = inner.iter().filter_map(text);
                    parts.extend(texts.map(|text| Part::Log(format!("{name}: {text}"))));
                } else {
                    collect(&inner, parts);
                }
                name.clear();
            }
            TokenTree::Group(_) => name.clear(),
            TokenTree::Literal(_) => parts.extend(text(token).map(Part::Text)),
            TokenTree::Punct(punct) if punct.as_char() != '!' => name.clear(),
            TokenTree::Punct(_) => {}
        }
    }
}

/// The scope in which a name is defined.
enum Scope {
    /// The same file.
    Own,
    /// [`VALIDATORS`].
    Validators,
    /// Anywhere else: the name is a field, a method, or from another module.
    Other,
}

/// The scope of the name at `at`, determined by the preceding tokens.
fn scope(tokens: &[TokenTree], at: usize) -> Scope {
    let before = |back: usize| at.checked_sub(back).map(|at| tokens[at].to_string()).unwrap_or_default();
    match (&*before(1), before(3)) {
        (":", module) if module == "Self" => Scope::Own,
        (":", module) if VALIDATORS_NAMES.contains(&&*module) => Scope::Validators,
        (":", _) if before(2) == ":" => Scope::Other,
        (".", _) => Scope::Other,
        _ => Scope::Own,
    }
}

/// Concatenates several texts, with `…` for each argument that is not a literal.
fn joined(tokens: &[TokenTree], between: &str) -> String {
    let arguments = tokens.split(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ','));
    let is_label = between == "…";
    let texts = arguments.filter(|argument| !argument.is_empty()).filter_map(|argument| match argument {
        [literal @ TokenTree::Literal(_)] => text(literal),
        _ if is_label => None,
        _ => Some("…".to_owned()),
    });
    texts.collect::<Vec<_>>().join(between)
}

/// The value of a token that is a string literal.
fn text(token: &TokenTree) -> Option<String> {
    let TokenTree::Literal(literal) = token else { return None };
    syn::parse_str::<syn::LitStr>(&literal.to_string()).ok().map(|text| text.value())
}
