//! The rules of an Ingress, one for each path.

use super::candidate::Candidate;
use super::ingress::{Dialect, kong};
use crate::field::At;
use crate::kinds::ingress::{Backend, HttpPath};
use crate::kinds::{Ingress, ObjectRef};
use crate::matching::alias::Aliased;
use crate::matching::annotation_effect::{Effect, MATCHER};
use crate::matching::claimed_host::ClaimLocation;
use crate::matching::compile::Reach;
use crate::matching::pattern::Pattern;
use crate::matching::route::path_of;
use crate::matching::rule_order::RuleOrder;
use crate::matching::{Claims, Host, Path, PathTest, PathType, Readers};

/// One path of a rule, or the host alone if the rule has no paths.
pub(super) struct HostRule<'w> {
    pub(super) source: usize,
    pub(super) host: Host<'w>,
    pub(super) candidate: Candidate<'w>,
    /// The backend of the path; `None` if the default backend answers.
    pub(super) backend: Option<&'w Backend<'w>>,
    /// The annotation that adds the host, if any.
    pub(super) alias: Option<&'w str>,
}

impl<'w> HostRule<'w> {
    /// A copy of the rule for a host that the annotation `key` adds.
    fn under_alias(&self, host: Host<'w>, key: &'w str) -> Self {
        let (path, headers, query) = (self.candidate.path.clone(), Box::default(), Box::default());
        let Candidate {
            object,
            field,
            head,
            created,
            spelling,
            is_defined,
            expression_order,
            is_canary,
            method,
            position,
            ..
        } = self.candidate;
        let candidate = Candidate {
            object,
            field,
            head,
            created,
            path,
            spelling,
            is_defined,
            expression_order,
            is_canary,
            method,
            headers,
            query,
            position,
        };
        Self { source: self.source, host, candidate, backend: self.backend, alias: Some(key) }
    }
}

/// A host that an annotation adds, or may add.
pub(super) struct AddedHost<'w> {
    pub(super) key: &'w str,
    pub(super) host: Host<'w>,
    /// Whether exactly this host is added. Otherwise the annotation may add hosts that `host` covers.
    pub(super) is_served: bool,
}

/// The hosts that annotations add to the rules of an Ingress, if one of these controllers serves it.
pub(super) fn added<'w>(ingress: &'w Ingress<'w>, readers: &[Readers]) -> Vec<AddedHost<'w>> {
    let claims = Claims::of_ingress(ingress);
    let is_read = |aliased: &&Aliased<'w>| aliased.alias.adds_to_rules() && aliased.alias.is_read_by(readers);
    let read = claims.aliases.iter().filter(is_read).flat_map(|aliased| aliased.claims(&claims.hosts));
    let added = read.filter_map(|claim| {
        let ClaimLocation::Annotation(_, key) = claim.at else { return None };
        let is_served = claim.is_served() && claim.host.is_well_formed();
        Some(AddedHost { key, host: claim.host, is_served })
    });
    added.collect()
}

