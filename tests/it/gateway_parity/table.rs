//! The cases in which the API server and Portcullis differ, with the reasons.

/// Cases that only one side refuses.
pub struct Difference {
    /// A pattern for the names of the cases. `*` matches any text.
    pub cases: &'static str,
    /// The reason.
    #[allow(dead_code, reason = "read by people")]
    pub why: &'static str,
}

impl Difference {
    /// Whether the pattern matches the name of a case.
    pub fn covers(&self, name: &str) -> bool {
        let mut parts = self.cases.split('*');
        let first = parts.next().unwrap_or_default();
        let Some(mut rest) = name.strip_prefix(first) else { return false };
        let mut last = None;
        for part in parts {
            let Some(at) = rest.find(part) else { return false };
            rest = &rest[at + part.len()..];
            last = Some(part);
        }
        rest.is_empty() || last.is_some_and(|part| part.is_empty() || name.ends_with(part))
    }
}

const USELESS: &str = "only the experimental channel has the field, and nothing here depends on its value";
const LISTS: &str = "lists of header names for an experimental filter, which no check looks into";

pub const DIFFERENCES: &[Difference] = &[
    Difference { cases: "* spec.useDefaultGateways \"Bogus\"", why: USELESS },
    Difference { cases: "* spec.rules[].filters[].externalAuth.http.allowedHeaders *", why: LISTS },
    Difference { cases: "* spec.rules[].filters[].externalAuth.http.allowedResponseHeaders *", why: LISTS },
    Difference { cases: "* spec.rules[].filters[].externalAuth.grpc.allowedHeaders *", why: LISTS },
];
