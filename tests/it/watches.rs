//! The keeper of watches before an API server that is made of one function.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::http::{Request, Response};
use kube::Client;
use kube::client::Body;
use libtest_mimic::Trial;
use portcullis::watch;
use portcullis_core::cluster::{SharedCluster, SyncState};
use portcullis_core::kinds::{Kind, KindSet};

use crate::harness::{RUNTIME, eventually};
use crate::reviews::ingress;

pub fn trials() -> Vec<Trial> {
    vec![Trial::test("watches::one_that_panics_is_begun_anew", || {
        one_that_panics_is_begun_anew();
        Ok(())
    })]
}

/// A list of this many Ingresses.
fn list(count: usize) -> Response<Body> {
    let items: Vec<_> = (0..count).map(|number| ingress("web", &format!("shop-{number}"), "a.com", "/")).collect();
    let json = format!(
        r#"{{"apiVersion":"networking.k8s.io/v1","kind":"IngressList","metadata":{{"resourceVersion":"7"}},"items":[{}]}}"#,
        items.join(",")
    );
    Response::new(json.into_bytes().into())
}

fn one_that_panics_is_begun_anew() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counts = Arc::clone(&asked);
    // The first watch is a list of one and a panic, the second a list of two and silence.
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
    let keeping = RUNTIME.spawn({
        let view = Arc::clone(&view);
        async move {
            let needs: watch::Needs =
                Arc::new(|| watch::Wanted { kinds: KindSet::of(&[Kind::Ingress]), schemas: false });
            watch::keep(Client::new(server, "default"), needs, view).await;
        }
    });
    let holds = |count: usize| {
        let view = view.read();
        view.knowledge(Kind::Ingress) == SyncState::Complete && view.count(Kind::Ingress) == count
    };
    eventually("the first list is in the view", || holds(1));
    eventually("the second watch's list is in the view", || holds(2));
    // The second watch is opened after its list is in the view.
    eventually("a list and a watch, twice", || asked.load(Ordering::Relaxed) == 4);
    assert!(!keeping.is_finished());
    keeping.abort();
}
