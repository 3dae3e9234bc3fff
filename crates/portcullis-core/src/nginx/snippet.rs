//! What the directives of a snippet do to every request, as far as it always shows.

/// A directive, and where its effect shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownDirective {
    /// The directive, such as `proxy_set_header x-team`.
    pub text: String,
    /// Where it shows.
    pub shown: Shown,
}

/// Where the effect of a directive shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// Backends get a header with this name, in lower case.
    InRequest(String),
    /// Clients get a header with this name, in lower case.
    InResponse(String),
    /// nginx answers itself.
    InReply,
}

/// The headers that ingress-nginx sends to backends without a snippet.
const USUAL: [&str; 10] = [
    "connection",
    "host",
    "proxy",
    "upgrade",
    "x-original-forwarded-for",
    "x-original-uri",
    "x-real-ip",
    "x-request-id",
    "x-scheme",
    "x-sent-from",
];

/// The variables of nginx and the controller that always have a value.
const ALWAYS_SET: [&str; 6] = ["host", "remote_addr", "req_id", "request_id", "scheme", "server_port"];

/// The first directive of a snippet in the annotation with this name whose effect always shows.
pub fn shown(annotation: &str, snippet: &str) -> Option<ShownDirective> {
    let is_of_server = match annotation {
        "configuration-snippet" => false,
        "server-snippet" => true,
        _ => return None,
    };
    directives(snippet).into_iter().find_map(|words| {
        let (name, arguments) = words.split_first()?;
        let shown = match (name.as_str(), arguments) {
            ("return", [_, ..]) => Shown::InReply,
            // Locations have headers of their own, so that they inherit none.
            ("proxy_set_header", [header, value]) if !is_of_server && has_value(value) => {
                let header = header.to_ascii_lowercase();
                let is_usual = USUAL.contains(&header.as_str()) || header.starts_with("x-forwarded-");
                Shown::InRequest(Some(header).filter(|_| !is_usual)?)
            }
            ("add_header", [header, value, ..]) if !is_of_server && has_value(value) => {
                Shown::InResponse(header.to_ascii_lowercase())
            }
            // With a flag, it depends on the status code or the type.
            ("more_set_headers", headers) if !headers.iter().any(|header| header.starts_with('-')) => {
                let set =
                    headers.iter().find_map(|header| header.split_once(':').filter(|(_, value)| has_value(value)));
                Shown::InResponse(set?.0.trim().to_ascii_lowercase())
            }
            _ => return None,
        };
        let text = match &shown {
            Shown::InReply => name.clone(),
            Shown::InRequest(header) | Shown::InResponse(header) => format!("{name} {header}"),
        };
        Some(ShownDirective { text, shown })
    })
}

/// Whether a value with variables is never empty, and not what the client sent.
fn has_value(value: &str) -> bool {
    let mut parts = value.split('$');
    let is_literal = parts.next().is_some_and(|first| !first.trim().is_empty());
    is_literal
        || parts.any(|part| {
            let part = part.trim_start_matches('{');
            let end = part.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(part.len());
            let (name, rest) = part.split_at(end);
            ALWAYS_SET.contains(&name) || !rest.trim_start_matches('}').trim().is_empty()
        })
}

/// The words of each directive that is in no block, without quotes.
fn directives(snippet: &str) -> Vec<Vec<String>> {
    let (mut all, mut words, mut word) = (Vec::new(), Vec::new(), None::<String>);
    let (mut depth, mut quote) = (0_usize, None);
    let mut letters = snippet.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', _) => word.get_or_insert_default().extend(letters.next()),
            (letter, Some(open)) if letter == open => quote = None,
            (letter, Some(_)) => word.get_or_insert_default().push(letter),
            ('"' | '\'', None) if word.is_none() => {
                (quote, word) = (Some(letter), Some(String::new()));
            }
            ('#', None) if word.is_none() => drop(letters.by_ref().find(|letter| *letter == '\n')),
            // The braces of a variable.
            ('{', None) if word.as_ref().is_some_and(|word| word.ends_with('$')) => {
                word.get_or_insert_default().extend(letters.by_ref().take_while(|letter| *letter != '}'));
            }
            (';' | '{' | '}', None) => {
                words.extend(word.take());
                let directive = std::mem::take(&mut words);
                match letter {
                    ';' if depth == 0 => all.push(directive),
                    '{' => depth += 1,
                    '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            (letter, None) if letter.is_whitespace() => words.extend(word.take()),
            (letter, None) => word.get_or_insert_default().push(letter),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_whose_effect_always_shows_are_found() {
        let of = |annotation: &str, text: &str| shown(annotation, text).map(|found| (found.text, found.shown));
        let header = |text: &str| of("configuration-snippet", text).map(|(text, _)| text);
        for (text, expected) in [
            (r#"proxy_set_header X-Team "a";"#, Some("proxy_set_header x-team")),
            ("proxy_set_header a $service_name.$namespace.svc:80;", Some("proxy_set_header a")),
            ("proxy_set_header a $http_a;", None),
            ("proxy_set_header a ${host};", Some("proxy_set_header a")),
            (r#"proxy_set_header a "";"#, None),
            ("proxy_set_header X-Forwarded-Proto https;", None),
            ("# proxy_set_header a b;\nproxy_buffering off;", None),
            ("if ($x) { proxy_set_header a b; } add_header c 'd e';", Some("add_header c")),
            (r#"more_set_headers "Request-Id: $req_id";"#, Some("more_set_headers request-id")),
            (r#"more_set_headers "Server: ";"#, None),
            ("more_set_headers -s 404 'a: b';", None),
            ("proxy_set_header a b", None),
            ("location /x { return 200; }", None),
            ("return 301 https://a.com;", Some("return")),
        ] {
            assert_eq!(header(text).as_deref(), expected, "{text}");
        }
        assert_eq!(of("server-snippet", "proxy_set_header a b; add_header c d;"), None);
        assert_eq!(of("server-snippet", "return 200 'x';"), Some(("return".to_owned(), Shown::InReply)));
        assert_eq!(of("auth-snippet", "return 200;"), None);
    }
}
