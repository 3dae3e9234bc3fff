//! Who answers a request, over which chain, and why the others do not.

use super::request::Request;
use crate::field::FieldPath;
use crate::kinds::ObjectRef;

/// The APIs whose objects are served by data planes of their own, in the order in which their answers count where nothing narrows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Api {
    /// Gateways, ListenerSets and routes.
    Gateway,
    /// HTTPProxy of Contour.
    HttpProxy,
    /// IngressRoute of Contour's first releases.
    IngressRoute,
    /// Ingress.
    Ingress,
}

/// One data plane: objects of two of them never compete.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnsweringPlane {
    /// The API that it serves.
    pub api: Api,
    /// What it is known by: a Gateway, or a class.
    pub name: String,
}

/// What is known of one data plane's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaneAnswer {
    /// The data plane.
    pub plane: AnsweringPlane,
    /// Who answers there.
    pub winner: Option<Winner>,
    /// Who does not, those first that came furthest.
    pub losers: Vec<Loser>,
}

/// Who answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Winner {
    /// The object.
    pub object: ObjectRef,
    /// The rule.
    pub field: FieldPath,
    /// Whether it answers only what no rule takes.
    pub is_default: bool,
    /// Where the request goes; none where the rule answers itself.
    pub backends: Vec<BackendShare>,
    /// From the data plane to the backends, each step once.
    pub chain: Vec<ChainLink>,
}

/// Where a share of the requests goes.
#[derive(Debug, Clone, PartialEq)]
pub struct BackendShare {
    /// The Service's name, as `namespace/name` in another namespace; of another kind `Kind name`.
    pub service: String,
    /// Its port.
    pub port: Option<Port>,
    /// Its share, from 0 to 1.
    pub share: f64,
}

/// The port of a backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Port {
    /// By number.
    Number(i64),
    /// By a name that no Service gives a number.
    Name(String),
}

/// One step of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainLink {
    /// The object.
    pub object: ObjectRef,
    /// The field that says so; empty for the object as a whole.
    pub field: FieldPath,
    /// What it says.
    pub message: String,
}

/// Who does not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loser {
    /// The object.
    pub object: ObjectRef,
    /// The rule, or what keeps the object out.
    pub field: FieldPath,
    /// Why.
    pub reason: String,
}

/// The answer to one request.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The request.
    pub request: Request,
    /// Who answers it, with the data plane.
    pub winner: Option<(AnsweringPlane, Winner)>,
    /// Who does not.
    pub losers: Vec<Loser>,
    /// The data planes that would answer it, the first being the winner's. With more than one the answer is ambiguous.
    pub answering: Vec<AnsweringPlane>,
    /// How many more rules are about other hosts.
    pub elsewhere: usize,
}

impl Explanation {
    /// The answer of all data planes together; `elsewhere` is how many rules they did not look at.
    pub fn of(request: Request, mut verdicts: Vec<PlaneAnswer>, elsewhere: usize) -> Self {
        // What answers by a rule comes before what answers for want of one, within an API.
        verdicts.sort_by(|left, right| rank(left).cmp(&rank(right)));
        let (mut winner, mut losers, mut answering) = (None, Vec::new(), Vec::new());
        for verdict in verdicts {
            if let Some(own) = verdict.winner {
                match &winner {
                    None => winner = Some((verdict.plane.clone(), own)),
                    Some((_, first)) if is_same(first, &own) => {}
                    Some(_) => {
                        let reason = format!("in another data plane: {}", verdict.plane.name);
                        losers.push(Loser { object: own.object, field: own.field, reason });
                    }
                }
                answering.push(verdict.plane);
            }
            losers.extend(verdict.losers);
        }
        Self { request, winner, losers, answering, elsewhere }
    }

    /// Whether it hangs on the data plane that the request reaches.
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
