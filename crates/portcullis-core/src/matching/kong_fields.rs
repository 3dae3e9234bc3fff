//! What a rule tests in Kong, which tries the rule with the most fields first.

use super::simple_expression;
use crate::kinds::Entries;

/// The methods that a request may have in Kong.
pub const METHODS: &str = "konghq.com/methods";
/// The beginning of the keys of headers that a request must have in Kong.
pub const HEADERS: &str = "konghq.com/headers.";
/// The names of TLS of which a connection must have one in Kong.
pub const SNIS: &str = "konghq.com/snis";
/// Hosts that Kong adds to each rule.
pub const ALIASES: &str = "konghq.com/host-aliases";
/// The place of an expression among those that test as many fields.
pub const REGEX_PRIORITY: &str = "konghq.com/regex-priority";
/// The annotation that replaces [`EXPRESSION`].
pub const REGEX_PREFIX: &str = "konghq.com/regex-prefix";
/// The beginning of a path of type `ImplementationSpecific` that is an expression.
pub const EXPRESSION: &str = "/~";
/// An object with settings, which older releases read.
const OVERRIDE: &str = "konghq.com/override";

/// The number of fields beside host and path that the settings of an object may test: methods, headers and names of TLS.
const ANNOTATED_FIELDS: i64 = 3;

/// The distance between the ranks of rules with different numbers of fields.
const FIELD: i64 = 1 << 32;

/// What the annotations of Kong add to the fields that each rule of an Ingress tests (`overrideByAnnotation` in
/// internal/dataplane/kongstate/route.go of its controller, `get_priority` in kong/router/transform.lua of Kong).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct KongFields {
    /// The fields that all of Kong's routers read.
    certain: i64,
    /// The same with those that some of them ignore.
    listed: i64,
    /// Whether an object with settings may add others.
    is_open: bool,
    /// Whether an annotation adds hosts to each rule.
    adds_hosts: bool,
    /// Whether one of these hosts is a wildcard.
    adds_wildcards: bool,
    /// The place of its expressions among those with as many fields, the greatest first. The controller ignores what is not a number.
    regex_priority: i64,
}

impl KongFields {
    /// Reads the annotations of an Ingress.
    pub fn of(annotations: &Entries<'_>) -> Self {
        let list = |key| annotations.get(key).map(|value| &**value).filter(|value| !value.is_empty());
        let are = |text: &str, is: fn(&str) -> bool| text.split(',').all(is);
        let header = |(key, value): (&str, &str)| {
            let name = key.strip_prefix(HEADERS).filter(|name| !name.is_empty() && !value.is_empty())?;
            Some(!name.eq_ignore_ascii_case("host"))
        };
        let tests = [
            list(METHODS).map(|text| are(text, is_method)),
            list(SNIS).map(|text| are(text, is_name)),
            annotations.iter().filter_map(header).reduce(|all, is_read| all && is_read),
        ];
        let number = |is: fn(bool) -> bool| tests.iter().flatten().map(|is_read| i64::from(is(*is_read))).sum::<i64>();
        let priority = list(REGEX_PRIORITY).and_then(|value| value.parse().ok());
        Self {
            certain: number(|is_read| is_read),
            listed: number(|_| true),
            is_open: list(OVERRIDE).is_some(),
            adds_hosts: list(ALIASES).is_some(),
            adds_wildcards: list(ALIASES).is_some_and(|hosts| hosts.contains('*')),
            regex_priority: priority.unwrap_or_default(),
        }
    }

    /// The same without what only changes the order.
    pub fn without_order(self) -> Self {
        Self { regex_priority: 0, ..self }
    }

    /// Whether the annotations add fields to those of each rule, which then matches fewer requests.
    pub fn add_fields(self) -> bool {
        self.listed > 0
    }

    /// The place of its expressions among those with as many fields, the greatest first.
    pub fn regex_priority(self) -> i64 {
        self.regex_priority
    }

    /// The minimum number of fields beside its path that a rule tests, which has a host or not.
    pub fn least(self, has_host: bool) -> i64 {
        self.certain + i64::from(has_host)
    }

    /// The maximum number of these fields.
    pub fn most(self, has_host: bool) -> i64 {
        let added = if self.is_open { ANNOTATED_FIELDS } else { self.listed };
        added + i64::from(has_host || self.adds_hosts)
    }

