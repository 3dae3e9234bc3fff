//! The answer to a request: which object answers, over which chain, and why each other candidate does not.

use super::outcome::RequestOutcome;
use super::request::Request;
use crate::field::FieldPath;
use crate::kinds::ObjectRef;

/// The APIs whose objects have their own data planes, in order of precedence if the scope does not select one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Api {
    /// Gateways, ListenerSets and routes.
    Gateway,
    /// HTTPProxies of Contour.
    HttpProxy,
    /// IngressRoutes of early Contour releases.
    IngressRoute,
    /// Ingresses.
    Ingress,
}

/// One data plane. Objects of different data planes never compete.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnsweringPlane {
    /// The API of its objects.
    pub api: Api,
    /// Its Gateway or its classes, as text.
    pub name: String,
    /// Whether none of its classes is found, so that only a controller that knows their names serves it.
    pub is_class_missing: bool,
}

/// The answer of one data plane.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaneAnswer {
    /// The data plane.
    pub plane: AnsweringPlane,
    /// The rule that answers the request there.
    pub winner: Option<Winner>,
    /// Without a winner, how far the request gets.
    pub reached: Option<ReachedPoint>,
    /// Whether a client may be able to verify the certificate, if it uses TLS.
    pub is_verifiable: bool,
    /// The rules that do not, ordered by how close they were to answering.
    pub losers: Vec<Loser>,
}

/// The last part of a data plane that a request reaches if no rule answers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReachedPoint {
    /// The object, such as the Gateway with the listener.
    pub object: ObjectRef,
    /// The address of the listener or the host.
    pub field: FieldPath,
    /// The status code that the client gets; `None` if it gets no response or the code is not known.
    pub code: Option<u16>,
    /// Why no rule answers, as text.
    pub reason: String,
}

/// The rule that answers a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Winner {
    /// The object that contains the rule.
    pub object: ObjectRef,
    /// The address of the rule.
    pub field: FieldPath,
    /// Whether it is a default backend, which only answers requests that no rule matches.
    pub is_default: bool,
    /// What the rule does with the request.
    pub outcome: RequestOutcome,
    /// The steps from the data plane to the backends.
    pub chain: Vec<ChainLink>,
}

impl Winner {
    /// Whether no backend receives requests that it may answer, and the proxy has no answer of its own.
    pub fn is_unanswered(&self) -> bool {
        !self.outcome.is_answered()
    }
}

/// One step of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainLink {
    /// The object.
    pub object: ObjectRef,
    /// The field that leads to the next step; empty for the object as a whole.
    pub field: FieldPath,
    /// What the object or the field does, as text.
    pub message: String,
}

/// A candidate that does not answer the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loser {
    /// The object.
    pub object: ObjectRef,
    /// The address of the rule, or of the field that excludes the object.
    pub field: FieldPath,
    /// The reason, as text.
    pub reason: String,
    /// Whether the reason is only that the rule is for other hosts.
    pub is_elsewhere: bool,
}

/// The answer of all data planes to one request.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The request.
    pub request: Request,
    /// The rule that answers, with its data plane.
    pub winner: Option<(AnsweringPlane, Winner)>,
    /// The candidates that do not answer.
    pub losers: Vec<Loser>,
    /// The data planes that would answer, that of the winner first. If there are several, the answer is ambiguous.
    pub answering: Vec<AnsweringPlane>,
    /// Whether another data plane would answer with another outcome.
    pub differs: bool,
    /// Without a winner, how far the request gets in each data plane that it reaches.
    pub reached: Vec<ReachedPoint>,
    /// How many rules for other hosts are not listed.
    pub elsewhere: usize,
}

impl Explanation {
    /// Combines the answers of all data planes; `elsewhere` is the number of rules for other hosts that they do not
    /// list.
    pub fn of(request: Request, mut verdicts: Vec<PlaneAnswer>, elsewhere: usize) -> Self {
        // Within an API, a rule takes precedence over a default backend.
        verdicts.sort_by(|left, right| rank(left).cmp(&rank(right)));
        let (mut winner, mut losers, mut answering): (Option<(_, Winner)>, Vec<_>, Vec<_>) = Default::default();
        let (mut differs, mut reached) = (false, Vec::new());
        for verdict in verdicts {
            reached.extend(verdict.reached);
            if let Some(own) = verdict.winner {
                differs |= winner.as_ref().is_some_and(|(_, first)| first.outcome != own.outcome);
                match &winner {
                    None => winner = Some((verdict.plane.clone(), own)),
                    Some((_, first)) if is_same(first, &own) => {}
                    Some(_) => {
                        let reason = format!("in another data plane: {}", verdict.plane.name);
                        losers.push(Loser { object: own.object, field: own.field, reason, is_elsewhere: false });
                    }
                }
                answering.push(verdict.plane);
            }
            losers.extend(verdict.losers);
        }
        if winner.is_some() {
            reached.clear();
        }
        Self { request, winner, losers, answering, differs, reached, elsewhere }
    }

    /// Whether a backend or the proxy answers, as far as is known.
    pub fn is_answered(&self) -> bool {
        self.winner.as_ref().is_some_and(|(_, winner)| !winner.is_unanswered())
    }

    /// Whether the answer depends on the data plane that the request reaches.
    pub fn is_ambiguous(&self) -> bool {
        self.answering.len() > 1
    }
}

fn rank(verdict: &PlaneAnswer) -> (bool, Api, bool, &str) {
    let is_default = verdict.winner.as_ref().is_some_and(|winner| winner.is_default);
    (verdict.winner.is_none(), verdict.plane.api, is_default, &verdict.plane.name)
}

fn is_same(one: &Winner, other: &Winner) -> bool {
    (&one.object, &one.field) == (&other.object, &other.field)
}
