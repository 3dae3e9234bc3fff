//! The table of conditions in `docs/conditions.md`: one row for each heading of the pages in `docs/status` that names a
//! condition.

use portcullis_testing::golden;
use portcullis_testing::page::anchor;
use portcullis_testing::repository::{files, read};
use portcullis_testing::status::{StatusSection, sections};

/// The file with the table.
const FILE: &str = "docs/conditions.md";

const INTRODUCTION: &str = "\
# Conditions

Every condition that the [status writer](status.md) and `portcullis status` set, each status and reason of it, and when it has
them. The links lead to the pages, whose examples are tests. A condition for which no row
has `False` or `Unknown` is removed when it no longer holds. `just docs` writes this file.
";

#[test]
fn each_condition_is_listed() {
    let table = table();
    golden::must_be_current(FILE, &table);
}

fn table() -> String {
    let mut text = INTRODUCTION.to_owned();
    for page in files("docs/status") {
        let content = read(&page);
        let title = content.lines().next().unwrap_or_default().trim_start_matches("# ");
        let rows: Vec<String> = sections(&content).iter().filter_map(|section| row(&page, section)).collect();
        if rows.is_empty() {
            continue;
        }
        let link = page.trim_start_matches("docs/");
        text += &format!("\n## [{title}]({link})\n\n| condition | status | reason | when |\n|---|---|---|---|\n");
        rows.iter().for_each(|row| text += row);
    }
    text
}

/// The row of a section whose heading names a condition, such as `` `Accepted` is `True`: `Accepted` ``.
fn row(page: &str, section: &StatusSection) -> Option<String> {
    let quoted: Vec<&str> = section.title.split('`').skip(1).step_by(2).collect();
    let [type_name, status, reason] = quoted[..] else { return None };
    let anchor = anchor(&section.title);
    let page = page.trim_start_matches("docs/");
    Some(format!("| `{type_name}` | `{status}` | [`{reason}`]({page}#{anchor}) | {} |\n", section.summary))
}
