//! Compares the ledger of the design documents, `tests/design/ledger`, with what it names, and generates `docs/design-documents.md`
//! from it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use portcullis_core::report::catalog::CatalogEntry;
use portcullis_core::{checks, defaults};
use portcullis_testing::golden;
use portcullis_testing::repository::{read, root};
use regex::Regex;

/// A design document.
struct Document {
    /// The name of its ledger, without extension.
    ledger: &'static str,
    title: &'static str,
    /// The page about the differences.
    page: &'static str,
    /// How to be as strict as the document, as Markdown.
    strict: &'static str,
}

const DOCUMENTS: [Document; 5] = [
    Document {
        ledger: "kep-758",
        title: "KEP-758: Ingress in `networking.k8s.io/v1`",
        page: "kep-758.md",
        strict: "`profile: kep-758` follows the document in each point in which the API server differs from it.",
    },
    Document {
        ledger: "contour-ingressroute",
        title: "Contour: IngressRoute",
        page: "ingress-route.md",
        strict: "`status: {strictDocument: true}` makes IngressRoutes invalid that only the document rejects, and denies the write.",
    },
    Document {
        ledger: "gateway-api-concepts",
        title: "Gateway API: concepts, v1alpha1",
        page: "gateway-api-concepts.md",
        strict: "`status: {documentConditions: true}` sets the condition `InvalidParameters` of the document beside those of v1.",
    },
    Document {
        ledger: "gep-724",
        title: "GEP-724: which Routes a Gateway accepts",
        page: "gep-724.md",
        strict: "A switch is not needed: v1 has what the document decided, and the names that it left behind are reported.",
    },
    Document {
        ledger: "gep-1651",
        title: "GEP-1651: routability of Gateways",
        page: "gep-1651.md",
        strict: "A switch is not possible: the released CRDs lack the field, so the values are in annotations.",
    },
];

const KINDS: [&str; 7] = ["requirement", "behavior", "field", "status", "metric", "example", "future"];
const STATES: [&str; 3] = ["done", "otherwise", "not done"];

/// A row of a ledger.
struct Row<'l> {
    section: &'l str,
    sentence: &'l str,
    kind: &'l str,
    state: &'l str,
    places: Vec<&'l str>,
    tests: Vec<&'l str>,
    note: &'l str,
}

impl<'l> Row<'l> {
    fn of(line: &'l str) -> Self {
        let columns: Vec<&str> = line.split('\t').collect();
        let [section, sentence, kind, state, places, tests, note] = columns[..] else {
            panic!("not seven columns: {line}");
        };
        let words = |column: &'l str| column.split_whitespace().collect();
        Self { section, sentence, kind, state, places: words(places), tests: words(tests), note }
    }

    /// What is wrong with the row, if anything.
    fn fault(&self, known: &Known) -> Option<String> {
        let unknown = |word: &&&str| known.link(word).is_none();
        let is_done = self.state == "done";
        if !KINDS.contains(&self.kind) || !STATES.contains(&self.state) {
            return Some(format!("no kind or state: {}, {}", self.kind, self.state));
        }
        if self.section.is_empty() || self.sentence.is_empty() || is_done != self.note.is_empty() {
            return Some("a sentence is missing, or a note (`done` has none, the others have one)".to_owned());
        }
        if self.state != "not done" && (self.places.is_empty() || self.tests.is_empty()) {
            return Some("where, or its test, is missing".to_owned());
        }
        if let Some(place) = self.places.iter().find(unknown) {
            return Some(format!("{place} is neither a check, nor a default, a metric or a file"));
        }
        let test = self.tests.iter().find(|test| !known.is_test(test, &self.places))?;
        Some(format!("{test} is no test"))
    }

    fn markdown(&self, known: &Known) -> String {
        let places: Vec<String> = self.places.iter().filter_map(|place| known.link(place)).collect();
        let tests: Vec<String> =
            self.tests.iter().map(|test| format!("`{test}`").replace("`page`", "its page")).collect();
        let state =
            if self.note.is_empty() { self.state.to_owned() } else { format!("**{}**: {}", self.state, self.note) };
        format!("| {} | {} | {state} | {} | {} |\n", self.sentence, self.kind, places.join(", "), tests.join(", "))
    }
}

