//! Renders findings as text. Values are sanitized and shortened here and nowhere else.

use std::borrow::Cow;

use crate::field::FieldPath;
use crate::finding::{Arg, Finding};
use crate::kinds::ObjectRef;

/// The maximum length of a message with its id, in characters. A message exceeds it if id, names, hosts and template
/// together are longer, since these are never shortened.
pub const ROOM: usize = 120;

/// The maximum length of a warning with its address, in characters: the API server truncates longer ones if the warnings
/// of a request exceed 4,096 characters together.
pub const WARNING: usize = 256;

/// The maximum length of a name or an address, in characters. No name in the Kubernetes API is longer.
pub const NAME: usize = 253;

/// The maximum length of a value in text for people, in characters. It is longer than any legal host, class or name; of anything else,
/// more would only fill the terminal.
pub const SHOWN: usize = 4096;

/// The prefix of a warning that would be a denial if the object did not already have the fault.
pub const PREEXISTING: &str = "already present, tolerated: ";

/// The prefix of a denial of a fault that the object already had, because the update adds to it.
pub const GROWING: &str = "tolerated before, but this update adds to it: ";

/// The minimum length to which a value is shortened.
const MIN_SHOWN: usize = 12;

/// Whether a message may contain names of other namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disclosure<'n> {
    /// It may contain all names.
    All,
    /// It may only contain names of this namespace.
    Namespace(&'n str),
}

/// The message of `finding` with its id. Values are shortened to fit [`ROOM`] if possible, but hosts, names and lists of
/// them never are.
pub fn render_cause(finding: &Finding, names: Disclosure<'_>) -> String {
    fit(finding, names, ROOM)
}

/// The message of `finding` with its id, in text for people: only values longer than [`SHOWN`] are shortened.
pub fn render_text(finding: &Finding) -> String {
    let args = args(finding, Disclosure::All);
    let (other, hint) = (other(finding, Disclosure::All), hint(finding, Disclosure::All));
    fill(finding, &shorten(&other, SHOWN), &shorten(&hint, SHOWN), |index| shorten(at(&args, index), SHOWN))
}

/// The message of `finding` with its id and without shortening, for programs.
pub fn render_whole(finding: &Finding) -> String {
    fit(finding, Disclosure::All, usize::MAX)
}

/// The message of `finding` without its id, for output about a single object, such as its status.
pub fn render_message(finding: &Finding) -> String {
    let mut text = fit(finding, Disclosure::All, ROOM);
    text.truncate(text.len() - finding.check.len() - " []".len());
    text
}

/// The message of `finding` with its address and without its id.
pub fn render_with_path(finding: &Finding) -> String {
    format!("{}: {}", address(&finding.at), render_message(finding))
}

/// The maximum number of findings in [`render_list`].
const MAX_LISTED: usize = 8;

/// The first findings, each with its address, on one line.
pub fn render_list(findings: &[&Finding]) -> String {
    let mut shown: Vec<String> = findings.iter().take(MAX_LISTED).map(|finding| render_with_path(finding)).collect();
    if let Some(omitted) = findings.len().checked_sub(MAX_LISTED).filter(|omitted| *omitted > 0) {
        shown.push(format!("{omitted} more faults"));
    }
    shown.join("; ")
}

/// The message with its address in front. Only an address with which the warning would exceed [`WARNING`] is omitted.
pub fn render_warning(finding: &Finding, names: Disclosure<'_>) -> String {
    let (address, text) = (address(&finding.at), fit(finding, names, ROOM));
    match address.is_empty() || address.chars().count() + ": ".len() + text.chars().count() > WARNING {
        true => text,
        false => format!("{address}: {text}"),
    }
}

