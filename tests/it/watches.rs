//! The watches with a fake API server that consists of one function.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::http::{Request, Response};
use kube::Client;
use kube::client::Body;
use libtest_mimic::Trial;
use portcullis::watch::{self, ApiServer};
use portcullis_core::cluster::{SharedCluster, SyncState};
use portcullis_core::kinds::{Kind, KindSet};
use tokio::task::JoinHandle;

use crate::harness::{RUNTIME, eventually};
use crate::reviews::ingress;

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, test: fn()| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    vec![
        trial("watches::a_watch_that_panics_restarts", a_watch_that_panics_restarts),
        trial("watches::kind_whose_watch_fails_is_forgotten_and_listed_again", kind_whose_watch_fails),
        trial("watches::kind_that_was_never_listed_is_unknown_after_a_while", kind_that_was_never_listed),
    ]
}

/// Keeps the Ingresses of a view in step with `server`.
fn keep_ingresses(server: Client, view: &Arc<SharedCluster>, stale_after: Duration) -> JoinHandle<()> {
    let view = Arc::clone(view);
    let needs: watch::Needs = Arc::new(|| watch::Wanted { kinds: KindSet::of(&[Kind::Ingress]), schemas: false });
    let server = ApiServer::of(server, || unreachable!("no request times out"));
    RUNTIME.spawn(watch::keep(server, needs, view, stale_after))
}

/// A response with a list of this number of Ingresses.
fn list(count: usize) -> Response<Body> {
    let items: Vec<_> = (0..count).map(|number| ingress("web", &format!("shop-{number}"), "a.com", "/")).collect();
    let json = format!(
        r#"{{"apiVersion":"networking.k8s.io/v1","kind":"IngressList","metadata":{{"resourceVersion":"7"}},"items":[{}]}}"#,
        items.join(",")
    );
    Response::new(json.into_bytes().into())
}

/// A response of an API server that fails.
fn failure() -> Response<Body> {
    let status = r#"{"kind":"Status","apiVersion":"v1","status":"Failure","message":"broken","reason":"InternalError","code":500}"#;
    let response = Response::builder().status(500).body(status.as_bytes().to_vec().into());
    response.expect("a valid response")
}

/// An API server that fails while it is broken, except for its first `spared` lists, which are counted in `lists`. Those contain one
/// Ingress, and later ones two.
fn failing_server(is_broken: &Arc<AtomicBool>, lists: &Arc<AtomicUsize>, spared: usize) -> Client {
    let (broken, listed) = (Arc::clone(is_broken), Arc::clone(lists));
    let server = tower::service_fn(move |request: Request<Body>| {
        let is_watch = request.uri().query().is_some_and(|query| query.contains("watch=true"));
        let is_spared = !is_watch && listed.fetch_add(1, Ordering::Relaxed) < spared;
        let is_broken = broken.load(Ordering::Relaxed);
        async move {
            match is_watch {
                _ if is_broken && !is_spared => Ok::<_, std::io::Error>(failure()),
                false => Ok(list(if is_spared { 1 } else { 2 })),
                true => std::future::pending().await,
            }
        }
    });
    Client::new(server, "default")
}

fn a_watch_that_panics_restarts() {
    let requests = Arc::new(AtomicUsize::new(0));
    let counts = Arc::clone(&requests);
    // The first watch gets a list of one object and then a panic, the second one a list of two objects and no more
    // events.
    let server = tower::service_fn(move |_: Request<Body>| {
        let number = counts.fetch_add(1, Ordering::Relaxed);
        async move {
            match number {
                0 => Ok::<_, std::io::Error>(list(1)),
                1 => {
                    // Long enough for the first list to be seen.
                    tokio::time::sleep(Duration::from_millis(500)).await;
                    // A panic that prints nothing.
                    std::panic::resume_unwind(Box::new("as this trial wants it"))
                }
                2 => Ok(list(2)),
                _ => std::future::pending().await,
            }
        }
    });
    let view = Arc::<SharedCluster>::default();
    let _inside = RUNTIME.enter();
    let keeping = keep_ingresses(Client::new(server, "default"), &view, Duration::from_secs(300));
    let holds = |count: usize| {
        let view = view.read();
        view.knowledge(Kind::Ingress) == SyncState::Complete && view.count(Kind::Ingress) == count
    };
    eventually("the first list is in the view", || holds(1));
    eventually("the second watch's list is in the view", || holds(2));
    // The second watch request is sent after the list is in the view.
    eventually("a list and a watch, twice", || requests.load(Ordering::Relaxed) == 4);
    assert!(!keeping.is_finished());
    keeping.abort();
}

fn kind_whose_watch_fails() {
    let (is_broken, lists) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicUsize::new(0)));
    let _inside = RUNTIME.enter();
    let server = failing_server(&is_broken, &lists, 1);
    let view = Arc::<SharedCluster>::default();
    let known = || {
        let view = view.read();
        (view.knowledge(Kind::Ingress), view.count(Kind::Ingress))
    };
    let keeping = keep_ingresses(server, &view, Duration::from_secs(3));
    eventually("the first list is in the view", || known() == (SyncState::Complete, 1));
    let since = Instant::now();
    eventually("the kind is forgotten", || known() == (SyncState::Stale, 0));
    assert!(since.elapsed() > Duration::from_secs(2), "forgotten after {:?}", since.elapsed());
    eventually("a list is tried again", || lists.load(Ordering::Relaxed) > 1);
    assert_eq!(known(), (SyncState::Stale, 0), "a list that fails makes nothing known");
    is_broken.store(false, Ordering::Relaxed);
    eventually("the second list is in the view", || known() == (SyncState::Complete, 2));
    keeping.abort();
}

/// A list that fails is not waited for any longer than a watch that fails.
fn kind_that_was_never_listed() {
    let (is_broken, lists) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicUsize::new(0)));
    let _inside = RUNTIME.enter();
    let server = failing_server(&is_broken, &lists, 0);
    let view = Arc::<SharedCluster>::default();
    let known = || view.read().knowledge(Kind::Ingress);
    let since = Instant::now();
    let keeping = keep_ingresses(server, &view, Duration::from_secs(3));
    eventually("the kind is unknown", || known() == SyncState::Stale);
    assert!(since.elapsed() > Duration::from_secs(2), "unknown after {:?}", since.elapsed());
    is_broken.store(false, Ordering::Relaxed);
    eventually("the list is in the view", || known() == SyncState::Complete);
    keeping.abort();
}
