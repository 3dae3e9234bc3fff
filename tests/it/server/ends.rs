//! How the door ends.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Instant;

use portcullis::server::Limits;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::SHORT;
use crate::door::{Door, answer, closed, exchange, limits, post};

pub async fn stopping_finishes_what_is_in_flight() {
    let mut door = Door::open(limits()).await;
    let mut idle = door.tls().await;
    assert_eq!(exchange(&mut idle, &post("/echo", b"{}")).await, "200: 2 bytes");
    let mut busy = door.tls().await;
    busy.write_all(&post("/held", b"{}")).await.unwrap();
    door.room.begun.notified().await;

    door.stop();
    closed(&mut idle, Instant::now()).await;
    assert!(TcpStream::connect(door.address).await.is_err(), "nothing is accepted any more");
    door.room.release.notify_one();
    let last = answer(&mut busy).await.unwrap();
    assert_eq!((last.status, last.body.as_str()), (200, "released"));
    closed(&mut busy, Instant::now()).await;
    door.ended().await;
}

pub async fn stopping_ends_with_the_grace() {
    let mut door = Door::open(Limits { grace: SHORT, ..limits() }).await;
    let mut busy = door.tls().await;
    busy.write_all(&post("/held", b"{}")).await.unwrap();
    door.room.begun.notified().await;
    let since = Instant::now();
    door.stop();
    assert!(closed(&mut busy, since).await >= SHORT);
    door.ended().await;
}