/// The rules of an Ingress for the hosts that annotations add. Each such host gets the rules of every host that the
/// Ingress names.
pub(super) fn under_aliases<'w>(rules: &[HostRule<'w>], added: &[AddedHost<'w>]) -> Vec<HostRule<'w>> {
    let served = added.iter().filter(|added| added.is_served);
    let named = || rules.iter().filter(|rule| rule.host != Host::Any);
    served.flat_map(|added| named().map(|rule| rule.under_alias(added.host.clone(), added.key))).collect()
}

/// The rules of an Ingress, one for each path. Invalid hosts are omitted, since no client can request them.
/// `effect` finds an annotation that the controller of the Ingress reads, whose `dialect` and `order` count.
pub(super) fn rules<'w>(
    object_ref: &'w ObjectRef,
    ingress: &'w Ingress<'w>,
    source: usize,
    effect: impl Fn(Effect) -> Option<(&'w str, &'w str)>,
    (dialect, order): (Dialect, RuleOrder),
) -> Vec<HostRule<'w>> {
    let has_globs = order == RuleOrder::Group && effect(Effect::PathInterpretation).is_none();
    let (created, is_canary) = (ingress.metadata.created(), effect(Effect::Canary).is_some());
    // Whether all paths except exact ones are regular expressions. `Some(true)` if these ignore case.
    let regex = effect(Effect::PathRegex).map(|(_, value)| !CASE_SENSITIVE.contains(&value));
    let matcher = ingress.metadata.annotations.get(MATCHER).map(|matcher| &**matcher);
    let regex_of_f5 = ingress.metadata.annotations.get(F5_NGINX_REGEX).map(|regex| &**regex);
    let mut rules = Vec::new();
    for (index, rule) in ingress.spec.rules.iter().enumerate() {
        let host = Host::parse(rule.host.as_deref().unwrap_or_default());
        if !host.is_well_formed() {
            continue;
        }
        if rule.paths().is_empty() {
            let at = At::element("spec.rules[]", [index]);
            let candidate = Candidate::of_everything(object_ref, created, at, [index, 0]);
            rules.push(HostRule { source, host: host.clone(), candidate, backend: None, alias: None });
        }
        for (position, path) in rule.paths().iter().enumerate() {
            let at = At::element("spec.rules[].http.paths[]", [index, position]);
            let everything = Candidate::of_everything(object_ref, created, at, [index, position]);
            let path_test = match dialect {
                Dialect::Specified if has_globs => glob_path_test(path),
                Dialect::Specified => path_test(path, regex),
                Dialect::Contour => contour_path_test(path),
                Dialect::F5Nginx => f5_nginx_path_test(path, regex_of_f5),
                Dialect::Gke => gke_path_test(path),
                Dialect::Kong => kong_path_test(path, kong::expression_prefix(ingress)),
                Dialect::Traefik => traefik_path_test(path, matcher),
            };
            let is_pattern = dialect != Dialect::Specified || has_globs || matches!(path_test, PathTest::Pattern(_));
            let is_specific = path.path_type.as_deref().is_none_or(|kind| kind == "ImplementationSpecific");
            let candidate = Candidate {
                spelling: path.path.as_deref().filter(|written| !written.is_empty()).unwrap_or("/"),
                is_defined: is_pattern || !is_specific,
                path: path_test,
                is_canary,
                ..everything
            };
            let backend = Some(&path.backend);
            rules.push(HostRule { source, host: host.clone(), candidate, backend, alias: None });
        }
    }
    rules
}

/// The values of the annotation of F5 NGINX that make regular expressions case-sensitive.
const CASE_SENSITIVE: [&str; 2] = ["case_sensitive", "exact"];

/// The characters because of which Contour reads an `ImplementationSpecific` path as an expression.
const EXPRESSION: &[char] = &['^', '+', '*', '[', ']', '%'];

/// The condition of a path in Traefik: the beginning of the text, unless it is exact or an annotation says how `ImplementationSpecific`
/// paths are matched.
fn traefik_path_test<'w>(path: &'w HttpPath<'_>, matcher: Option<&str>) -> PathTest<'w> {
    let written = written(path);
    let exact = || PathTest::Path(Path::new(PathType::Exact, Some(written)));
    match (path_of(path).map(|path| path.kind), matcher.map(str::trim)) {
        (None, _) => PathTest::Unknown(path.path_type.as_deref().unwrap_or_default()),
        (Some(PathType::Exact), _) | (Some(PathType::ImplementationSpecific), Some("Path")) => exact(),
        (Some(PathType::ImplementationSpecific), Some("PathRegexp")) => {
            PathTest::Pattern(Pattern::reaching(written, Reach::Anywhere(false)))
        }
        _ => PathTest::Begins(written.into()),
    }
}

/// The annotation of F5 NGINX that says how paths are matched.
const F5_NGINX_REGEX: &str = "nginx.org/path-regex";

/// The condition of a path in the controller of F5: the beginning of the text, unless it is exact or an annotation says otherwise.
fn f5_nginx_path_test<'w>(path: &'w HttpPath<'_>, regex: Option<&str>) -> PathTest<'w> {
    let written = written(path);
    let exact = || PathTest::Path(Path::new(PathType::Exact, Some(written)));
    match (path_of(path).map(|path| path.kind), regex) {
        (None, _) => PathTest::Unknown(path.path_type.as_deref().unwrap_or_default()),
        (_, Some("exact")) | (Some(PathType::Exact), _) => exact(),
        (_, Some("case_sensitive")) => PathTest::Pattern(Pattern::of_beginning(written, false)),
        (_, Some("case_insensitive")) => PathTest::Pattern(Pattern::of_beginning(written, true)),
        _ => PathTest::Begins(written.into()),
    }
}

