//! `ingress/path-forbidden-text`

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::checks::{Actions, Check, CheckOption, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};

pub static CHECK: Check = Check {
    id: "ingress/path-forbidden-text",
    options: &[CheckOption::RequireOneOf("substrings")],
    page: include_str!("path_forbidden_text.md"),
    run: Run::Ingress(check),
    ..Check::policy(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some(texts) = &cx.options.substrings else { return };
    for (at, path, _) in walk::http_paths(ingress) {
        let Some(written) = path.path.as_deref() else { continue };
        // Borrows unless the path is percent-encoded.
        let decoded: Cow<'_, [u8]> = percent_decode_str(written).into();
        for text in texts.iter().filter(|text| !text.is_empty()) {
            if holds(written.as_bytes(), text.as_bytes()) || holds(&decoded, text.as_bytes()) {
                let value = format!("{text} in {written}");
                found.forbidden(at.then("path"), &value, "path {} must not contain `{}`").args([written, text]);
            }
        }
    }
}

/// Whether `path` contains `text`, ignoring the case of ASCII letters.
fn holds(path: &[u8], text: &[u8]) -> bool {
    path.windows(text.len()).any(|part| part.eq_ignore_ascii_case(text))
}
