//! The interface to the data planes of one API.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::answer::{Loser, PlaneAnswer};
use super::candidate::Candidate;
use super::request::Request;
use crate::kinds::{Kind, Object, ObjectRef};
use crate::matching::{Host, PathTest, ValueTest};
use crate::nginx::snippet::ShownDirective;

/// An object with its reference, which differs from the object's own one if its name is yet to be generated.
#[derive(Debug)]
pub struct Stored<'w> {
    /// The reference.
    pub object_ref: ObjectRef,
    /// The decoded object.
    pub object: Object<'w>,
}

/// Which data planes to ask. All of them if no field is set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Only those of Ingresses, HTTPProxies and IngressRoutes with this class.
    pub class: Option<String>,
    /// Only this Gateway.
    pub gateway: Option<ObjectRef>,
}

impl Scope {
    /// Whether Ingresses, HTTPProxies and IngressRoutes of `class` are in the scope.
    pub fn has_class(&self, class: Option<&str>) -> bool {
        match &self.class {
            Some(own) => class == Some(own),
            None => self.gateway.is_none(),
        }
    }

    /// Whether the Gateway at `object_ref` is in the scope.
    pub fn has_gateway(&self, object_ref: &ObjectRef) -> bool {
        match &self.gateway {
            Some(own) => object_ref == own,
            None => self.class.is_none(),
        }
    }
}

/// The answers of the data planes of one API.
#[derive(Debug, Default)]
pub struct ApiAnswer {
    /// The answer of each data plane with a winner or losers.
    pub verdicts: Vec<PlaneAnswer>,
    /// How many of their rules for other hosts are not listed.
    pub elsewhere: usize,
}

/// What a data plane distinguishes among the requests for one host: those that meet all of these conditions.
#[derive(Debug, Clone)]
pub struct Condition<'s> {
    /// The condition on the path.
    pub path: Cow<'s, PathTest<'s>>,
    /// The method.
    pub method: Option<&'s str>,
    /// The conditions on headers.
    pub headers: Cow<'s, [ValueTest<'s>]>,
    /// The conditions on query parameters.
    pub query: &'s [ValueTest<'s>],
    /// Whether such requests are calls of gRPC.
    pub is_call: bool,
    /// Why it is not known what the data plane does with such requests, if so.
    pub doubt: Option<String>,
    /// If it is not known whether the data plane serves such requests at all, what shows in each answer if it does.
    pub shown: Option<ShownDirective>,
}

impl<'s> Condition<'s> {
    /// The conditions of a rule.
    pub(super) fn of(rule: &'s Candidate<'_>) -> Self {
        let (path, headers) = (Cow::Borrowed(&rule.path), Cow::Borrowed(&*rule.headers));
        let is_call = rule.object.kind == Kind::GrpcRoute;
        Self { path, method: rule.method, headers, query: &rule.query, is_call, doubt: None, shown: None }
    }

    /// Whether a request meets it.
    pub(crate) fn is_met_by(&self, request: &Request) -> bool {
        self.path.matches(&request.path)
            && self.method.is_none_or(|method| method == request.method)
            && self.headers.iter().all(|test| test.matches(&request.headers))
            && self.query.iter().all(|test| test.matches(&request.query))
    }

    /// A condition on the path alone.
    pub(super) fn of_path(path: PathTest<'s>) -> Self {
        Self {
            path: Cow::Owned(path),
            method: None,
            headers: Cow::Borrowed(&[]),
            query: &[],
            is_call: false,
            doubt: None,
            shown: None,
        }
    }
}

/// How much of an answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// The candidates that do not answer, too.
    WithLosers,
    /// Only what answers, which is faster.
    OnlyAnswers,
}

impl Detail {
    /// These candidates, if they are wanted.
    pub(super) fn of(self, losers: impl IntoIterator<Item = Loser>) -> Vec<Loser> {
        match self {
            Self::WithLosers => losers.into_iter().collect(),
            Self::OnlyAnswers => Vec::new(),
        }
    }
}

/// Answers requests from the objects of one API, as its data planes would.
pub trait RouteResolver<'w> {
    /// Answers `request`. Rules for other hosts are only listed if there are few.
    fn ask(&self, request: &Request, scope: &Scope, detail: Detail) -> ApiAnswer;

    /// Whether the scope contains an object, even one that serves nothing, or may contain one that is not known.
    fn has_objects(&self, scope: &Scope) -> bool;

    /// Adds the hosts that the objects in the scope name.
    fn collect_hosts<'s>(&'s self, scope: &Scope, hosts: &mut BTreeSet<Host<'s>>);

    /// What is distinguished among the requests for `host`.
    fn conditions<'s>(&'s self, host: &str, scope: &Scope) -> Vec<Condition<'s>>;
}

/// All hosts that match `name`, wildcards of any depth included, the most specific first.
pub(super) fn hosts_above(name: &str) -> Vec<Host<'_>> {
    let own = Host::Precise(name.into());
    let mut hosts = vec![own.clone()];
    hosts.extend(name.match_indices('.').map(|(dot, _)| Host::Wildcard(name[dot + 1..].into())));
    hosts.push(Host::Any);
    hosts
}