/// What a ledger may name.
struct Known {
    /// The page of each check and default, relative to the root.
    pages: BTreeMap<&'static str, String>,
    /// The page that lists the metrics.
    metrics: String,
    /// The names of tests, by the name of their module and of its folder.
    tests: BTreeMap<String, Vec<String>>,
}

impl Known {
    fn new() -> Self {
        let checks = checks::registry::all().map(|check| (check.id, CatalogEntry::Check(check)));
        let defaults = defaults::registry::ALL.iter().map(|default| (default.id, CatalogEntry::Defaulter(default)));
        let pages = checks.chain(defaults);
        let pages = pages.map(|(id, entry)| (id, format!("crates/portcullis-core/src/{}", entry.file()))).collect();
        let (mut tests, mut stories) = (BTreeMap::new(), BTreeMap::new());
        for folder in ["tests/pure", "crates/portcullis-core/src", "src"] {
            functions_in(&root().join(folder), &pattern(TEST), &mut tests, &mut String::new());
        }
        let mut sources = String::new();
        functions_in(&root().join("tests/it"), &pattern(STORY), &mut stories, &mut sources);
        let listed = pattern(LISTED);
        let listed = listed.captures_iter(&sources).map(|found| found.extract());
        let listed: BTreeSet<&str> = listed.map(|(_, [name])| name).collect();
        for (module, names) in stories {
            let trials = names.into_iter().filter(|name| listed.contains(name.as_str()));
            tests.entry(module).or_default().extend(trials);
        }
        Self { pages, metrics: read("docs/metrics.md"), tests }
    }

    /// A link from `docs` to what a word of a ledger names.
    fn link(&self, word: &str) -> Option<String> {
        if let Some(page) = self.pages.get(word) {
            return Some(format!("[`{word}`](../{page})"));
        }
        if self.metrics.contains(&format!("\n| `{word}` |")) {
            return Some(format!("[`{word}`](metrics.md)"));
        }
        // A heading of a page about statuses is a status with its reason. That it exists is tested with all links.
        let (file, heading) = word.split_once('#').unwrap_or((word, ""));
        let target = word.strip_prefix("docs/").map_or_else(|| format!("../{word}"), str::to_owned);
        let name = if heading.is_empty() { Path::new(file).file_name()?.to_str()? } else { heading };
        root().join(file).exists().then(|| format!("[{name}]({target})"))
    }

    /// Whether a word names a test: `page` one of the checks at `places`, `module::name` one in a source.
    fn is_test(&self, word: &str, places: &[&str]) -> bool {
        match word.rsplit_once("::") {
            None => word == "page" && places.iter().any(|place| self.pages.contains_key(place)),
            Some((path, name)) => {
                let module = path.rsplit("::").next().unwrap_or(path);
                self.tests.get(module).is_some_and(|names| names.iter().any(|known| known == name))
            }
        }
    }
}

/// A function that is a test by its attribute.
const TEST: &str = r"#\[(?:tokio::)?test[^\]]*\]\s*(?:async )?fn (\w+)";
/// A function of `tests/it` that may be a trial, or a part of one: it has no parameter but a fixture, and no result but an error.
const STORY: &str = r"fn (\w+)\((?:\w+: &\w+<'_>)?\)(?: -> Result<[^{]*)? \{";
/// What makes such a function a trial: a list or a constructor of trials names it, as a value or in the name of the trial. A helper is
/// called.
const LISTED: &str = r#"(?:\b|"(?:\w+::)+)(\w+)(?:"|\s*[,)\];])"#;

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}

/// Collects the names of functions by the name of their module and of its folder, and the text of all sources.
fn functions_in(folder: &Path, function: &Regex, found: &mut BTreeMap<String, Vec<String>>, sources: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            functions_in(&entry, function, found, sources);
        } else if entry.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&entry).expect("a source");
            let names = function.captures_iter(&text).map(|found| found.extract());
            let names: Vec<String> = names.map(|(_, [name])| name.to_owned()).collect();
            let stem = entry.file_stem().and_then(|name| name.to_str()).expect("a name");
            let parent = folder.file_name().and_then(|name| name.to_str()).expect("a name");
            for module in [stem, parent] {
                found.entry(module.to_owned()).or_default().extend(names.iter().cloned());
            }
            sources.push_str(&text);
        }
    }
}

