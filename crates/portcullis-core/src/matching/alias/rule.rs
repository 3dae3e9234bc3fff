//! The hosts in Skipper predicates and Traefik rules. Both consist of calls such as ``Host(`shop.example.com`)``.

use std::borrow::Cow;

use super::name::HostEntry;
use super::regex;
use crate::matching::Host;

/// The hosts that Skipper predicates name.
pub fn of_skipper(text: &str) -> Vec<Host<'static>> {
    let Some(read) = Calls::read(text) else { return vec![Host::Any] };
    let hosts = read.calls.iter().flat_map(|call| match call.name {
        "Host" => call.all(regex::bound),
        "HostAny" => call.all(named),
        _ => Vec::new(),
    });
    hosts.collect()
}

/// The conditions of Skipper predicates beyond host and path (method and headers), each with the values of which one
/// must match. Empty if the predicates are not a conjunction.
pub fn skipper_conditions(text: &str) -> Vec<(String, Vec<Box<str>>)> {
    let Some(read) = Calls::read(text).filter(|read| read.is_conjunction) else { return Vec::new() };
    let conditions = read.calls.iter().filter_map(|call| {
        let texts = || call.texts.iter().map(|text| text.to_ascii_lowercase().into());
        match (call.name, call.texts.as_slice()) {
            ("Method" | "Methods", [_, ..]) => Some(("method".to_owned(), texts().collect())),
            ("Header", [name, _]) => Some((format!("header {}", name.to_ascii_lowercase()), texts().skip(1).collect())),
            _ => None,
        }
    });
    conditions.collect()
}

/// The hosts that a Traefik matcher annotation names; none if it is only the name of a matcher, as intended. Traefik
/// inserts the value between the rule's own host and the path, so anything but additional conditions may match every
/// host.
pub fn of_traefik(text: &str) -> Vec<Host<'static>> {
    let Some(read) = Calls::read(text).filter(|read| read.is_conjunction) else { return vec![Host::Any] };
    let hosts = read.calls.iter().flat_map(|call| match call.name {
        "Host" | "HostHeader" | "HostSNI" => call.all(named),
        "HostRegexp" | "HostSNIRegexp" => call.all(regex::bound),
        _ => Vec::new(),
    });
    hosts.collect()
}

fn named(text: &str) -> Vec<Host<'static>> {
    HostEntry::of(text.trim()).into_hosts().into_iter().map(Host::into_owned).collect()
}

/// The calls in a text.
struct Calls<'t> {
    calls: Vec<Call<'t>>,
    /// Whether the text between the calls contains only names, `&&` and parentheses.
    is_conjunction: bool,
}

/// One call, with its arguments that are strings or regular expressions.
struct Call<'t> {
    name: &'t str,
    texts: Vec<Cow<'t, str>>,
}

impl Call<'_> {
    fn all(&self, read: impl Fn(&str) -> Vec<Host<'static>>) -> Vec<Host<'static>> {
        self.texts.iter().flat_map(|text| read(text)).collect()
    }
}

impl<'t> Calls<'t> {
    /// Parses a text; `None` if a quoted string is not closed.
    fn read(text: &'t str) -> Option<Self> {
        let mut read = Self { calls: Vec::new(), is_conjunction: true };
        let (mut rest, mut name, mut matches) = (text, "", false);
        while let Some(first) = rest.chars().next() {
            let taken = match first {
                '"' | '`' => read.text(rest, first, matches)?,
                '/' if matches => read.text(rest, first, matches)?,
                '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                '(' if !name.is_empty() => {
                    read.calls.push(Call { name, texts: Vec::new() });
                    matches = true;
                    1
                }
                ')' => {
                    matches = false;
                    1
                }
                _ if is_letter(first) => rest.find(|letter| !is_letter(letter)).unwrap_or(rest.len()),
                _ => {
                    read.is_conjunction &= matches || first.is_whitespace() || "&(".contains(first);
                    first.len_utf8()
                }
            };
            if is_letter(first) {
                name = &rest[..taken];
            } else if !first.is_whitespace() {
                name = "";
            }
            rest = &rest[taken..];
        }
        Some(read)
    }

    /// Parses a quoted string, which is an argument of the last call if that is still open.
    fn text(&mut self, rest: &'t str, quote: char, matches: bool) -> Option<usize> {
        let mut letters = rest.char_indices().skip(1);
        let end = loop {
            match letters.next()? {
                (_, '\\') if quote != '`' => drop(letters.next()),
                (at, letter) if letter == quote => break at,
                _ => {}
            }
        };
        let inner = &rest[1..end];
        let text = if quote == '"' && inner.contains('\\') { inner.replace("\\\\", "\\").into() } else { inner.into() };
        match self.calls.last_mut().filter(|_| matches) {
            Some(call) => call.texts.push(text),
            None => self.is_conjunction = false,
        }
        Some(end + 1)
    }
}

fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(hosts: &[Host<'_>]) -> String {
        hosts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn skipper_predicates_name_hosts_by_expressions() {
        for (text, hosts) in [
            (r#"QueryParam("version", "^alpha$")"#, ""),
            (r"Host(/^shop[.]example[.]com$/)", "shop.example.com"),
            (r#"Host("^shop\\.example\\.com$") && Path("/a")"#, "shop.example.com"),
            (r#"HostAny("a.example.com", "b.example.com:80")"#, "a.example.com b.example.com"),
            (r#"r: Path("/x") && Host(/shop/) -> setPath("/y") -> <shunt>;"#, "*"),
            (r#"Header("X", "Host(/a/)")"#, ""),
            ("// Host(/a/)\nMethod(\"GET\")", ""),
            (r#"Host("^a"#, "*"),
        ] {
            assert_eq!(written(&of_skipper(text)), hosts, "{text}");
        }
    }

    #[test]
    fn rules_in_place_of_traefik_matchers_name_hosts() {
        for (text, hosts) in [
            ("PathPrefix", ""),
            ("PathRegexp", ""),
            ("Host(`shop.example.com`) && PathPrefix", "shop.example.com"),
            ("Host(`a.example.com`, `b.example.com`)", "a.example.com b.example.com"),
            ("HostRegexp(`^.+\\.example\\.com$`) && PathPrefix", "*.example.com"),
            ("PathPrefix(`/`) || PathPrefix", "*"),
            ("!Host(`own.example.org`) && PathPrefix", "*"),
            ("Host:shop.example.com;PathPrefix", "*"),
        ] {
            assert_eq!(written(&of_traefik(text)), hosts, "{text}");
        }
    }
}
