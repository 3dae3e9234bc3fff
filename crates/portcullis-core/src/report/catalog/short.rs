//! Shortens a page to what someone with a finding needs: what to do, and an example of each kind.

use super::{CatalogEntry, head};

impl CatalogEntry {
    /// The page with its generated head, the first reason, what to do, the first example that has the fault and the first that
    /// does not, and how to turn the check off.
    pub fn short_page(&self) -> String {
        let page = self.page();
        let title = page.split("\n## ").next().unwrap_or_default();
        let head = head::of(self);
        let found = section(page, "Found").map(|text| first_example(text, "```findings")).unwrap_or_default();
        let clean = section(page, "Not found").map(|text| first_example(text, "```yaml")).unwrap_or_default();
        let why = section(page, "Why").map(first_paragraph).unwrap_or_default();
        let advice = section(page, "What to do").unwrap_or_default();
        format!("{title}\n{head}{why}{advice}{found}{clean}{}", head::way_out(self))
    }

    /// What to do, below the title.
    pub fn advice(&self) -> String {
        format!("{}\n{}", self.title(), section(self.page(), "What to do").unwrap_or_default())
    }
}

/// The section with this heading, from the empty line before it; `None` if there is none.
fn section<'p>(page: &'p str, heading: &str) -> Option<&'p str> {
    let start = page.find(&format!("\n## {heading}\n"))?;
    let end = page[start + 1..].find("\n## ").map_or(page.len(), |length| start + 1 + length);
    Some(&page[start..end])
}

/// A section up to the end of its first paragraph, with the list or table that the paragraph introduces by a colon.
fn first_paragraph(section: &str) -> &str {
    let mut ends = section.match_indices("\n\n").skip(1).map(|(end, _)| end);
    let end = ends.find(|end| !section[..*end].ends_with(':'));
    &section[..end.map_or(section.len(), |end| end + 1)]
}

/// The text up to the end of the first block that begins with exactly `fence`, and of the blocks that follow it directly. If the
/// section begins with a text, this announces all examples up to the next text.
fn first_example<'s>(section: &'s str, fence: &str) -> &'s str {
    let is_announced = section.lines().nth(3).is_some_and(|line| !line.starts_with("```"));
    let (mut end, mut length, mut is_open, mut is_complete) = (section.len(), 0, false, false);
    for line in section.split_inclusive('\n') {
        let is_fence = line.starts_with("```");
        let begins = is_fence && !is_open;
        let is_next = (!is_announced && line.trim_end() == "```yaml") || !(is_fence || line.trim().is_empty());
        if is_complete && !is_open && is_next {
            break;
        }
        is_open ^= is_fence;
        length += line.len();
        is_complete |= begins && line.trim_end() == fence;
        if is_complete && !is_open && is_fence {
            end = length;
        }
    }
    &section[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTION: &str = "\n## Found\n\nText.\n\n```yaml config\na\n```\n```yaml\nb\n```\n```findings\nc\n```\n\nMore.\n\n```yaml\nd\n```\n";

    #[test]
    fn the_first_example_ends_with_its_block() {
        let first = first_example(SECTION, "```findings");
        assert!(first.contains("\na\n") && first.ends_with("\nc\n```\n"), "{first}");
        let clean =
            first_example("\n## Not found\n\n```yaml\nb\n```\n```yaml old\nc\n```\n\n```yaml\nd\n```\n", "```yaml");
        assert!(clean.ends_with("\nc\n```\n"), "{clean}");
        assert_eq!(first_example("\n## Found\n\nText.\n", "```yaml"), "\n## Found\n\nText.\n");
    }

    #[test]
    fn example_is_shown_with_its_introduction() {
        let examples = "```yaml\nb\n```\n\n```yaml\nc\n```\n";
        let announced = format!("\n## Not found\n\nTwo:\n\n{examples}");
        assert_eq!(first_example(&format!("{announced}\nMore.\n\n{examples}"), "```yaml"), announced);
        let without = format!("\n## Not found\n\n{examples}");
        assert!(first_example(&without, "```yaml").ends_with("\nb\n```\n"), "{without}");

        let reason = "\n## Why\n\nOne of:\n\n- a\n- b\n";
        assert_eq!(first_paragraph(&format!("{reason}\nMore.\n")), reason);
        assert_eq!(first_paragraph("\n## Why\n\nText.\n\n- a\n"), "\n## Why\n\nText.\n");
    }

    #[test]
    fn each_short_page_says_what_to_do_and_is_short() {
        for entry in CatalogEntry::all() {
            let (short, whole) = (entry.short_page(), entry.page_with_head());
            assert!(short.len() <= whole.len() + 1, "{}", entry.id());
            assert!(!whole.contains("\n## What to do\n") || short.contains("\n## What to do\n"), "{}", entry.id());
            assert!(!whole.contains("```findings") || short.contains("```findings"), "{}", entry.id());
            assert!(!short.contains(":\n\n## "), "{}: it announces what is left out", entry.id());
            assert!(short.lines().count() < 200, "{}: {} lines", entry.id(), short.lines().count());
        }
    }
}
