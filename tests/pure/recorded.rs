//! Compares `explain` with what real controllers answered. `tests/recorded/README.md` says how the answers were
//! recorded.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;

use flate2::read::GzDecoder;
use portcullis_core::checks::registry;
use portcullis_core::explain::{Explanation, NotEvaluated, Reply, Request, Scope};
use portcullis_core::finding::Action;
use portcullis_testing::page::Example;
use portcullis_testing::pages::judge;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::explain::worlds::Objects;

/// The address from which the requests were sent.
const CLIENT: [u8; 4] = [127, 0, 0, 1];

/// A recording.
#[derive(Deserialize)]
struct Recording {
    worlds: Vec<World>,
}

/// Objects and requests.
#[derive(Deserialize)]
struct World {
    name: String,
    objects: Vec<Value>,
    requests: Vec<Recorded>,
    /// Whether nginx refused the configuration.
    #[serde(default)]
    refused: bool,
}

/// A request and its answer.
#[derive(Deserialize, Clone)]
#[serde(rename_all = "camelCase")]
struct Recorded {
    method: String,
    scheme: String,
    host: Option<String>,
    path: String,
    #[serde(default)]
    headers: BTreeMap<String, Value>,
    status: u16,
    sni: Option<String>,
    port: Option<u16>,
    location: Option<String>,
    service: Option<String>,
    sent: Option<String>,
}

impl Recorded {
    /// The request, if it is one that `explain` takes.
    fn request(&self) -> Option<Request> {
        let host = self.host.as_deref().filter(|host| !host.is_empty())?;
        let headers = self.headers.iter().flat_map(|(name, value)| match value {
            Value::Array(values) => {
                values.iter().filter_map(|value| Some(format!("{name}={}", value.as_str()?))).collect()
            }
            value => vec![format!("{name}={}", value.as_str().unwrap_or_default())],
        });
        let headers: Vec<String> = headers.chain([format!("host={host}")]).collect();
        let name = host.rsplit_once('@').map_or(host, |(_, host)| host);
        let url = format!("{}://{}{}", self.scheme, name.split(['/', ':']).next()?, self.path);
        // The proxy listens 8,000 above the ports of the Gateway.
        let port = self.port.map(|port| port - 8000);
        let request = Request::parse(&self.method, &url, &headers, self.sni.as_deref(), port);
        request.ok().filter(|_| self.path.starts_with('/'))
    }

    /// The answer as text: the Service, or the status code with the URL of a redirect.
    fn answer(&self) -> String {
        match (&self.service, &self.location) {
            (Some(service), _) => service.clone(),
            (None, Some(location)) => format!("{} {location}", self.status),
            (None, None) => self.status.to_string(),
        }
    }
}

/// What `explain` answers, in the form of [`Recorded::answer`]; several Services if they share the requests.
fn answers(answer: &Explanation) -> Vec<String> {
    let Some((_, winner)) = &answer.winner else {
        let codes = answer.reached.iter().filter_map(|point| Some(point.code?.to_string()));
        let codes: Vec<String> = codes.collect();
        return if codes.is_empty() { vec!["404".to_owned()] } else { codes };
    };
    match &winner.outcome.reply {
        Reply::Redirect { code, location } => vec![format!("{code} {location}")],
        Reply::Response { code, .. } => vec![code.map_or_else(String::new, |code| code.to_string())],
        Reply::Unknown(_) => vec!["unknown".to_owned()],
        Reply::Forward(forward) if forward.is_answered() => {
            let answering = forward.backends.iter().filter(|backend| backend.may_answer && backend.share > 0.0);
            answering.map(|backend| format!("{}/{}", backend.namespace, backend.name)).collect()
        }
        Reply::Forward(forward) => vec![forward.failure.code().map_or_else(String::new, |code| code.to_string())],
    }
}

/// Whether the answer says that an annotation may lead to this status code instead: it depends on a response to the controller, or
/// on a password.
fn may_answer(answer: &Explanation, status: u16) -> bool {
    let named = answer.winner.iter().flat_map(|(_, winner)| &winner.outcome.not_evaluated);
    named.flat_map(NotEvaluated::may_answer).any(|code| *code == status)
}

