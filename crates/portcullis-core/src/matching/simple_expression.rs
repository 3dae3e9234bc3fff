//! Regular expressions that say no more than a prefix.

/// The text after which an expression matches every path, such as `/cart` for `^/cart(.*)$`; `/` for every path. It may match further
/// paths. `None` for an expression that says more, or does not begin with a slash.
pub fn every_path_after(expression: &str) -> Option<&str> {
    let begun = expression.strip_prefix('^').unwrap_or(expression);
    let (text, is_ended) = begun.strip_suffix('$').map_or((begun, false), |text| (text, true));
    let all = ["(.*)", ".*"].iter().find_map(|all| text.strip_suffix(all));
    match all.unwrap_or(text) {
        "" if all.is_some() || !is_ended => Some("/"),
        text if text.contains(SPECIAL) || !text.starts_with('/') || (is_ended && all.is_none()) => None,
        text => Some(text),
    }
}

/// The text with which each path begins that an expression matches from its beginning on; `/` if it is not known.
pub fn beginning(expression: &str) -> &str {
    let begun = expression.strip_prefix('^').unwrap_or(expression);
    let end = begun.find(SPECIAL).unwrap_or(begun.len());
    let (text, rest) = begun.split_at(end);
    // What follows may make the last character optional.
    let last = text.chars().next_back().filter(|_| rest.starts_with(['?', '*', '{'])).map_or(0, char::len_utf8);
    let text = &text[..text.len() - last];
    if text.starts_with('/') && !expression.contains('|') { text } else { "/" }
}

/// The characters with a meaning in an expression.
const SPECIAL: [char; 14] = ['\\', '.', '+', '*', '?', '(', ')', '|', '[', ']', '{', '}', '^', '$'];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_an_expression_that_ends_in_everything_is_known() {
        for every in ["", "/", "/.*", ".*", "^/", "^.*", "^/.*", "^/.*$", "/(.*)", "^/(.*)$", "(.*)"] {
            assert_eq!(every_path_after(every), Some("/"), "{every}");
        }
        for cart in ["/cart", "^/cart", "/cart.*", "^/cart(.*)$"] {
            assert_eq!(every_path_after(cart), Some("/cart"), "{cart}");
        }
        for (expression, text) in [
            ("/c[a]rt.*", "/c"),
            ("^/cart/[0-9]+$", "/cart/"),
            ("/cart?", "/car"),
            ("/*cart", "/"),
            ("/cart|/", "/"),
            ("/(a|b)", "/"),
            ("[/]cart", "/"),
            ("cart", "/"),
            ("/cart", "/cart"),
        ] {
            assert_eq!(beginning(expression), text, "{expression}");
        }
        for other in ["^$", "/cart$", "/c.t", "/cart?", "/(a|b)", "cart", "/(cart", "/.+", r"/\w*"] {
            assert_eq!(every_path_after(other), None, "{other}");
        }
    }
}