fn fit(finding: &Finding, names: Disclosure<'_>, room: usize) -> String {
    let other = other(finding, names);
    let args = args(finding, names);
    let at = |index: usize| at(&args, index);
    let hint = hint(finding, names);
    let whole = fill(finding, &other, &hint, |index| Cow::Borrowed(at(index)));
    if whole.chars().count() <= room {
        return whole;
    }
    let whole = fill(finding, &other, "", |index| Cow::Borrowed(at(index)));
    let length = whole.chars().count();
    if length <= room {
        return whole;
    }
    let placeholders = finding.message.template.matches("{}").count();
    // What comes from another namespace, unless it is a path, lists names, which would be useless if shortened.
    let is_list =
        |index: usize| finding.message.args.get(index).is_some_and(Arg::is_redactable) && !at(index).starts_with('/');
    let is_kept = |index: usize| is_name(at(index)) || is_list(index);
    let lengths = (0..placeholders).filter(|index| !is_kept(*index)).map(|index| at(index).chars().count());
    let lengths: Vec<usize> = lengths.collect();
    let fixed = length - lengths.iter().sum::<usize>();
    let limit = share(&lengths, room.saturating_sub(fixed));
    fill(finding, &other, "", |index| shorten(at(index), if is_kept(index) { NAME } else { limit }))
}

/// The arguments as they are shown.
fn args<'f>(finding: &'f Finding, names: Disclosure<'_>) -> Vec<Cow<'f, str>> {
    finding.message.args.iter().map(|args| cleaned(visible(args, names))).collect()
}

/// The text for the number of a `{}`. The last argument also fills all remaining ones.
fn at<'a>(args: &'a [Cow<'_, str>], index: usize) -> &'a str {
    args.get(index.min(args.len().saturating_sub(1))).map_or("", |text| text)
}

/// Whether a value may be a host, possibly with placeholders, a class or a name, which would be useless if shortened.
fn is_name(text: &str) -> bool {
    let is_of_names = |byte: u8| byte.is_ascii_alphanumeric() || b"-._*:{}".contains(&byte);
    text.len() <= NAME && text.bytes().all(is_of_names)
}

/// The suggestion of another name; empty if there is none, or if the name must be redacted.
fn hint(finding: &Finding, names: Disclosure<'_>) -> String {
    match &finding.message.suggestion {
        Some(suggestion) if !suggestion.is_redactable || names == Disclosure::All => {
            format!("; did you mean `{}`?", suggestion.name)
        }
        _ => String::new(),
    }
}

/// Fills the template: `args` returns the argument for the number of a `{}`. Appends the suggestion and the id.
fn fill<'s>(finding: &Finding, other: &str, hint: &str, args: impl Fn(usize) -> Cow<'s, str>) -> String {
    let mut text = String::with_capacity(ROOM);
    let (mut rest, mut index) = (finding.message.template, 0);
    while let Some(start) = rest.find('{') {
        let end = rest[start..].find('}').map_or(rest.len(), |length| start + length + 1);
        text.push_str(&rest[..start]);
        match &rest[start..end] {
            "{other}" => text.push_str(other),
            _ => {
                text.push_str(&args(index));
                index += 1;
            }
        }
        rest = &rest[end..];
    }
    text.push_str(rest);
    text.push_str(hint);
    text.push_str(" [");
    text.push_str(finding.check);
    text.push(']');
    text
}

fn other(finding: &Finding, names: Disclosure<'_>) -> String {
    match (&finding.other, names) {
        (None, _) => String::new(),
        (Some(other), Disclosure::Namespace(own)) if !other.namespace.is_empty() && other.namespace != own => {
            hidden(&kind(finding, other))
        }
        (Some(other), _) => other.called(&kind(finding, other)),
    }
}

/// The description of an object of this kind whose name is redacted.
pub fn hidden(kind: &str) -> String {
    // The initial letter of these kinds is pronounced with a leading vowel: HTTPRoute is spelled out.
    let article = if kind.starts_with(['I', 'H']) { "an" } else { "a" };
    format!("{article} {kind} of another namespace")
}

/// The kind of the other object, with its group if other groups have a kind of the same name. The group is omitted if
/// the check is about that kind itself, since it is then obvious.
fn kind(finding: &Finding, other: &ObjectRef) -> Cow<'static, str> {
    let (api, family) = (other.kind.api(), finding.check.split('/').next().unwrap_or_default());
    match other.kind.shares_its_name() && !family.replace('-', "").eq_ignore_ascii_case(api.kind) {
        true => Cow::Owned(format!("{}.{}", api.kind, api.group)),
        false => Cow::Borrowed(api.kind),
    }
}