#[test]
fn every_row_of_the_ledger_is_true() {
    let (known, mut wrong) = (Known::new(), Vec::new());
    for Document { ledger, .. } in &DOCUMENTS {
        let text = ledger_text(ledger);
        let rows: Vec<Row<'_>> = rows(&text).collect();
        assert!(rows.len() > 20, "{ledger} has only {} rows", rows.len());
        let faults = rows.iter().filter_map(|row| Some(format!("{ledger}: {}: {}", row.sentence, row.fault(&known)?)));
        wrong.extend(faults);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_ledger_names_trials_and_not_their_helpers() {
    let known = Known::new();
    for trial in [
        "live::hosts_by_delegation",
        "delegation::a_canary",
        "probes::probes_report_health",
        "ci::nothing_skips_the_end_to_end_steps",
    ] {
        assert!(known.is_test(trial, &[]), "{trial} is a trial");
    }
    for helper in ["status::services", "control_plane::stop_shared"] {
        assert!(!known.is_test(helper, &[]), "{helper} is a helper");
    }
}

#[test]
fn the_page_of_the_design_documents_is_current() {
    let known = Known::new();
    let texts: Vec<String> = DOCUMENTS.iter().map(|document| ledger_text(document.ledger)).collect();
    let mut page = String::from(
        "# The five design documents\n\nPortcullis implements five design documents. This page lists what each of them asks for, where it is \
         implemented and tested, and what is done otherwise or not at all, and why. A test compares it with the checks, files and tests \
         that it names.\n\n| Document | done | otherwise | not done | differences |\n|---|---|---|---|---|\n",
    );
    for (document, text) in DOCUMENTS.iter().zip(&texts) {
        let count = |state: &str| rows(text).filter(|row| row.state == state).count();
        let [done, otherwise, not_done] = STATES.map(count);
        let Document { title, page: differences, .. } = document;
        let _ = writeln!(page, "| {title} | {done} | {otherwise} | {not_done} | [{differences}]({differences}) |");
    }
    for (document, text) in DOCUMENTS.iter().zip(&texts) {
        let _ = writeln!(page, "\n## {}\n\n{}", document.title, document.strict);
        let mut section = "";
        for row in rows(text) {
            if row.section != section {
                section = row.section;
                let _ = writeln!(
                    page,
                    "\n### {section}\n\n| the document | kind | here | where | tested by |\n|---|---|---|---|---|"
                );
            }
            page += &row.markdown(&known);
        }
    }
    golden::must_be_current("docs/design-documents.md", &page);
}

/// The page about KEP-758 names the actions of its own profile, which another test compares.
#[test]
fn the_pages_of_differences_name_the_actions_of_baseline() {
    let named = Regex::new(r"\[`([a-z/-]+)`\]\([^)]*\),? (Deny|Warn|Off)\b").expect("a pattern");
    let (mut compared, mut wrong) = (0, Vec::new());
    for Document { page, .. } in DOCUMENTS.iter().filter(|document| document.ledger != "kep-758") {
        let text = read(&format!("docs/{page}"));
        for (_, [id, written]) in named.captures_iter(&text).map(|found| found.extract()) {
            let check = checks::registry::all().find(|check| check.id == id);
            let action = check.map(|check| check.actions.baseline.to_string());
            compared += 1;
            if action.as_deref() != Some(written) {
                wrong.push(format!("{page}: {id} is {written}, not {action:?}"));
            }
        }
    }
    assert!(compared > 40, "only {compared} actions are found in the pages");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn ledger_text(name: &str) -> String {
    read(&format!("tests/design/ledger/{name}.tsv"))
}

fn rows(text: &str) -> impl Iterator<Item = Row<'_>> {
    text.lines().skip(1).map(Row::of)
}
