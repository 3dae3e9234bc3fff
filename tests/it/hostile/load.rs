//! Many concurrent bodies that are declared and not sent, or sent and not completed.

use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures::future::join_all;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use super::{Target, good};
use crate::harness::RUNTIME;
use crate::reviews::{INGRESS, ingress, review};
use crate::test_server::{Answer, answer, exchange, handshake_from, post, trust, without_review};

/// The size of the largest body that is read.
const LARGEST: usize = 16 << 20;
/// The memory limit for all bodies, and the memory to read one of them.
const BUDGET_KIB: u64 = (64 + 32) << 10;
/// After how long the server gives up a body. A review that waits for one takes at least as long.
const GIVEN_UP: Duration = Duration::from_secs(10);

/// The address of the API server.
const US: Ipv4Addr = Ipv4Addr::LOCALHOST;
/// The last bytes of other addresses in the same network.
const OTHERS: [u8; 4] = [2, 3, 4, 5];

/// `count` connections from our address, on each of which these bytes are sent.
fn clients(target: &Target, count: usize, bytes: &[u8]) -> Vec<TlsStream<TcpStream>> {
    clients_from(target, US, count, bytes).into_iter().map(|client| client.expect("the bytes are read")).collect()
}

fn clients_from(target: &Target, peer: Ipv4Addr, count: usize, bytes: &[u8]) -> Vec<io::Result<TlsStream<TcpStream>>> {
    let trust = trust(&[&target.server.ca]);
    let client = async || {
        let mut stream = handshake_from(peer, target.server.webhook, trust.clone()).await?;
        stream.write_all(bytes).await?;
        stream.flush().await?;
        Ok(stream)
    };
    RUNTIME.block_on(join_all((0..count).map(|_| client())))
}

/// `count` connections from other addresses of the same network, on each of which these bytes are sent. They are more
/// than the server holds, so some are closed for others before their bytes are written.
fn flood(target: &Target, count: usize, bytes: &[u8]) -> Vec<TlsStream<TcpStream>> {
    let share = count / OTHERS.len();
    let of = |last: &u8| clients_from(target, Ipv4Addr::new(127, 0, 0, *last), share, bytes);
    let open: Vec<_> = OTHERS.iter().flat_map(of).flatten().collect();
    assert!(open.len() * 2 > count, "only {} of {count} connections were opened", open.len());
    open
}