fn visible<'s>(args: &'s Arg, names: Disclosure<'_>) -> &'s str {
    match (args.instead, names) {
        (Some(instead), Disclosure::Namespace(_)) => instead,
        _ => &args.text,
    }
}

/// The length to which the longer values are shortened so that all values fit `room`. They share equally what the
/// shorter values leave.
fn share(lengths: &[usize], room: usize) -> usize {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    let (mut left, mut values) = (room, sorted.len());
    for length in sorted {
        if length * values > left {
            return (left / values).max(MIN_SHOWN);
        }
        left -= length;
        values -= 1;
    }
    usize::MAX
}

/// `text` in at most `limit` characters. The beginning and the end are kept, since hosts differ at the front and paths
/// at the end.
fn shorten(text: &str, limit: usize) -> Cow<'_, str> {
    // A text never has more characters than bytes, so most texts need no counting.
    if text.len() <= limit {
        return Cow::Borrowed(text);
    }
    let length = text.chars().count();
    if length <= limit {
        return Cow::Borrowed(text);
    }
    let kept = limit.saturating_sub(1);
    let (front, back) = (kept.div_ceil(2), kept / 2);
    let byte = |character: usize| text.char_indices().nth(character).map_or(text.len(), |(byte, _)| byte);
    let (head, tail) = (&text[..byte(front)], &text[byte(length - back)..]);
    Cow::Owned([head, "\u{2026}", tail].concat())
}

/// An address of at most [`NAME`] characters, with characters escaped that could break the line.
pub fn address(at: &FieldPath) -> String {
    truncate(&at.text(), NAME)
}

/// An untrusted `text` of at most `limit` characters, with characters escaped that could break the line.
pub fn truncate(text: &str, limit: usize) -> String {
    shorten(&cleaned(text), limit).into_owned()
}

/// `text` with characters escaped that could break the line, hide text or change its direction.
pub fn sanitize(text: &str) -> String {
    cleaned(text).into_owned()
}

/// A JSON text with characters escaped that are allowed in its strings and could control a terminal, hide text or change its direction.
/// Its value stays the same.
pub fn escape_json(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character != '\n' && (character.is_control() || is_invisible(character)) {
            true => escaped.push_str(&format!("\\u{:04x}", u32::from(character))),
            false => escaped.push(character),
        }
    }
    escaped
}

fn cleaned(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let mut cleaned = String::with_capacity(text.len());
    for character in text.chars() {
        match character.is_control() || is_invisible(character) {
            true => cleaned.extend(character.escape_default()),
            false => cleaned.push(character),
        }
    }
    Cow::Owned(cleaned)
}

fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::At;
    use crate::finding::Findings;
    use crate::kinds::{Kind, ObjectRef};

    fn conflict(path: &str) -> Finding {
        let mut all = Vec::new();
        let at = At::element("spec.rules[].http.paths[]", [0, 0]).then("path");
        Findings::of("host/path-conflict", &mut all)
            .duplicate(at, path, "path {} on {} is already served by {other}")
            .args([path, "shop.example.com"])
            .other(&ObjectRef::new(Kind::Ingress, "web", "shop"));
        all.remove(0)
    }

    #[test]
    fn a_sentence_shows_values_the_other_object_and_the_id() {
        let expected = "path /cart on shop.example.com is already served by Ingress web/shop [host/path-conflict]";
        assert_eq!(render_cause(&conflict("/cart"), Disclosure::All), expected);
    }

    #[test]
    fn a_long_value_is_cut_but_never_the_id_nor_the_other_object() {
        let text = render_cause(&conflict(&"/very-long".repeat(300)), Disclosure::All);
        assert_eq!(text.chars().count(), ROOM);
        assert!(
            text.ends_with("on shop.example.com is already served by Ingress web/shop [host/path-conflict]"),
            "{text}"
        );
    }

    #[test]
    fn a_host_is_never_cut() {
        let host = format!("{}.example.com", ["a-long-label"; 15].join("."));
        let mut finding = conflict(&"/very-long".repeat(30));
        finding.message.args[1].text = host.as_str().into();
        let text = render_cause(&finding, Disclosure::All);
        assert!(text.contains(&format!(" on {host} is already")) && text.contains('\u{2026}'), "{text}");
    }

    #[test]
    fn text_for_people_shortens_only_what_no_name_can_be() {
        let legal = format!("{}.example.com", "x".repeat(NAME - ".example.com".len()));
        let mut finding = conflict(&"/x".repeat(SHOWN));
        finding.message.args[1].text = legal.as_str().into();
        finding.other = Some(ObjectRef::new(Kind::Ingress, &"n".repeat(SHOWN), &"m".repeat(NAME)));
        let text = render_text(&finding);
        assert!(
            text.contains(&format!(" on {legal} is already"))
                && text.ends_with(&format!("/{} [host/path-conflict]", "m".repeat(NAME))),
            "{text}"
        );
        assert_eq!(text.matches('\u{2026}').count(), 2, "{text}");
        assert!(render_whole(&finding).contains(&"/x".repeat(SHOWN)));
    }

    #[test]
    fn escaped_json_keeps_its_value() {
        let text = serde_json::to_string_pretty(&["a\n\u{1b}\u{9b}\u{202e}\u{7f}ü\u{feff}"]).expect("JSON");
        let escaped = escape_json(&text);
        assert_eq!(escaped, "[\n  \"a\\n\\u001b\\u009b\\u202e\\u007fü\\ufeff\"\n]");
        let value = |text: &str| serde_json::from_str::<Vec<String>>(text).expect("JSON");
        assert_eq!(value(&escaped), value(&text));
    }

    #[test]
    fn only_a_very_long_address_is_omitted() {
        let text = render_cause(&conflict("/shop"), Disclosure::All);
        let warning = |finding: &Finding| render_warning(finding, Disclosure::All);
        assert_eq!(warning(&conflict("/shop")), format!("spec.rules[0].http.paths[0].path: {text}"));
        let mut finding = conflict("/shop");
        finding.at = At::element("spec.rules[].http.paths[]", [0, 0]).key(&"k".repeat(NAME));
        assert_eq!(warning(&finding), text);
    }

    #[test]
    fn names_of_other_namespaces_can_be_kept_back() {
        let text = render_cause(&conflict("/cart"), Disclosure::Namespace("team-b"));
        assert!(text.contains("by an Ingress of another namespace"), "{text}");
        assert!(render_cause(&conflict("/cart"), Disclosure::Namespace("web")).contains("Ingress web/shop"));
    }

    #[test]
    fn ambiguous_kinds_are_shown_with_their_group() {
        let about = |check, kind| {
            let (mut all, other) = (Vec::new(), ObjectRef::new(kind, "web", "shop"));
            Findings::of(check, &mut all).duplicate(At::field("spec"), "", "taken by {other}").other(&other);
            [Disclosure::All, Disclosure::Namespace("team-b")].map(|names| render_cause(&all[0], names))
        };
        let [named, hidden] = about("host/cross-kind-conflict", Kind::IngressRoute);
        assert_eq!(named, "taken by IngressRoute.contour.heptio.com web/shop [host/cross-kind-conflict]");
        assert_eq!(
            hidden,
            "taken by an IngressRoute.contour.heptio.com of another namespace [host/cross-kind-conflict]"
        );
        let [own, _] = about("ingress-route/fqdn-conflict", Kind::IngressRoute);
        assert_eq!(own, "taken by IngressRoute web/shop [ingress-route/fqdn-conflict]");
        assert_eq!(
            about("host/cross-kind-conflict", Kind::HttpProxy)[0],
            "taken by HTTPProxy web/shop [host/cross-kind-conflict]"
        );
    }

    #[test]
    fn nothing_in_a_value_can_break_the_line() {
        let text = render_warning(&conflict("/a\nb\u{202e}\u{7}{other}"), Disclosure::All);
        assert!(text.contains(r"/a\nb\u{202e}\u{7}{other}"), "{text}");
        assert!(!text.contains('\n'));
    }
}