/// The path that the backend gets, if there is one.
fn sent(answer: &Explanation) -> Option<String> {
    match &answer.winner.as_ref()?.1.outcome.reply {
        Reply::Forward(forward) if forward.is_answered() => {
            let query = answer.request.query_text.as_deref().map(|query| format!("?{query}")).unwrap_or_default();
            Some(format!("{}{query}", forward.request.path))
        }
        _ => None,
    }
}

fn read(name: &str) -> Recording {
    let file =
        File::open(format!("{}/tests/recorded/{name}.json.gz", env!("CARGO_MANIFEST_DIR"))).expect("a recording");
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).expect("a recording is text");
    serde_json::from_str(&text).expect("a recording has its shape")
}

/// Replays a recording and requires that this share of the answers is right, in thousandths.
fn replay(name: &str, class: Option<&str>, least: usize) {
    let (mut right, mut all, mut unknown, mut wrong) = (0, 0, 0, Vec::new());
    for world in read(name).worlds.iter().filter(|world| !world.refused) {
        let objects = Objects::whole(&world.objects);
        let scope = Scope { class: class.map(str::to_owned), gateway: None };
        objects.with(|snapshot| {
            for recorded in &world.requests {
                let Some(request) = recorded.request() else { continue };
                let request = Request { client: Some(CLIENT.into()), ..request };
                let answer = snapshot.ask(&request, &scope);
                let (expected, given) = (recorded.answer(), answers(&answer));
                if given == ["unknown"] {
                    unknown += 1;
                    continue;
                }
                all += 1;
                let is_sent = recorded.sent.is_none() || recorded.sent == sent(&answer);
                match (given.contains(&expected) && is_sent) || may_answer(&answer, recorded.status) {
                    true => right += 1,
                    false => wrong.push(format!(
                        "{}: {} {}: {expected} {:?}, not {given:?} {:?}",
                        world.name,
                        request.method,
                        request.url(),
                        recorded.sent,
                        sent(&answer)
                    )),
                }
            }
        });
    }
    assert!(unknown * 1000 <= all * 25, "{unknown} answers are not known, {all} are");
    assert!(right * 1000 >= all * least, "{right} of {all} are right:\n{}", wrong.join("\n"));
}

#[test]
fn ingress_nginx_answers_as_recorded() {
    replay("ingress-nginx", Some("nginx"), 990);
}

#[test]
fn contour_answers_as_recorded() {
    replay("contour", None, 970);
}

/// `ingress/stops-data-plane` denies an Ingress of each recorded world whose configuration nginx refused, and of no other one.
#[test]
fn configurations_that_ingress_nginx_refuses_are_found() {
    let check = registry::all().find(|check| check.id == "ingress/stops-data-plane").expect("a check");
    let class = json!({"apiVersion": "networking.k8s.io/v1", "kind": "IngressClass", "metadata": {"name": "nginx"},
        "spec": {"controller": "k8s.io/ingress-nginx"}});
    let denies = |objects: Vec<&Value>| {
        let text: Vec<String> = objects.into_iter().chain([&class]).map(Value::to_string).collect();
        let (yaml, old, findings) = (text.join("\n---\n"), None, None);
        let config = Some(format!("checks: {{{}: {{controllers: [k8s.io/ingress-nginx]}}}}", check.id));
        let found = judge(check, &Example { yaml, delete: false, old, config, findings }).findings.into_iter();
        let mut found = found.map(|evaluated| evaluated.finding);
        found.any(|finding| finding.check == check.id && finding.at_most == Action::Deny)
    };
    let mut refused = 0;
    for world in read("ingress-nginx").worlds {
        let objects = || world.objects.iter().filter(|object| object["kind"] != "IngressClass");
        let reviewed = objects().filter(|object| object["kind"] == "Ingress");
        let others = |own: &Value| {
            objects().filter(|other| other["metadata"]["name"] != own["metadata"]["name"]).collect::<Vec<_>>()
        };
        let denied: Vec<&Value> = reviewed.filter(|own| denies([&[*own], &*others(own)].concat())).collect();
        assert_eq!(!denied.is_empty(), world.refused, "{}: {denied:#?}", world.name);
        refused += usize::from(world.refused);
    }
    assert!(refused >= 5, "{refused} worlds were refused");
}
