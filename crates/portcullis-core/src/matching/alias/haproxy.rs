//! Whether a snippet of HAProxy configuration can serve hosts that the object does not name.

/// The actions of `http-request` that answer a request, route it elsewhere, or change its host or path.
const ACTIONS: &[&str] = &[
    "auth",
    "deny",
    "redirect",
    "reject",
    "replace-path",
    "replace-pathq",
    "replace-uri",
    "return",
    "set-path",
    "set-pathq",
    "set-uri",
    "silent-drop",
    "tarpit",
    "use-service",
];

/// Whether the snippet begins a new section that accepts connections.
pub fn escapes(snippet: &str) -> bool {
    lines(snippet).any(|line| matches!(line.first().map(String::as_str), Some("frontend" | "listen")))
}

/// Whether the snippet determines how requests are answered, given that it is in the section that accepts the
/// connections for all hosts.
pub fn answers(snippet: &str) -> bool {
    let is_answer = |line: Vec<String>| {
        let word = |number: usize| line.get(number).map_or("", String::as_str);
        match word(0) {
            "backend" | "default_backend" | "frontend" | "listen" | "redirect" | "use_backend" | "bind" => true,
            "http-request" => {
                let sets_host = matches!(word(1), "set-header" | "replace-header" | "replace-value" | "del-header")
                    && word(2).eq_ignore_ascii_case("host");
                sets_host || ACTIONS.contains(&word(1)) || word(1).starts_with("lua.")
            }
            "tcp-request" | "filter" => line.iter().any(|word| word == "reject" || word == "fcgi-app"),
            _ => false,
        }
    };
    lines(snippet).any(is_answer)
}

/// The words of each line, without quotes.
fn lines(snippet: &str) -> impl Iterator<Item = Vec<String>> {
    let word = |word: &str| word.replace(['"', '\'', '\\'], "");
    snippet.lines().map(move |line| line.split_whitespace().map(word).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn haproxy_section_escapes_its_snippet() {
        assert!(escapes("timeout server 5s\nlisten evil\n  bind :80"));
        assert!(escapes("\"front\"end evil"));
        assert!(!escapes("http-request deny if { hdr(host) -i listen }\n# listen\nuse-server a if { always_true }"));
    }

    #[test]
    fn the_section_of_all_hosts_is_for_settings() {
        for snippet in [
            "use_backend team-b_evil_80 if { hdr(host) -i shop.example.com }",
            "default_backend team-b_evil_80",
            "http-request redirect location https://evil.example.org if { hdr(host) -i shop.example.com }",
            "http-request return status 200 if { req.hdr(host) shop.example.com }",
            "http-request set-header Host free.example.org",
            "http-request \"use-service\" lua.evil",
        ] {
            assert!(answers(snippet), "{snippet}");
        }
        for snippet in
            ["", "http-request set-header X-Frame-Options DENY", "# use_backend a", "option httplog\ntimeout client 5s"]
        {
            assert!(!answers(snippet), "{snippet}");
        }
    }
}
