//! Whether a snippet of nginx configuration can serve hosts that the object does not name.

use super::lua;

/// The directives by which a block serves hosts or includes other text.
const TAKING: &[&str] = &["include", "listen", "server_name"];

/// Whether a snippet of nginx configuration names a server, listens, includes a file, or closes the block into which it
/// is inserted.
pub fn escapes_nginx(snippet: &str) -> bool {
    escapes(snippet, true)
}

/// Whether the value of an annotation ends the directive and the block into which it is inserted, whether or not the
/// directive quotes the value.
pub fn escapes_nginx_as_value(value: &str) -> bool {
    // Only `;` ends a directive with a value.
    value.contains(';')
        && (escapes(value, false) || ['"', '\''].into_iter().any(|quote| escapes_nginx_quoted(value, quote)))
}

/// Whether the value of an annotation that is inserted between two of these quotes ends them, the directive and the block.
pub fn escapes_nginx_quoted(value: &str, quote: char) -> bool {
    value.contains(quote) && escapes(&format!("{quote}{value}"), false)
}

/// Whether `snippet` escapes. `is_piece` says whether it begins with a directive; otherwise it is the rest of one.
fn escapes(snippet: &str, is_piece: bool) -> bool {
    let mut begins = is_piece;
    let (mut words, mut depth) = (Words(snippet), 0_usize);
    let mut is_lua = false;
    while let Some(word) = words.next() {
        begins = match word {
            Word::Mark('{') if is_lua => match lua::block(words.0) {
                Some(rest) => {
                    words.0 = rest;
                    true
                }
                None => return true,
            },
            // Within a directive, a brace does not end a block.
            Word::Mark('}') if depth == 0 => return begins || is_piece,
            Word::Mark(mark) => {
                depth = if mark == '{' { depth + 1 } else { depth.saturating_sub(usize::from(mark == '}')) };
                true
            }
            Word::Text(text) if begins && TAKING.contains(&text) => return true,
            Word::Text(text) => {
                is_lua = if begins { text.ends_with("_by_lua_block") } else { is_lua };
                false
            }
        };
        is_lua &= !begins;
    }
    false
}

/// The words of a snippet of nginx configuration, without comments.
struct Words<'s>(&'s str);

enum Word<'s> {
    /// `;`, `{` or `}`.
    Mark(char),
    /// Any other word, without quotes.
    Text(&'s str),
}

impl<'s> Iterator for Words<'s> {
    type Item = Word<'s>;

    fn next(&mut self) -> Option<Word<'s>> {
        self.0 = self.0.trim_start_matches(is_space);
        while let Some(comment) = self.0.strip_prefix('#') {
            self.0 = comment.split_once('\n').map_or("", |(_, rest)| rest.trim_start_matches(is_space));
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

/// Whether nginx separates words by the character. Other white space is part of a word.
fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\r' | '\n')
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

/// The length of an unquoted word. `${` belongs to a variable.
fn unquoted(text: &str) -> usize {
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '$' => drop(letters.next_if(|(_, next)| *next == '{')),
            ';' | '{' => return at,
            _ if is_space(letter) => return at,
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
            "include /tmp/other.conf;",
            "location /x { include snippets/*.conf; }",
            // nginx does not treat these characters as white space, so no comment begins after them.
            "set $x \u{a0}# ; } server {\n",
            "set $x \u{b}# ; } server {\n",
            // Within a Lua block, comments and strings have Lua syntax, and outside of it nginx syntax.
            "access_by_lua_block { local n = #t } server_name shop.example.com;",
            "access_by_lua_block { local n = #t } } server { ",
            "access_by_lua_block { -- }\n } server_name shop.example.com;",
            "access_by_lua_block { -- it's\n } server_name shop.example.com; # '",
            "access_by_lua_block { --[[ } ]] } server_name shop.example.com;",
            "access_by_lua_block { s = [==[ { ]] ]==] } listen 8080;",
            "set_by_lua_block $x { return \"}\" } listen 8080;",
            "\"access_by_lua_block\" { return '{' } } server {",
            // The end of the Lua block is not found.
            "access_by_lua_block { s = [[ } ",
            "access_by_lua_block { s = \"}",
            "access_by_lua_block { if x then",
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
            "access_by_lua_block { local t = {1, 2}; local n = #t -- }\n }\nreturn 204;",
            "content_by_lua_block { --[==[ } server_name ]==] ngx.say([[ } ]]) }",
            "location /x { content_by_lua_block { ngx.say('} listen') } }",
            "header_filter_by_lua_block { ngx.header['a'] = \"it's \\\"}\" }",
        ] {
            assert!(!escapes_nginx(snippet), "{snippet}");
        }
    }

    #[test]
    fn a_value_escapes_where_it_ends_its_directive_and_its_block() {
        for value in [
            "/x; } server { server_name shop.example.com; location / { return 200; }",
            "/x;}server{",
            "https://x/ ; } #",
            "\"; } server {",
            "x'; } server { #'",
            "/x; include /tmp/a.conf",
        ] {
            assert!(escapes_nginx_as_value(value), "{value}");
        }
        for value in [
            "/$1",
            "/$2?a=b;c=d",
            "https://shop.example.com/a;b",
            "^[0-9]{2}$",
            "/ \"/; Secure; HttpOnly\"",
            "{\"a\": {\"b\": \"}\"}}",
            "${request_uri}-a",
            "CN=(a|b){1,2};x",
            "serviceName=tea rewrite=/;serviceName=coffee rewrite=/beans/",
        ] {
            assert!(!escapes_nginx_as_value(value), "{value}");
        }
    }

    #[test]
    fn a_quoted_value_escapes_where_it_ends_the_quotes_first() {
        for value in ["\"; } server {", "a\\\\\"; include /tmp/a.conf"] {
            assert!(escapes_nginx_quoted(value, '"'), "{value}");
        }
        for value in ["Please listen; include you", "a; } server {", "a '; } server {", "a\\\"; } server {", "\"a\"; b"]
        {
            assert!(!escapes_nginx_quoted(value, '"'), "{value}");
        }
    }
}
