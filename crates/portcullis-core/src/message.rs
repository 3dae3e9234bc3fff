//! From a finding to the sentence that a person reads: values are cleaned and shortened here and nowhere else.

use std::borrow::Cow;

use crate::field::FieldPath;
use crate::finding::{Arg, Finding};
use crate::kinds::ObjectRef;

/// How long a sentence with its id may get, in characters, where id and other object leave room.
pub const ROOM: usize = 120;

/// The most characters that are shown of a name or an address: no name of the API is longer.
pub const NAME: usize = 253;

/// The least that is left of a value.
const LEAST: usize = 12;

/// Whether the reader may see the names of other namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disclosure<'n> {
    /// All names.
    All,
    /// Only those of this namespace.
    Namespace(&'n str),
}

/// The sentence of `finding` with its id, within [`ROOM`] if shortening its values can do that; hosts and names are never shortened.
pub fn render_cause(finding: &Finding, names: Disclosure<'_>) -> String {
    fit(finding, names, ROOM)
}

/// The whole message of `finding` with its id: for a terminal or a file, where nothing needs to be shortened.
pub fn render_whole(finding: &Finding) -> String {
    fit(finding, Disclosure::All, usize::MAX)
}

/// What is wrong, without the id: for output about the object alone, such as its status.
pub fn render_message(finding: &Finding) -> String {
    let mut text = fit(finding, Disclosure::All, ROOM);
    text.truncate(text.len() - finding.check.len() - " []".len());
    text
}

/// The same with the address in front.
pub fn render_with_path(finding: &Finding) -> String {
    format!("{}: {}", address(&finding.at), render_message(finding))
}

/// The sentence with the address in front where both fit on a line of [`ROOM`] unshortened, else without: the address goes before any
/// part of a value does.
pub fn render_warning(finding: &Finding, names: Disclosure<'_>) -> String {
    let address = address(&finding.at);
    let whole = fit(finding, names, usize::MAX);
    let length = whole.chars().count();
    match address.chars().count() + ": ".len() + length <= ROOM {
        true if address.is_empty() => whole,
        true => format!("{address}: {whole}"),
        false if length <= ROOM => whole,
        false => fit(finding, names, ROOM),
    }
}

fn fit(finding: &Finding, names: Disclosure<'_>, room: usize) -> String {
    let other = other(finding, names);
    let args: Vec<Cow<'_, str>> = finding.message.args.iter().map(|args| cleaned(visible(args, names))).collect();
    // The last value stands in all places that are left.
    let at = |object_ref: usize| args.get(object_ref.min(args.len().saturating_sub(1))).map_or("", |text| text);
    let hint = hint(finding, names);
    let whole = fill(finding, &other, &hint, |object_ref| Cow::Borrowed(at(object_ref)));
    if whole.chars().count() <= room {
        return whole;
    }
    let whole = fill(finding, &other, "", |object_ref| Cow::Borrowed(at(object_ref)));
    let length = whole.chars().count();
    if length <= room {
        return whole;
    }
    let places = finding.message.template.matches("{}").count();
    let lengths = (0..places).map(at).filter(|text| !is_name(text)).map(|text| text.chars().count());
    let lengths: Vec<usize> = lengths.collect();
    let fixed = length - lengths.iter().sum::<usize>();
    let limit = share(&lengths, room.saturating_sub(fixed));
    fill(finding, &other, "", |object_ref| shorten(at(object_ref), if is_name(at(object_ref)) { NAME } else { limit }))
}

/// Whether a value may be a host, a class or a name, which says nothing once it is shortened.
fn is_name(text: &str) -> bool {
    let is_of_names = |byte: u8| byte.is_ascii_alphanumeric() || b"-._*:".contains(&byte);
    text.len() <= NAME && text.bytes().all(is_of_names)
}

/// The question whether another name was meant; nothing where that name must be kept back.
fn hint(finding: &Finding, names: Disclosure<'_>) -> String {
    match &finding.message.suggestion {
        Some(suggestion) if !suggestion.is_redactable || names == Disclosure::All => {
            format!("; did you mean `{}`?", suggestion.name)
        }
        _ => String::new(),
    }
}

/// The template with its places filled, by their number, and the hint and the id appended.
fn fill<'s>(finding: &Finding, other: &str, hint: &str, args: impl Fn(usize) -> Cow<'s, str>) -> String {
    let mut text = String::with_capacity(ROOM);
    let (mut rest, mut object_ref) = (finding.message.template, 0);
    while let Some(start) = rest.find('{') {
        let end = rest[start..].find('}').map_or(rest.len(), |length| start + length + 1);
        text.push_str(&rest[..start]);
        match &rest[start..end] {
            "{other}" => text.push_str(other),
            _ => {
                text.push_str(&args(object_ref));
                object_ref += 1;
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

/// An object of this kind whose name is kept back.
pub fn hidden(kind: &str) -> String {
    // The kinds that are spoken with a vowel in front: HTTPRoute is said letter by letter.
    let article = if kind.starts_with(['I', 'H']) { "an" } else { "a" };
    format!("{article} {kind} of another namespace")
}

/// The kind of the other object. Where others have a kind of this name it comes with its group, unless the check is about objects of that
/// very kind: then the reader wrote one.
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

/// The length to which the longer values are cut so that all together have `room`: an equal share of what the shorter ones leave.
fn share(lengths: &[usize], room: usize) -> usize {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    let (mut left, mut values) = (room, sorted.len());
    for length in sorted {
        if length * values > left {
            return (left / values).max(LEAST);
        }
        left -= length;
        values -= 1;
    }
    usize::MAX
}

/// `text` in at most `limit` characters: its beginning and its end, since hosts differ at the front and paths at the back.
fn shorten(text: &str, limit: usize) -> Cow<'_, str> {
    // No text has more characters than bytes, and most are short.
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

/// An address in at most [`NAME`] characters, without what could break a line.
pub fn address(at: &FieldPath) -> String {
    truncate(&at.text(), NAME)
}

/// `text` from outside in at most `limit` characters, without what could break a line.
pub fn truncate(text: &str, limit: usize) -> String {
    shorten(&cleaned(text), limit).into_owned()
}

/// `text` without what could break a line, hide text or turn its direction: such characters are spelled out.
pub fn sanitize(text: &str) -> String {
    cleaned(text).into_owned()
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
    use crate::finding::{Findings, Message};
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

    fn short(path: &str) -> Finding {
        Finding { message: Message { template: "path {}", ..conflict(path).message }, ..conflict(path) }
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
    fn the_address_goes_before_any_part_of_a_value_does() {
        let addressed = |text: &str| text.starts_with("spec.rules[0].http.paths[0].path: ");
        let path = "/shop";
        let whole = render_cause(&conflict(path), Disclosure::Namespace("web"));
        assert!(addressed(&render_warning(&short(path), Disclosure::All)));
        assert_eq!(
            render_warning(&conflict(path), Disclosure::Namespace("web")),
            whole,
            "with the address it is longer than a line"
        );
    }

    #[test]
    fn names_of_other_namespaces_can_be_kept_back() {
        let text = render_cause(&conflict("/cart"), Disclosure::Namespace("team-b"));
        assert!(text.contains("by an Ingress of another namespace"), "{text}");
        assert!(render_cause(&conflict("/cart"), Disclosure::Namespace("web")).contains("Ingress web/shop"));
    }

    #[test]
    fn a_kind_that_others_have_too_comes_with_its_group() {
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
