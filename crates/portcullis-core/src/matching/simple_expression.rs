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
        for other in ["^$", "/cart$", "/c.t", "/cart?", "/(a|b)", "cart", "/(cart", "/.+", r"/\w*"] {
            assert_eq!(every_path_after(other), None, "{other}");
        }
    }
}
