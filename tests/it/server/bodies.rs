//! Request bodies: which of them are read, how large they may be, and the memory limit for all of them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::net::Ipv4Addr;
use std::time::Instant;

use portcullis::server::Limits;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use super::SHORT;
use crate::test_server::{PATIENCE, TestServer, answer, closed, exchange, limits, post, without_review};

pub async fn a_body_beyond_the_limit_is_refused() {
    let server = TestServer::start(Limits { body: 1000, ..limits() }).await;
    let refusal = without_review("413: the body is larger than 1000 bytes");
    let mut stream = server.tls().await;
    assert_eq!(exchange(&mut stream, &post("/echo", &[b' '; 1000])).await, "200: 1000 bytes");

    // Rejected because of its declared length, before any byte of the body is sent.
    let declared = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1001\r\n\r\n";
    assert_eq!(exchange(&mut stream, declared.as_bytes()).await, refusal);
    closed(&mut stream, Instant::now()).await;

    let chunk = format!("1F4\r\n{}\r\n", " ".repeat(500));
    let chunked =
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let mut stream = server.tls().await;
    let fits = format!("{chunked}{chunk}{chunk}0\r\n\r\n");
    assert_eq!(exchange(&mut stream, fits.as_bytes()).await, "200: 1000 bytes");
    // Rejected when it exceeds the limit, without having announced its end.
    let grows = format!("{chunked}{chunk}{chunk}1\r\n \r\n");
    assert_eq!(exchange(&mut stream, grows.as_bytes()).await, refusal);
    closed(&mut stream, Instant::now()).await;
    server.serves_the_next().await;
    server.ended().await;
}

pub async fn rejection_reaches_a_client_that_is_still_sending() {
    let server = TestServer::start(Limits { body: 1000, linger: PATIENCE, ..limits() }).await;
    let mut stream = server.tls().await;
    // More than the socket buffers hold. A server that closed at once would reset the connection while the client is
    // writing.
    let huge = exchange(&mut stream, &post("/echo", &vec![b' '; 16 << 20])).await;
    assert_eq!(huge, without_review("413: the body is larger than 1000 bytes"));
    drop(stream);
    server.ended().await;
}

