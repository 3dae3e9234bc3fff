//! `ingress/path-looks-like-regex`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};
use crate::matching::path;

pub static CHECK: Check = Check {
    id: "ingress/path-looks-like-regex",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::WARN,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("path_looks_like_regex.md"),
    run: Run::Ingress(check),
};

fn check(ingress: &Ingress<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, element, _) in walk::http_paths(ingress) {
        let Some(kind @ ("Exact" | "Prefix")) = element.path_type.as_deref() else { continue };
        let written = element.path.as_deref().unwrap_or_default();
        // A path that no request can have is refused for that.
        if let Some(pattern) = pattern(written)
            && path::unsafe_character(written).is_none()
        {
            let sentence = "`{}` stands for itself in `{}`: type {} knows no patterns";
            found.invalid(at.then("path"), written, sentence).shown([pattern, written, kind]);
        }
    }
}

/// What makes `path` look like a pattern, among the characters that any path may hold. Each counts only where it does not stand in
/// ordinary paths: `/c++`, `/odata/$metadata` and `/wiki/Rust_(game)` are none.
fn pattern(path: &str) -> Option<&'static str> {
    // Every piece holds one of these; ordinary paths hold none, and are done after one look at each byte.
    if !path.bytes().any(|byte| matches!(byte, b'*' | b'+' | b'(' | b'$')) {
        return None;
    }
    let pieces = [(".*", ".*"), ("*", "*"), (".+", ".+"), (")+", ")+"), ("/(", "("), ("$)", "$")];
    let piece = pieces.into_iter().find_map(|(piece, shown)| path.contains(piece).then_some(shown));
    piece.or_else(|| path.ends_with('$').then_some("$"))
}
