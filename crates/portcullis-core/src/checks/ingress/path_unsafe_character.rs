//! `ingress/path-unsafe-character`

use std::borrow::Cow;

use crate::checks::{Actions, Check, CheckOption, Context, OptionDefault, Run};
use crate::config::Charset;
use crate::finding::Findings;
use crate::kinds::{Ingress, annotation, walk};
use crate::matching::path;

pub static CHECK: Check = Check {
    id: "ingress/path-unsafe-character",
    options: &[CheckOption::Optional("charset", OptionDefault::Text("rfc3986"))],
    page: include_str!("path_unsafe_character.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let charset = cx.options.charset.unwrap_or_default();
    let takes_segments = takes_segments(ingress);
    let read = |written| if takes_segments { path::without_segments(written) } else { Cow::Borrowed(written) };
    for (at, element, _) in walk::http_paths(ingress) {
        let written = element.path.as_deref().unwrap_or_default();
        let is_plain = matches!(element.path_type.as_deref(), Some("Exact" | "Prefix"));
        let fault = match (charset, is_plain) {
            (Charset::NginxSafe, _) => path::special_character(written).map(|strange| (strange, not_safe(strange))),
            (Charset::Rfc3986, true) => path::unsafe_character(written).map(|_| plain(&read(written))),
            (Charset::Rfc3986, false) => {
                path::configuration_character(&read(written)).map(|end| (end, configuration(end)))
            }
        };
        let Some((character, message)) = fault else { continue };
        let is_pattern = message == PATTERN;
        let expected = is_pattern.then(|| annotation::path_regex(&ingress.metadata.annotations)).flatten();
        if expected.is_some_and(|key| !key.starts_with(INGRESS_NGINX)) {
            continue;
        }
        let message = if expected.is_some() { PATTERN_BY_ANNOTATION } else { message };
        let finding = found.invalid(at.then("path"), written, message);
        finding.args([written, &character.to_string()]);
        if is_pattern {
            finding.only_warns();
        }
    }
}

/// The annotation by which Traefik takes paths for patterns.
const TRAEFIK_MATCHER: &str = "traefik.ingress.kubernetes.io/router.pathmatcher";
/// Parts of the names of classes whose controllers write paths into the text of a configuration.
const OF_TEXT: [&str; 2] = ["nginx", "haproxy"];

/// Whether Traefik serves this Ingress by patterns, in which release 2 names segments: `/item/{id:[0-9]+}`.
fn takes_segments(ingress: &Ingress<'_>) -> bool {
    let is_text = |class: &str| OF_TEXT.iter().any(|part| class.contains(part));
    ingress.metadata.annotations.get(TRAEFIK_MATCHER).is_some() && !ingress.classes().iter().flatten().any(is_text)
}

/// The annotations of ingress-nginx, which gave up regular expressions under the type `Prefix`.
const INGRESS_NGINX: &str = "nginx.ingress.kubernetes.io/";

/// The sentence about a character of regular expressions, which no path of a request holds and which harms nothing.
const PATTERN: &str = "`{}` contains `{}`; regular expressions need pathType ImplementationSpecific";
const PATTERN_BY_ANNOTATION: &str = "`{}` requires pathType ImplementationSpecific since ingress-nginx 1.12";

/// The sentence about a character that is not `nginx-safe`.
fn not_safe(character: char) -> &'static str {
    match character {
        '%' => "a `%` in `{}` must be followed by two hexadecimal digits",
        _ => "`{}` must not contain `{}`: use letters, digits and `. _ - ~ : @ % /`",
    }
}

/// The character to tell of in a plain path that holds one which no request has, with the sentence about it: what harms comes before what
/// may be meant as a regular expression.
fn plain(path: &str) -> (char, &'static str) {
    match path::harmful_character(path) {
        Some('%') => ('%', not_safe('%')),
        Some('\\') => ('\\', ENDS_IN_ESCAPE),
        Some(character) => (character, "`{}` must not contain `{}`: encode it with `%`"),
        None => (path::unsafe_character(path).unwrap_or_default(), PATTERN),
    }
}

const ENDS_IN_ESCAPE: &str = "`{}` must not end in `\\`: a proxy may read past its end";

/// The sentence about a character of a pattern that could end the text in which a proxy's configuration holds it.
fn configuration(character: char) -> &'static str {
    match character {
        '{' | '}' => "`{}` must not contain `{}`: use braces only around a count",
        '\\' => ENDS_IN_ESCAPE,
        _ => "`{}` must not contain `{}`, which a proxy may read as configuration",
    }
}