fn reviews_over(pooled: &mut [TlsStream<TcpStream>]) {
    let review = post("/validate", good().as_bytes());
    for stream in pooled {
        let since = Instant::now();
        let answer = RUNTIME.block_on(exchange(stream, &review));
        assert!(answer.starts_with("200: ") && answer.contains(r#""allowed":true"#), "{answer}");
        assert!(since.elapsed() < GIVEN_UP, "answered after {:?}", since.elapsed());
    }
}

fn answers(clients: &mut [TlsStream<TcpStream>]) -> Vec<Answer> {
    let answers = clients.iter_mut().map(async |client| answer(client).await.expect("an answer"));
    RUNTIME.block_on(join_all(answers))
}

pub fn bodies_that_are_only_promised_cost_nothing() {
    let target = Target::start();
    let count = 300;
    let promise = format!(
        "POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {LARGEST}\r\n\r\n"
    );
    let mut clients = clients(&target, count, promise.as_bytes());
    // Other reviews are answered at all times until the first body is given up.
    let mut answered = 0;
    while target.refused("slow").is_none_or(|count| count == 0.0) {
        target.goes_on();
        answered += 1;
    }
    assert!(answered > 20, "only {answered} reviews were answered meanwhile");
    for refusal in answers(&mut clients) {
        let slow = without_review("the body was not complete after 10s");
        assert_eq!((refusal.status, refusal.body.trim_end()), (408, &*slow));
    }
    assert_eq!(target.refused("slow"), Some(count as f64));
    target.ends_well();
}

pub fn unfinished_bodies_block_no_other_client() {
    let target = Target::start();
    // More than all bodies may use together, except for the last byte of each.
    let largest = [good().as_bytes(), &vec![b' '; LARGEST - good().len()]].concat();
    let whole = post("/validate", &largest);
    let mut greedy = flood(&target, 4, &whole[..whole.len() - 1]);
    for _ in 0..10 {
        target.goes_on();
    }
    // A large body of ours replaces one of theirs, which is slow by now.
    std::thread::sleep(Duration::from_secs(1));
    let answer = crate::reviews::send(&target.server, &whole);
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(target.refused("busy") >= Some(1.0), "{:?}", target.refused("busy"));

    let finish = greedy.iter_mut().map(async |client| client.write_all(b" ").await);
    let finished = RUNTIME.block_on(join_all(finish));
    assert_eq!(finished.len(), 4);
    for answer in answers(&mut greedy) {
        match answer.status {
            200 => assert!(answer.body.contains(r#""allowed":true"#), "{answer:?}"),
            429 => assert!(answer.head.contains("\r\nretry-after: 1\r\n"), "{answer:?}"),
            _ => panic!("{answer:?}"),
        }
    }
    target.goes_on();
    target.ends_within(BUDGET_KIB);
}

/// All requests that come through a tunnel to the cluster have the same address, even if there are many writers.
pub fn six_hundred_at_once_and_then_a_flood() {
    let target = Target::start();
    let mut ours = clients(&target, 600, post("/validate", good().as_bytes()).as_slice());
    for answer in answers(&mut ours) {
        assert!(answer.status == 200 && answer.body.contains(r#""allowed":true"#), "{answer:?}");
    }
    assert_eq!(target.refused("busy"), Some(0.0));
    let mut pooled = ours.split_off(590);
    drop(ours);

    let begun =
        b"POST /validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{";
    let slow = flood(&target, 1200, begun);
    for _ in 0..5 {
        reviews_over(&mut pooled);
        reviews_over(&mut clients(&target, 1, b""));
        target.goes_on();
    }
    drop(slow);
    target.ends_within(BUDGET_KIB);
}

/// The creation of an Ingress in this namespace with this number of paths.
fn wide(namespace: &str, paths: usize) -> Vec<u8> {
    let one = ingress(namespace, "wide", "wide.example.com", "/0");
    let (head, tail) = one.split_once("[{\"path\"").expect("it has a path");
    let (_, tail) = tail.split_once("}]").expect("its list ends");
    let backend = r#"{"service":{"name":"cart","port":{"number":80}}}"#;
    let path = |number: usize| format!(r#"{{"path":"/{number}","pathType":"Prefix","backend":{backend}}}"#);
    let paths: Vec<String> = (0..paths).map(path).collect();
    let object = format!("{head}[{}]{tail}", paths.join(","));
    let namespaced = format!(r#""kind":{INGRESS},"namespace":"{namespace}","operation":"CREATE","object":{object}"#);
    post("/validate", review("u-1", &namespaced).as_bytes())
}

/// The reviews of one namespace delay only reviews of that namespace, even if they are many and large.
pub fn heavy_reviews_take_turns_among_namespaces() {
    let target = Target::start();
    let (count, ours) = (12, wide("web", 3_000));
    let greedy = clients(&target, count, &wide("greedy", 5_000));
    let done = Arc::new(AtomicUsize::new(0));
    let waiting: Vec<_> = greedy
        .into_iter()
        .map(|mut client| {
            let done = Arc::clone(&done);
            RUNTIME.spawn(async move {
                let answer = answer(&mut client).await.expect("an answer");
                done.fetch_add(1, Ordering::Relaxed);
                answer
            })
        })
        .collect();
    target.goes_on();
    let before = done.load(Ordering::Relaxed);
    assert!(before < count, "a small review of another namespace waited for all of them");
    let answer = crate::reviews::send(&target.server, &ours);
    let meanwhile = done.load(Ordering::Relaxed) - before;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(meanwhile <= 3, "{before} of {count} were answered before and {meanwhile} meanwhile");
    for answer in RUNTIME.block_on(join_all(waiting)) {
        assert_eq!(answer.expect("no panic").status, 200);
    }
    target.ends_within(BUDGET_KIB);
}
