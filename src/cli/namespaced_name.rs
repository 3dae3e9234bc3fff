//! Arguments such as `portcullis/portcullis`: the namespace and the name of an object.

/// Parses `NAMESPACE/NAME` into its two parts. Neither is empty.
pub fn parse_namespaced_name(written: &str) -> Result<(String, String), String> {
    match written.split_once('/') {
        Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() && !name.contains('/') => {
            Ok((namespace.to_owned(), name.to_owned()))
        }
        _ => Err("must be NAMESPACE/NAME".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespace_and_name_are_required() {
        assert_eq!(parse_namespaced_name("web/edge"), Ok(("web".to_owned(), "edge".to_owned())));
        for written in ["", "edge", "/edge", "web/", "web/edge/a"] {
            assert!(parse_namespaced_name(written).is_err(), "{written}");
        }
    }
}
