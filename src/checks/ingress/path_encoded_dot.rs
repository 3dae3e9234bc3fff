//! `ingress/path-encoded-dot`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};

pub static CHECK: Check = Check {
    id: "ingress/path-encoded-dot",
    page: include_str!("path_encoded_dot.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path, _) in walk::http_paths(ingress) {
        let written = path.path.as_deref().unwrap_or_default();
        if written.contains('%') && written.split('/').any(is_encoded_dot) {
            let sentence = "`{}` has a segment that becomes `.` or `..` when `%2e` is decoded";
            found.invalid(at.then("path"), written, sentence);
        }
    }
}

/// Whether `segment` is `.` or `..` once decoded, and is not so as it stands.
fn is_encoded_dot(segment: &str) -> bool {
    segment.contains('%') && without_dot(segment).is_some_and(|rest| rest.is_empty() || without_dot(rest) == Some(""))
}

/// `text` without the dot, encoded or not, that it begins with.
fn without_dot(text: &str) -> Option<&str> {
    [".", "%2e", "%2E"].into_iter().find_map(|dot| text.strip_prefix(dot))
}
