//! Many bodies at once: promised and not sent, or sent and not ended.

use std::time::{Duration, Instant};

use futures::future::join_all;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use super::{Target, good};
use crate::door::{Answer, answer, handshake, post, trust};
use crate::harness::RUNTIME;

/// The largest body that is read.
const LARGEST: usize = 8 << 20;
/// What all bodies may hold together, and what reading one of them may take besides.
const BUDGET_KIB: u64 = (64 + 32) << 10;
/// How long a good review may take meanwhile, in a debug build on a busy machine.
const SOON: Duration = Duration::from_secs(2);

/// `count` connections, each with these bytes sent.
fn clients(target: &Target, count: usize, bytes: &[u8]) -> Vec<TlsStream<TcpStream>> {
    let trust = trust(&[&target.gate.ca]);
    let client = async || {
        let mut stream = handshake(target.gate.webhook, trust.clone()).await.expect("a TLS connection");
        stream.write_all(bytes).await.expect("the bytes are read");
        stream.flush().await.expect("the bytes are read");
        stream
    };
    RUNTIME.block_on(join_all((0..count).map(|_| client())))
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
    // Others are answered all the time until the deadline of bodies.
    let since = Instant::now();
    while since.elapsed() < Duration::from_secs(5) {
        let asked = Instant::now();
        target.goes_on();
        assert!(asked.elapsed() < SOON, "answered after {:?}", asked.elapsed());
    }
    for refusal in answers(&mut clients) {
        assert_eq!((refusal.status, refusal.body.trim_end()), (408, "the body was not complete after 10s"));
    }
    assert_eq!(target.refused("slow"), Some(count as f64));
    target.ends_well();
}

pub fn bodies_beyond_the_budget_are_429_until_there_is_room() {
    let target = Target::start();
    // All that bodies may hold together, but for the last byte of each of eight.
    let largest = [good().as_bytes(), &vec![b' '; LARGEST - good().len()]].concat();
    let whole = post("/validate", &largest);
    let mut clients = clients(&target, 8, &whole[..whole.len() - 1]);
    let small = post("/validate", good().as_bytes());
    // What was sent last is read a moment later.
    let came = crate::harness::until(SOON, || {
        let refusal = crate::reviews::send(&target.gate, &small);
        (refusal.status != 200).then_some(refusal)
    });
    let refusal = came.expect("the budget is used up");
    assert_eq!((refusal.status, refusal.body.trim_end()), (429, "too many reviews are in flight; try again"));
    assert!(refusal.head.contains("\r\nretry-after: 1\r\n"), "{}", refusal.head);
    assert_eq!(target.refused("busy"), Some(1.0));

    let finish = clients.iter_mut().map(async |client| client.write_all(b" ").await.expect("the bytes are read"));
    RUNTIME.block_on(join_all(finish));
    for answer in answers(&mut clients) {
        assert!(answer.status == 200 && answer.body.contains(r#""allowed":true"#), "{answer:?}");
    }
    target.goes_on();
    target.ends_within(BUDGET_KIB);
}
