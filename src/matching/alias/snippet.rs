//! Whether a piece of a proxy's configuration can take hosts that the object does not name.

/// Whether a piece of nginx's configuration names a server, listens somewhere, or leaves the block into which it is put.
pub fn escapes_nginx(snippet: &str) -> bool {
    let (mut depth, mut begins) = (0_usize, true);
    for word in Words(snippet) {
        begins = match word {
            Word::Mark('}') if depth == 0 => return true,
            Word::Mark(mark) => {
                depth = if mark == '{' { depth + 1 } else { depth.saturating_sub(usize::from(mark == '}')) };
                true
            }
            Word::Text("server_name" | "listen") if begins => return true,
            Word::Text(_) => false,
        };
    }
    false
}

/// Whether a piece of HAProxy's configuration begins a section of its own that takes connections.
pub fn escapes_haproxy(snippet: &str) -> bool {
    let begins = |line: &str| line.split_whitespace().next().map(|word| word.replace(['"', '\'', '\\'], ""));
    snippet.lines().filter_map(begins).any(|word| word == "frontend" || word == "listen")
}

/// The words of a piece of nginx's configuration, without comments.
struct Words<'s>(&'s str);

enum Word<'s> {
    /// `;`, `{` or `}`.
    Mark(char),
    /// Any other word, without its quotes.
    Text(&'s str),
}

impl<'s> Iterator for Words<'s> {
    type Item = Word<'s>;

    fn next(&mut self) -> Option<Word<'s>> {
        self.0 = self.0.trim_start();
        while let Some(comment) = self.0.strip_prefix('#') {
            self.0 = comment.split_once('\n').map_or("", |(_, rest)| rest.trim_start());
        }
        let first = self.0.chars().next()?;
        let length = match first {
            '"' | '\'' => quoted(self.0, first),
            ';' | '{' | '}' => 1,
            _ => unquoted(self.0),
        };
        let (word, rest) = self.0.split_at(length);
        self.0 = rest;
        Some(match first {
            ';' | '{' | '}' => Word::Mark(first),
            '"' | '\'' => Word::Text(word.trim_matches(first)),
            _ => Word::Text(word),
        })
    }
}

/// The length of a quoted word.
fn quoted(text: &str, quote: char) -> usize {
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            _ if letter == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a word without quotes; `${` belongs to a variable.
fn unquoted(text: &str) -> usize {
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '$' => drop(letters.next_if(|(_, next)| *next == '{')),
            ';' | '{' => return at,
            _ if letter.is_whitespace() => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_that_names_a_server_or_leaves_its_block_escapes() {
        for snippet in [
            "server_name shop.example.com;",
            "return 204;\n  server_name shop.example.com;",
            "location /x { return 204; } server_name .example.com;",
            "# harmless\nlisten 8080;",
            "\"server_name\" shop.example.com;",
            "} server { location / { return 204; }",
            "location /x { return 204; }}",
            "set $x \"{\"; }",
            "set $x '\\''; } server {",
            "set $x \"}\"; }",
        ] {
            assert!(escapes_nginx(snippet), "{snippet}");
        }
    }

    #[test]
    fn a_piece_that_stays_in_its_block_does_not_escape() {
        for snippet in [
            "",
            "proxy_set_header X-Name $server_name;",
            "add_header X-Note \"server_name x; }\";",
            "# server_name shop.example.com; }\nreturn 204;",
            "location /x { if ($host = a) { return 204; } }",
            "more_set_headers 'listen: here';",
            "set $x \"}\"; set $y ';}';",
            "set $x ${server_name}y; location / { return 204; }",
            "rewrite ^/a\\}$ /b;",
            "log_format x escape=json '{\"a\": \"$host\"}';",
        ] {
            assert!(!escapes_nginx(snippet), "{snippet}");
        }
    }

    #[test]
    fn a_section_of_haproxy_escapes() {
        assert!(escapes_haproxy("timeout server 5s\nlisten evil\n  bind :80"));
        assert!(escapes_haproxy("\"front\"end evil"));
        assert!(!escapes_haproxy(
            "http-request deny if { hdr(host) -i listen }\n# listen\nuse-server a if { always_true }"
        ));
    }
}
