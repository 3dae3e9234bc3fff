//! Graceful shutdown.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::{Duration, Instant};

use portcullis::server::{Limits, Phase};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;

use super::SHORT;
use crate::test_server::{PATIENCE, TestServer, answer, closed, exchange, limits, post};

pub async fn closing_completes_requests_in_flight() {
    let server = TestServer::start(limits()).await;
    let mut idle = server.tls().await;
    assert_eq!(exchange(&mut idle, &post("/echo", b"{}")).await, "200: 2 bytes");
    let mut busy = server.tls().await;
    busy.write_all(&post("/held", b"{}")).await.unwrap();
    server.state.begun.notified().await;

    server.shutdown.enter(Phase::Closing);
    closed(&mut idle, Instant::now()).await;
    assert!(TcpStream::connect(server.address).await.is_err(), "nothing is accepted any more");
    server.state.release.notify_one();
    let last = answer(&mut busy).await.unwrap();
    assert_eq!((last.status, last.body.as_str()), (200, "released"));
    closed(&mut busy, Instant::now()).await;
    assert_eq!(server.ended().await, 2);
}

pub async fn closing_ends_with_the_grace() {
    let server = TestServer::start(Limits { grace: SHORT, ..limits() }).await;
    let mut busy = server.tls().await;
    busy.write_all(&post("/held", b"{}")).await.unwrap();
    server.state.begun.notified().await;
    let since = Instant::now();
    server.shutdown.enter(Phase::Closing);
    assert!(closed(&mut busy, since).await >= SHORT);
    server.ended().await;
}

/// Sends one good review, whose answer must say that the connection closes, and waits until it does.
async fn is_dismissed<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S) {
    stream.write_all(&post("/echo", b"{}")).await.unwrap();
    stream.flush().await.unwrap();
    let last = answer(stream).await.expect("an idle connection is served");
    assert_eq!((last.status, last.body.as_str()), (200, "2 bytes"));
    assert!(last.head.contains("\r\nconnection: close\r\n"), "{}", last.head);
    closed(stream, Instant::now()).await;
}

/// Waits until the metric shows so many connections.
async fn open_are(count: i64, server: &TestServer) {
    let since = Instant::now();
    while server.traffic.open.get() != count {
        assert!(since.elapsed() < PATIENCE, "{} connections are open, not {count}", server.traffic.open.get());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

pub async fn draining_server_answers_one_more_request_on_idle_connections() {
    let server = TestServer::start(limits()).await;
    let mut pooled = [server.tls().await, server.tls().await];
    for stream in &mut pooled {
        assert_eq!(exchange(stream, &post("/echo", b"{}")).await, "200: 2 bytes");
    }
    server.shutdown.enter(Phase::Draining);
    // Long enough for a close to arrive, were there one.
    tokio::time::sleep(SHORT).await;
    for (left, stream) in (1..=2).rev().zip(&mut pooled) {
        assert!(!server.is_ended(), "a connection is open");
        open_are(left, &server).await;
        is_dismissed(stream).await;
    }
    assert_eq!(server.ends_by_itself().await, 0);
}

pub async fn draining_server_accepts_connections() {
    let server = TestServer::start(limits()).await;
    let mut first = server.tls().await;
    server.shutdown.enter(Phase::Draining);
    is_dismissed(&mut server.tls().await).await;
    is_dismissed(&mut first).await;
    let address = server.address;
    server.ends_by_itself().await;
    assert!(TcpStream::connect(address).await.is_err(), "nothing is accepted any more");
}

pub async fn draining_without_connections_ends_at_once() {
    let server = TestServer::start(limits()).await;
    server.serves_the_next().await;
    server.shutdown.enter(Phase::Draining);
    assert_eq!(server.ends_by_itself().await, 0);
}

pub async fn draining_ends_after_the_timeout() {
    let server = TestServer::start(Limits { drain_timeout: SHORT, ..limits() }).await;
    let mut idle = server.tls().await;
    assert_eq!(exchange(&mut idle, &post("/echo", b"{}")).await, "200: 2 bytes");
    let since = Instant::now();
    server.shutdown.enter(Phase::Draining);
    assert!(closed(&mut idle, since).await >= SHORT);
    drop(idle);
    assert_eq!(server.ends_by_itself().await, 1);
}

pub async fn aborting_waits_for_nothing() {
    let server = TestServer::start(limits()).await;
    let mut busy = server.tls().await;
    busy.write_all(&post("/held", b"{}")).await.unwrap();
    server.state.begun.notified().await;
    server.shutdown.enter(Phase::Draining);
    server.shutdown.enter(Phase::Aborting);
    assert!(answer(&mut busy).await.is_none(), "the request is not answered");
    server.ends_by_itself().await;
}
