//! A namespace with more paths than a replica keeps, which were stored before Portcullis was installed. A fake API server
//! lists them, since a real one needs minutes to store them.

use std::convert::Infallible;
use std::env;
use std::fmt::Write;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use futures::stream;
use libtest_mimic::Trial;
use serde_json::json;
use tokio::net::TcpListener;

use crate::harness::{PortcullisServer, RUNTIME, process_guard, until};

/// The paths of the largest Ingresses that `object/too-large` admits.
const PATHS: usize = 19_999;
/// The number of Ingresses, which have twice as many paths together as a replica keeps. With `PORTCULLIS_SLOW=1` there are
/// as many as six times the limit, which takes a debug build half a minute.
static INGRESSES: LazyLock<usize> = LazyLock::new(|| if env::var_os("PORTCULLIS_SLOW").is_some() { 120 } else { 40 });
/// How many of the oldest are kept: together they have at most 400,000 paths.
const KEPT: usize = 20;
/// How many MiB a fresh replica may occupy. The Deployment allows 256.
const LIMIT: u64 = 192;
/// How long the list may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

pub fn trials() -> Vec<Trial> {
    vec![Trial::test("large_namespace::fresh_replica_keeps_the_oldest_objects", || {
        fresh_replica_keeps_the_oldest_objects();
        Ok(())
    })]
}

fn fresh_replica_keeps_the_oldest_objects() {
    let began = Instant::now();
    let kubeconfig = fake_api_server();
    let replica = PortcullisServer::start(["--kubeconfig".to_owned(), kubeconfig.display().to_string()]);
    let objects = |name: &str| replica.metric(&format!(r#"portcullis_{name}{{kind="Ingress"}}"#));
    let came = until(PATIENCE, || (objects("synced") == Some(1.0)).then_some(()));
    assert!(came.is_some(), "not listed\n{}\n{}", replica.readiness(), replica.log());
    let (count, cut) = (*INGRESSES, *INGRESSES - KEPT);
    assert_eq!(["objects", "objects_cut"].map(objects), [count, cut].map(|number| Some(number as f64)));
    let is_watched = |line: &String| !line.contains("not watched yet");
    let line = until(PATIENCE, || Some(replica.condition("ingresses")).filter(is_watched)).unwrap_or_default();
    let expected = format!("{count} known; content of {cut} not kept, since their namespaces have too many entries");
    assert!(line.ends_with(&expected), "{line}");
    let peak = replica.memory("VmHWM");
    println!("{peak} MiB, of which {} remain, after {:?}", replica.memory("VmRSS"), began.elapsed());
    assert!(peak < LIMIT, "{peak} MiB, but the limit is {LIMIT} MiB");
}

/// Starts a server that lists the Ingresses, and nothing else, in pages. Returns a kubeconfig for it.
fn fake_api_server() -> PathBuf {
    let listener = RUNTIME.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).expect("a free port");
    let address = listener.local_addr().expect("a bound listener has an address");
    let router = Router::new().fallback(answer);
    RUNTIME.spawn(async { axum::serve(listener, router).await.expect("axum's serve never ends") });
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "trial",
        "clusters": [{"name": "trial", "cluster": {"server": format!("http://{address}")}}],
        "users": [{"name": "trial", "user": {}}],
        "contexts": [{"name": "trial", "context": {"cluster": "trial", "user": "trial"}}],
    });
    let file = process_guard().folder("kubeconfig").join("config");
    std::fs::write(&file, config.to_string()).expect("our folder is writable");
    file
}

async fn answer(uri: Uri) -> Response {
    let query = |key: &str| uri.query()?.split('&').find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='));
    if query("watch") == Some("true") {
        // Nothing changes.
        return Body::from_stream(stream::pending::<Result<Bytes, Infallible>>()).into_response();
    }
    let (items, next) = match uri.path() {
        "/version" => return json_text("{}".to_owned()),
        "/apis/networking.k8s.io/v1/ingresses" => {
            let number = |key: &str| query(key).and_then(|text| text.parse::<usize>().ok());
            let from = number("continue").unwrap_or_default();
            let end = INGRESSES.min(from + number("limit").unwrap_or(*INGRESSES));
            let items: Vec<String> = (from..end).map(ingress).collect();
            (items.join(","), if end < *INGRESSES { end.to_string() } else { String::new() })
        }
        "/apis/networking.k8s.io/v1/ingressclasses" | "/api/v1/services" | "/api/v1/namespaces" => Default::default(),
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    json_text(format!(
        r#"{{"kind":"List","apiVersion":"v1","metadata":{{"resourceVersion":"7","continue":"{next}"}},"items":[{items}]}}"#
    ))
}

fn json_text(text: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

fn ingress(number: usize) -> String {
    let mut paths = String::new();
    for path in 0..PATHS {
        let comma = if path > 0 { "," } else { "" };
        write!(
            paths,
            r#"{comma}{{"path":"/{path}","pathType":"Exact","backend":{{"service":{{"name":"a","port":{{"number":80}}}}}}}}"#
        )
        .expect("a String takes it");
    }
    format!(
        r#"{{"metadata":{{"namespace":"web","name":"i{number:03}","resourceVersion":"7",
            "creationTimestamp":"2026-01-01T{:02}:{:02}:00Z"}},
            "spec":{{"ingressClassName":"public","rules":[{{"host":"h{number}.example.com","http":{{"paths":[{paths}]}}}}]}}}}"#,
        number / 60,
        number % 60
    )
}