/// The condition of a path in the load balancers of GKE: `ImplementationSpecific` is exact, unless it ends in `/*` or is absent.
fn gke_path_test<'w>(path: &'w HttpPath<'_>) -> PathTest<'w> {
    let text = path.path.as_deref().unwrap_or_default();
    let beginning = text.strip_suffix('*').filter(|beginning| beginning.ends_with('/'));
    match (path_of(path), beginning) {
        (Some(Path { kind: PathType::ImplementationSpecific, .. }), _) if text.is_empty() => {
            PathTest::Begins("/".into())
        }
        (Some(Path { kind: PathType::ImplementationSpecific, .. }), Some(beginning)) => {
            PathTest::Begins(beginning.into())
        }
        // The load balancer refuses other patterns.
        (Some(_), _) if text.contains('*') => PathTest::Unknown(text),
        (Some(Path { kind: PathType::ImplementationSpecific, .. }), None) => {
            PathTest::Path(Path::new(PathType::Exact, Some(text)))
        }
        _ => path_test(path, None),
    }
}

/// The condition of a path in Kong. One of type `ImplementationSpecific` is the beginning of the text, or an expression if it begins with
/// `prefix`. One that is exact, and the end of a `Prefix`, are expressions of which nothing is escaped.
fn kong_path_test<'w>(path: &'w HttpPath<'_>, prefix: &str) -> PathTest<'w> {
    let written = written(path);
    let is_literal = written.chars().all(|letter| letter.is_alphanumeric() || "/-_~%!&',:;=@".contains(letter));
    match path_of(path).map(|path| path.kind) {
        Some(PathType::ImplementationSpecific) => match written.strip_prefix(prefix) {
            Some(expression) => {
                PathTest::Pattern(Pattern::of_beginning(format!("/{}", expression.trim_start_matches('/')), false))
            }
            None => PathTest::Begins(written.into()),
        },
        Some(PathType::Exact) if !is_literal => PathTest::Pattern(Pattern::new(written)),
        Some(PathType::Prefix) if !is_literal => {
            let base = written.trim_end_matches('/');
            PathTest::Pattern(Pattern::new(format!("{base}|{}/.*", regex_syntax::escape(base))))
        }
        _ => path_test(path, None),
    }
}

/// The path as written; `/` if it is absent.
fn written<'w>(path: &'w HttpPath<'_>) -> &'w str {
    path.path.as_deref().filter(|written| !written.is_empty()).unwrap_or("/")
}

/// The condition of a path in Contour: `ImplementationSpecific` is an expression if it looks like one, and the beginning of the text
/// otherwise.
fn contour_path_test<'w>(path: &'w HttpPath<'_>) -> PathTest<'w> {
    match path_of(path) {
        Some(Path { kind: PathType::ImplementationSpecific, .. }) => {
            let written = written(path);
            match written.contains(EXPRESSION) {
                true => PathTest::Pattern(Pattern::new(written)),
                false => PathTest::Begins(written.into()),
            }
        }
        _ => path_test(path, None),
    }
}

/// The condition of a path in an AWS load balancer: one of type `ImplementationSpecific` is a pattern, in which `*` stands for any
/// characters and `?` for one.
fn glob_path_test<'w>(path: &'w HttpPath<'_>) -> PathTest<'w> {
    let is_specific = path_of(path).is_some_and(|path| path.kind == PathType::ImplementationSpecific);
    let Some(text) = path.path.as_deref().filter(|_| is_specific) else { return path_test(path, None) };
    match text.strip_suffix('*') {
        Some(beginning) if !beginning.contains(GLOB) => PathTest::Begins(beginning.into()),
        _ if text.contains(GLOB) => {
            let piece = |letter: char| match letter {
                '*' => ".*".to_owned(),
                '?' => ".".to_owned(),
                letter => regex_syntax::escape(&letter.to_string()),
            };
            PathTest::Pattern(Pattern::new(text.chars().map(piece).collect::<String>()))
        }
        _ => PathTest::Path(Path::new(PathType::Exact, Some(text))),
    }
}

/// The characters of a pattern of an AWS load balancer.
const GLOB: [char; 2] = ['*', '?'];

/// The condition of a path: a regular expression if `regex` is set. Otherwise `ImplementationSpecific` is treated as
/// `Prefix`.
fn path_test<'w>(path: &'w HttpPath<'_>, regex: Option<bool>) -> PathTest<'w> {
    match (path_of(path), regex) {
        (Some(Path { kind: PathType::ImplementationSpecific | PathType::Prefix, .. }), Some(ignores_case)) => {
            let written = written(path);
            PathTest::Pattern(Pattern::of_beginning(written, ignores_case))
        }
        (Some(Path { kind: PathType::ImplementationSpecific, .. }), None) => {
            PathTest::Path(Path::new(PathType::Prefix, path.path.as_deref()))
        }
        (Some(path), _) => PathTest::Path(path),
        (None, _) => PathTest::Unknown(path.path_type.as_deref().unwrap_or_default()),
    }
}
