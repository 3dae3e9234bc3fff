//! `ingress/path-unsafe-character`

use crate::checks::{Actions, Check, Context, Release, Run, Takes};
use crate::config::{Charset, Theme};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};
use crate::matching::path;

pub static CHECK: Check = Check {
    id: "ingress/path-unsafe-character",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[Takes::May("charset")],
    page: include_str!("path_unsafe_character.md"),
    run: Run::Ingress(check),
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let charset = cx.options.charset.unwrap_or_default();
    for (at, element, _) in walk::http_paths(ingress) {
        let written = element.path.as_deref().unwrap_or_default();
        let is_plain = matches!(element.path_type.as_deref(), Some("Exact" | "Prefix"));
        let fault = match (charset, is_plain) {
            (Charset::NginxSafe, _) => {
                path::special_character(written).map(|character| (character, not_safe(character)))
            }
            (Charset::Rfc3986, true) => {
                path::unsafe_character(written).map(|character| (character, not_held(character)))
            }
            (Charset::Rfc3986, false) => configuration(written),
        };
        if let Some((character, sentence)) = fault {
            found.invalid(at.then("path"), written, sentence).shown([written, &character.to_string(), COUNT]);
        }
    }
}

/// A count of a regular expression: what braces in a pattern mostly are.
const COUNT: &str = "{2,3}";

/// The sentence about a character that is not `nginx-safe`.
fn not_safe(character: char) -> &'static str {
    match character {
        '%' => "a `%` in `{}` must be followed by two hexadecimal digits",
        _ => "`{}` holds `{}`; allowed are letters, digits and `. _ - ~ : @ % /`",
    }
}

/// The sentence about a character that the path of no request holds.
fn not_held(character: char) -> &'static str {
    match character {
        '%' => not_safe(character),
        '|' | '[' | ']' | '{' | '}' | '^' | '\\' => {
            "`{}` holds `{}`; a regular expression needs pathType ImplementationSpecific"
        }
        _ => "`{}` holds `{}`, which the path of no request can hold",
    }
}

/// The first character of a pattern that could end the text in which a proxy's configuration holds it, with the sentence about it.
fn configuration(pattern: &str) -> Option<(char, &'static str)> {
    let ends =
        |character: &char| character.is_control() || character.is_whitespace() || "\"'`;{}#".contains(*character);
    let backslashes = pattern.bytes().rev().take_while(|byte| *byte == b'\\').count();
    let ending = pattern.chars().find(ends).map(|character| match character {
        '{' | '}' => (character, "`{}` holds `{}`, configuration to a proxy; write out counts like `{}`"),
        _ => (character, "`{}` holds `{}`, which a proxy may read as its configuration"),
    });
    ending.or_else(|| {
        (backslashes % 2 == 1).then_some(('\\', "`{}` must not end in `\\`: a proxy may read past its end"))
    })
}