pub async fn only_json_by_post_is_read() {
    let server = TestServer::start(limits()).await;
    let of_type = |kind: &str| format!("POST /echo HTTP/1.1\r\nHost: x\r\n{kind}Content-Length: 2\r\n\r\n");
    for kind in ["application/json", "application/json; charset=utf-8", "Application/JSON ;charset=utf-8"] {
        let request = format!("{}{{}}", of_type(&format!("Content-Type: {kind}\r\n")));
        assert_eq!(exchange(&mut server.tls().await, request.as_bytes()).await, "200: 2 bytes", "{kind}");
    }
    // The response arrives although the declared body does not.
    for kind in ["", "Content-Type: text/plain\r\n", "Content-Type: application/jsonp\r\n", "Content-Type: \u{ff}\r\n"]
    {
        let answer = exchange(&mut server.tls().await, of_type(kind).as_bytes()).await;
        // The API server never gets this answer, so it says nothing of enforcement.
        assert_eq!(answer, "415: the content type of a review must be application/json", "{kind}");
    }
    let mut stream = server.tls().await;
    stream.write_all(b"GET /echo HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    let refusal = answer(&mut stream).await.unwrap();
    assert_eq!((refusal.status, refusal.body.trim_end()), (405, "the method of a review must be POST"));
    assert!(refusal.head.contains("\r\nallow: post\r\n"));
    server.ended().await;
}

pub async fn bodies_beyond_the_budget_are_refused_with_retry_after() {
    let server = TestServer::start(Limits { in_flight: 4096, ..limits() }).await;
    let chunked = b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
        Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";

    // A complete body is not dropped for another one.
    let mut held = server.tls().await;
    held.write_all(&post("/held", &[b' '; 4095])).await.unwrap();
    server.state.begun.notified().await;
    for request in [&post("/echo", b"{}")[..], chunked] {
        let mut stream = server.tls().await;
        stream.write_all(request).await.unwrap();
        let refusal = answer(&mut stream).await.unwrap();
        let busy = without_review("too many reviews are in flight; try again");
        assert_eq!((refusal.status, refusal.body.trim_end()), (429, &*busy));
        assert!(refusal.head.contains("\r\nretry-after: 1\r\n"));
    }
    server.state.release.notify_one();
    assert_eq!(answer(&mut held).await.unwrap().body, "released");
    for request in [&post("/echo", b"{}")[..], chunked] {
        assert_eq!(exchange(&mut server.tls().await, request).await, "200: 2 bytes");
    }
    assert_eq!(server.state.budget.used(), 0, "an answered body gives its bytes back");
    server.ended().await;
}

/// The number of missing bytes of each unfinished body.
const REST: usize = 100;

/// Connections from `peer`. On each of them `sent` bytes of a body are sent, and [`REST`] bytes are missing.
async fn unfinished(server: &TestServer, peer: Ipv4Addr, count: usize, sent: usize) -> Vec<TlsStream<TcpStream>> {
    let whole = post("/echo", &vec![b' '; sent + REST]);
    let before = server.state.budget.used();
    let mut streams = Vec::new();
    for _ in 0..count {
        let mut stream = server.tls_from(peer).await;
        stream.write_all(&whole[..whole.len() - REST]).await.unwrap();
        streams.push(stream);
    }
    let since = Instant::now();
    while server.state.budget.used() < before + count * sent && since.elapsed() < PATIENCE {
        tokio::time::sleep(SHORT / 10).await;
    }
    streams
}

/// The number of bodies that are rejected as busy when the rest of all bodies is sent.
async fn dropped(streams: Vec<TlsStream<TcpStream>>) -> usize {
    let mut dropped = 0;
    for mut stream in streams {
        let _ = stream.write_all(&[b' '; REST]).await;
        let _ = stream.flush().await;
        match answer(&mut stream).await.map(|answer| answer.status) {
            Some(200) => {}
            Some(429) => dropped += 1,
            other => panic!("{other:?}"),
        }
    }
    dropped
}

pub async fn unfinished_body_of_the_largest_peer_is_dropped() {
    let [us, greedy, modest] = [1, 2, 3].map(|last| Ipv4Addr::new(127, 0, 0, last));
    let server = TestServer::start(Limits { in_flight: 4096, linger: PATIENCE, ..limits() }).await;
    let modest = unfinished(&server, modest, 1, 500).await;
    let greedy = unfinished(&server, greedy, 3, 1000).await;
    let body = post("/echo", &[b' '; 1500]);
    assert_eq!(exchange(&mut server.tls_from(us).await, &body).await, "200: 1500 bytes");
    assert_eq!(dropped(modest).await, 0, "of one that holds less nothing is dropped");
    assert_eq!(dropped(greedy).await, 1, "and no more than is needed");
    server.ended().await;
}

pub async fn unfinished_body_of_the_largest_network_is_dropped() {
    let server = TestServer::start(Limits { in_flight: 4096, linger: PATIENCE, ..limits() }).await;
    let alone = unfinished(&server, Ipv4Addr::new(127, 0, 1, 1), 1, 900).await;
    let mut network = Vec::new();
    for last in 1..=5 {
        network.extend(unfinished(&server, Ipv4Addr::new(127, 0, 2, last), 1, 600).await);
    }
    let body = post("/echo", &[b' '; 500]);
    assert_eq!(exchange(&mut server.tls().await, &body).await, "200: 500 bytes");
    assert_eq!((dropped(alone).await, dropped(network).await), (0, 1));
    server.ended().await;
}

pub async fn slow_body_is_dropped_for_a_larger_one() {
    let server = TestServer::start(Limits { in_flight: 4096, slow_after: SHORT, linger: PATIENCE, ..limits() }).await;
    let [us, slow] = [1, 2].map(|last| Ipv4Addr::new(127, 0, 0, last));
    // Both peers are proven.
    for peer in [us, slow] {
        assert_eq!(exchange(&mut server.tls_from(peer).await, &post("/echo", b"{}")).await, "200: 2 bytes");
    }
    let slow = unfinished(&server, slow, 1, 1000).await;
    tokio::time::sleep(SHORT).await;
    let body = post("/echo", &[b' '; 4000]);
    assert_eq!(exchange(&mut server.tls_from(us).await, &body).await, "200: 4000 bytes");
    assert_eq!(dropped(slow).await, 1);
    server.ended().await;
}