    /// The greatest rank that a rule may have, by all fields that it lists; of rules without annotated fields, the priorities of
    /// expressions count as well.
    pub fn rank(self, has_host: bool, is_expression: bool) -> i64 {
        let place = Some(self.place()).filter(|_| is_expression && self.has_certain_place());
        (self.listed + i64::from(has_host)) * FIELD + place.unwrap_or_default()
    }

    /// The rank above which another rule may be tried before one with these fields. It `is_expression` if that is certain, and if the other
    /// rule has its host.
    pub fn limit(self, has_host: bool, is_expression: bool) -> i64 {
        let place = Some(self.place()).filter(|_| is_expression && self.has_certain_place());
        self.least(has_host) * FIELD + place.unwrap_or(FIELD - 1)
    }

    fn place(self) -> i64 {
        1 + self.regex_priority.clamp(0, FIELD - 3)
    }

    fn has_certain_place(self) -> bool {
        self.listed == 0 && !self.is_open && !self.adds_wildcards
    }
}

/// Whether the controller reads a method. It ignores case and surrounding spaces.
fn is_method(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_alphabetic())
}

/// Whether Kong's controller reads a name of TLS.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_alphanumeric() || b"-.".contains(&letter))
}

/// Whether TLS connections for the server name `name` may meet the names that annotations of Kong require, if they require any. The
/// controller ignores a list with an entry that is not a name.
pub fn allows_name(annotations: &Entries<'_>, name: &str) -> bool {
    let is_possible = |own: &str| !is_name(own) || own.trim_end_matches('.').eq_ignore_ascii_case(name);
    let required = annotations.get(SNIS).filter(|names| !names.is_empty());
    required.is_none_or(|names| names.split(',').map(str::trim).any(is_possible))
}

/// The expression in a path of type `ImplementationSpecific`, and the text after which it matches every path if it says no more.
pub fn expression(path: &str) -> Option<(&str, Option<&str>)> {
    let expression = path.strip_prefix(EXPRESSION)?;
    Some((expression, simple_expression::every_path_after(expression)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::Ingress;

    fn fields(annotations: &str) -> KongFields {
        let json = format!(r#"{{"metadata": {{"annotations": {{{annotations}}}}}}}"#);
        let ingress: Ingress<'_> = serde_json::from_str(&json).expect("an Ingress");
        KongFields::of(&ingress.metadata.annotations)
    }

    #[test]
    fn conditions_of_kong_are_counted_if_all_its_routers_read_them() {
        let range = |annotations: &str, has_host| {
            let fields = fields(annotations);
            (fields.least(has_host), fields.most(has_host))
        };
        assert_eq!(range("", true), (1, 1));
        assert_eq!(range(r#""konghq.com/methods": "GET,PUT", "konghq.com/snis": "a.b""#, false), (2, 2));
        assert_eq!(range(r#""konghq.com/headers.a": "1", "konghq.com/headers.b": "1""#, true), (2, 2));
        assert_eq!(range(r#""konghq.com/methods": "GET, put""#, true), (2, 2));
        assert_eq!(range(r#""konghq.com/methods": "GET,""#, true), (1, 2));
        assert_eq!(range(r#""konghq.com/headers.Host": "x""#, true), (1, 2));
        assert_eq!(range(r#""konghq.com/override": "x""#, true), (1, 4));
        let aliases = r#""konghq.com/host-aliases": "a.b""#;
        assert_eq!((range(aliases, false), range(aliases, true)), ((0, 1), (1, 1)));
    }

    #[test]
    fn an_expression_precedes_one_with_as_many_fields_by_its_priority() {
        let (own, other) = (fields(r#""konghq.com/regex-priority": "9""#), fields(""));
        assert!(own.rank(true, true) > other.limit(true, true) && other.rank(true, true) <= own.limit(true, true));
        assert!(own.rank(true, false) <= other.limit(true, true) && own.rank(true, true) <= other.limit(true, false));
        let conditional = fields(r#""konghq.com/methods": "GET""#);
        assert!(own.rank(true, true) <= conditional.limit(true, true));
        assert!(conditional.rank(true, false) > own.limit(true, true));
    }

    #[test]
    fn a_connection_needs_one_of_the_names_of_kong() {
        let allows = |names: &'static str, name: &str| allows_name(&Entries(vec![(SNIS.into(), names.into())]), name);
        assert!(allows("", "a.b") && allows("c.d, A.b.", "a.b") && allows_name(&Entries::default(), "a.b"));
        assert!(!allows("c.d", "a.b") && !allows("a.b", ""));
        assert!(allows("c.d,", "a.b") && allows("c_d", "a.b"), "the list is ignored");
    }
}
