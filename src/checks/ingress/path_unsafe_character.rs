//! `ingress/path-unsafe-character`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::{Charset, Theme};
use crate::finding::Findings;
use crate::kinds::{Ingress, walk};

pub static CHECK: Check = Check {
    id: "ingress/path-unsafe-character",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    needs: &[],
    options: &["charset"],
    page: include_str!("path_unsafe_character.md"),
    run: Run::Ingress(check),
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let charset = cx.options.charset.unwrap_or_default();
    for (at, path, _) in walk::http_paths(ingress) {
        let written = path.path.as_deref().unwrap_or_default();
        let is_plain = matches!(path.path_type.as_deref(), Some("Exact" | "Prefix"));
        let fault = match (charset, is_plain) {
            (Charset::NginxSafe, _) => outside(written, is_nginx_safe, NOT_NGINX_SAFE),
            (Charset::Rfc3986, true) => outside(written, is_path_character, NOT_A_PATH_CHARACTER),
            (Charset::Rfc3986, false) => configuration(written),
        };
        if let Some((character, sentence)) = fault {
            found.invalid(at.then("path"), written, sentence).shown([written, &character.to_string()]);
        }
    }
}

const NOT_A_PATH_CHARACTER: &str = "`{}` holds `{}`, which the path of no request can hold";
const NOT_NGINX_SAFE: &str = "`{}` holds `{}`; allowed are letters, digits and `. _ - ~ : @ % /`";
const NOT_A_TRIPLET: &str = "a `%` in `{}` must be followed by two hexadecimal digits";
const CONFIGURATION: &str = "`{}` holds `{}`, which a proxy may read as its configuration";
const ESCAPE: &str = "`{}` must not end in `\\`: a proxy may read past its end";

/// The first character of `path` that is not `allowed`, or the first `%` that begins no triplet, with the sentence about it.
fn outside(path: &str, allowed: impl Fn(char) -> bool, sentence: &'static str) -> Option<(char, &'static str)> {
    path.char_indices().find_map(|(index, character)| match character {
        '%' if is_triplet(&path.as_bytes()[index..]) => None,
        '%' => Some((character, NOT_A_TRIPLET)),
        _ if allowed(character) => None,
        _ => Some((character, sentence)),
    })
}

fn is_triplet(bytes: &[u8]) -> bool {
    matches!(bytes, [b'%', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
}

/// `pchar` of RFC 3986, and `/`.
fn is_path_character(character: char) -> bool {
    is_nginx_safe(character) || matches!(character, '!' | '$' | '&' | '\'' | '(' | ')' | '*' | '+' | ',' | ';' | '=')
}

/// What no proxy's configuration language reads; `%` only as the beginning of a triplet.
fn is_nginx_safe(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-' | '~' | ':' | '@' | '/')
}

/// The first character of a pattern that could end the text in which a proxy's configuration holds it, with the sentence about it.
fn configuration(pattern: &str) -> Option<(char, &'static str)> {
    let ends =
        |character: &char| character.is_control() || character.is_whitespace() || "\"'`;{}#".contains(*character);
    let backslashes = pattern.bytes().rev().take_while(|byte| *byte == b'\\').count();
    let ending = pattern.chars().find(ends).map(|character| (character, CONFIGURATION));
    ending.or_else(|| (backslashes % 2 == 1).then_some(('\\', ESCAPE)))
}
