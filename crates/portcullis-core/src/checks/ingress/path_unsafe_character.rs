//! `ingress/path-unsafe-character`

use std::borrow::Cow;

use crate::checks::{Actions, Check, CheckOption, Context, OptionDefault, Run};
use crate::config::Charset;
use crate::finding::Findings;
use crate::kinds::{Ingress, Kind, walk};
use crate::matching::annotation_effect::Effect;
use crate::matching::controller::Controller;
use crate::matching::{Readers, path};
use crate::routing::controllers::{self, effect_of};

pub static CHECK: Check = Check {
    id: "ingress/path-unsafe-character",
    needs: &[Kind::IngressClass],
    options: &[CheckOption::Optional("charset", OptionDefault::Text("rfc3986"))],
    page: include_str!("path_unsafe_character.md"),
    run: Run::Ingress(check),
    ..Check::shape(Actions::DENY)
};

fn check(ingress: &Ingress<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let charset = cx.options.charset.unwrap_or_default();
    let takes_segments = takes_segments(ingress, cx);
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
        let expected = is_pattern.then(|| effect_of(Effect::PathRegex, ingress, cx.cluster)).flatten();
        let message = match expected {
            Some((key, _)) if !key.starts_with(INGRESS_NGINX) => continue,
            Some(_) => PATTERN_BY_ANNOTATION,
            None if message == TO_ENCODE && is_decoded(ingress, cx) => DECODED,
            None => message,
        };
        let finding = found.invalid(at.then("path"), written, message);
        finding.args([written, &character.to_string()]);
        if is_pattern {
            finding.only_warns();
        }
    }
}

/// Substrings of class names whose controllers write paths into a configuration file.
const OF_TEXT: [&str; 2] = ["nginx", "haproxy"];

/// Whether Traefik serves this Ingress with path patterns, which in Traefik 2 may contain named segments such as
/// `/item/{id:[0-9]+}`.
fn takes_segments(ingress: &Ingress<'_>, cx: &Context<'_>) -> bool {
    let is_text = |class: &str| OF_TEXT.iter().any(|part| class.contains(part));
    effect_of(Effect::PathSegments, ingress, cx.cluster).is_some() && !ingress.classes().iter().flatten().any(is_text)
}

/// The prefix of the annotations of ingress-nginx, which no longer supports regular expressions with pathType `Prefix`.
const INGRESS_NGINX: &str = "nginx.ingress.kubernetes.io/";

/// Reports a character of regular expressions. It never occurs in the path of a request, and is harmless.
const PATTERN: &str = "`{}` contains `{}`; regular expressions need pathType ImplementationSpecific";
const PATTERN_BY_ANNOTATION: &str = "`{}` requires pathType ImplementationSpecific since ingress-nginx 1.12";

/// The message for a character that is not `nginx-safe`.
fn not_safe(character: char) -> &'static str {
    match character {
        '%' => "a `%` in `{}` must be followed by two hexadecimal digits",
        _ => "`{}` must not contain `{}`: use letters, digits and `. _ - ~ : @ % /`",
    }
}

/// The character to report in a plain path that contains one that no request path has, and the message for it. Harmful
/// characters come before those of a regular expression.
fn plain(path: &str) -> (char, &'static str) {
    match path::harmful_character(path) {
        Some('%') => ('%', not_safe('%')),
        Some('\\') => ('\\', ENDS_IN_ESCAPE),
        Some(character) => (character, TO_ENCODE),
        None => (path::unsafe_character(path).unwrap_or_default(), PATTERN),
    }
}

const TO_ENCODE: &str = "`{}` must not contain `{}`: percent-encode it";
const DECODED: &str = "`{}` must not contain `{}`: use another path, since ingress-nginx compares decoded paths and matches no encoded one";

/// Whether the Ingress is served by ingress-nginx alone, which compares decoded paths.
fn is_decoded(ingress: &Ingress<'_>, cx: &Context<'_>) -> bool {
    let served_by = controllers::of_classes(ingress.classes().iter(), cx.cluster);
    !served_by.is_empty() && served_by.iter().all(|reader| *reader == Readers::Only(Controller::IngressNginx))
}

const ENDS_IN_ESCAPE: &str = "`{}` must not end in `\\`: a proxy may read past its end";

/// The message for a character in a pattern that could end the text which contains it in the configuration of a proxy.
fn configuration(character: char) -> &'static str {
    match character {
        '{' | '}' => "`{}` must not contain `{}`: use braces only around a count",
        '\\' => ENDS_IN_ESCAPE,
        _ => "`{}` must not contain `{}`, which a proxy may read as configuration",
    }
}
