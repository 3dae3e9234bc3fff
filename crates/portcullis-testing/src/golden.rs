//! Expected outputs: the files in `tests/golden` contain what users read, and the pages of the checks contain the
//! findings of their examples.
//!
//! With `UPDATE_GOLDEN=1` (`just bless`), the tests write the actual output to both. Review the difference afterwards.

use std::fs;
use std::path::Path;

use crate::page::Example;
use crate::repository::root;

/// The difference between `printed` and the golden file of this name, if there is one.
pub fn differs(name: &str, printed: &str) -> Option<String> {
    let file = root().join("tests/golden").join(name).with_extension("txt");
    let golden = written(&file, printed);
    (golden != printed).then(|| format!("{name} should be\n{golden}and is\n{printed}"))
}

/// Compares a generated file of the repository with what it should contain, or updates it.
#[track_caller]
pub fn must_be_current(file: &str, text: &str) {
    assert!(written(&root().join(file), text) == text, "{file} is stale: run `just docs`");
}

/// The content of a file, after it was updated with `text` if that is wanted; empty if there is none.
fn written(file: &Path, text: &str) -> String {
    if is_updated() {
        fs::write(file, text).expect("the repository is writable");
    }
    fs::read_to_string(file).unwrap_or_default()
}

/// Whether the golden files are updated instead of compared.
pub fn is_updated() -> bool {
    std::env::var_os("UPDATE_GOLDEN").is_some()
}

/// Writes the actual findings into the example at `index` of the page of check `id`.
pub fn update_page(id: &str, examples: &[Example], index: usize, found: &str) {
    const FENCE: &str = "```findings\n";
    let file = root().join("crates/portcullis-core/src/checks").join(id.replace('-', "_")).with_extension("md");
    let mut page = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let block =
        |example: &Example| format!("```yaml{}\n{}```", if example.delete { " delete" } else { "" }, example.yaml);
    // The same objects may occur in several examples, with different configurations.
    let wanted = block(&examples[index]);
    let before = examples[..index].iter().filter(|example| block(example) == wanted).count();
    let (start, _) =
        page.match_indices(&wanted).nth(before).expect("the page is the one that the trials were built with");
    let from = start + page[start..].find(FENCE).expect("the example has findings") + FENCE.len();
    let to = from + page[from..].find("```").expect("a fence is closed");
    page.replace_range(from..to, found);
    fs::write(&file, page).expect("the pages are writable");
}
