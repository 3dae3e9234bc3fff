//! Slow peers, each up to its own deadline.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Instant;

use portcullis::server::Limits;
use tokio::io::AsyncWriteExt;

use super::SHORT;
use crate::test_server::{PATIENCE, TestServer, answer, closed, dribble, exchange, limits, post, without_review};

pub async fn peer_without_a_tls_handshake_is_closed() {
    let server = TestServer::start(Limits { handshake_timeout: SHORT, ..limits() }).await;
    let since = Instant::now();
    assert!(closed(&mut server.tcp().await, since).await >= SHORT);
    assert_eq!(server.traffic.handshakes_failed.get(), 1);
    server.serves_the_next().await;
    server.ended().await;
}

pub async fn silent_peer_is_closed() {
    let server = TestServer::start(Limits { first_byte_timeout: SHORT, ..limits() }).await;
    let mut stream = server.tls().await;
    assert!(closed(&mut stream, Instant::now()).await >= SHORT);
    assert_eq!(server.traffic.timed_out.get(), 1);
    server.ended().await;
}

pub async fn slow_header_closes_the_connection() {
    let server = TestServer::start(Limits { header_timeout: SHORT, ..limits() }).await;
    let mut stream = server.tls().await;
    // The time before the first byte does not count.
    tokio::time::sleep(2 * SHORT).await;
    let since = Instant::now();
    stream.write_all(b"POST /echo HTTP/1.1\r\nX-Slow: ").await.unwrap();
    let (mut reader, mut writer) = tokio::io::split(stream);
    let (elapsed, ()) = tokio::join!(closed(&mut reader, since), dribble(&mut writer, b'x'));
    assert!(elapsed >= SHORT);
    assert_eq!(server.traffic.timed_out.get(), 1);
    server.ended().await;
}

pub async fn idle_connection_outlives_header_and_first_byte_timeouts() {
    let server = TestServer::start(Limits { header_timeout: SHORT, first_byte_timeout: SHORT, ..limits() }).await;
    let mut stream = server.tls().await;
    for _ in 0..3 {
        assert_eq!(exchange(&mut stream, &post("/echo", b"{}")).await, "200: 2 bytes");
        tokio::time::sleep(2 * SHORT).await;
    }
    assert_eq!(server.traffic.timed_out.get(), 0);
    server.ended().await;
}

pub async fn a_connection_that_idles_too_long_is_closed() {
    let server = TestServer::start(Limits { idle_timeout: SHORT, ..limits() }).await;
    let mut stream = server.tls().await;
    let since = Instant::now();
    assert_eq!(exchange(&mut stream, &post("/echo", b"{}")).await, "200: 2 bytes");
    assert!(closed(&mut stream, since).await >= SHORT);
    server.ended().await;
}

pub async fn slow_body_is_refused() {
    let server = TestServer::start(Limits { body_deadline: SHORT, ..limits() }).await;
    let head = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    for framing in ["Content-Length: 100000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n186A0\r\n"] {
        let mut stream = server.tls().await;
        let since = Instant::now();
        stream.write_all(format!("{head}{framing}").as_bytes()).await.unwrap();
        let (mut reader, mut writer) = tokio::io::split(stream);
        let refused = async {
            let refusal = answer(&mut reader).await.unwrap();
            let slow = without_review("the body was not complete after 300ms");
            assert_eq!((refusal.status, refusal.body.trim_end()), (408, &*slow));
            closed(&mut reader, since).await
        };
        let (elapsed, ()) = tokio::join!(refused, dribble(&mut writer, b' '));
        assert!(elapsed >= SHORT);
    }
    assert_eq!(server.state.budget.used(), 0, "a refused body gives its bytes back");
    server.serves_the_next().await;
    server.ended().await;
}

pub async fn an_answer_that_is_not_read_is_dropped() {
    let server = TestServer::start(Limits { write_timeout: SHORT, ..limits() }).await;
    let mut stream = server.tls().await;
    stream.write_all(&post("/large", b"{}")).await.unwrap();
    let since = Instant::now();
    while server.traffic.timed_out.get() == 0 {
        assert!(since.elapsed() < PATIENCE, "a stalled answer is given up");
        tokio::time::sleep(SHORT / 10).await;
    }
    assert!(since.elapsed() >= SHORT);
    server.ended().await;
}
