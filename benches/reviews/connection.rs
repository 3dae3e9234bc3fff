//! A connection of the load generators. It sends the requests of the API server's webhook client.

use std::net::SocketAddr;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::payload::{UID, Verdict};
use crate::{http, tls};

/// What is sent to which server.
pub struct Target {
    address: SocketAddr,
    connector: TlsConnector,
    request: Vec<u8>,
}

impl Target {
    /// A review for the server at this address, whose certificate is of the CA in the folder.
    pub fn new(address: SocketAddr, certificate: &Path, review: &str) -> Result<Self> {
        Ok(Self { address, connector: tls::connector(certificate)?, request: request(review) })
    }

    /// Opens a connection.
    pub async fn connect(&self) -> Result<Connection> {
        let connection = TcpStream::connect(self.address).await?;
        Ok(Connection { stream: tls::handshake(&self.connector, connection).await?, buffer: Vec::new() })
    }

    /// Sends the review once and returns its correct response. All responses are identical bytes, so the others are compared with
    /// this one.
    pub async fn right_answer(&self, verdict: Verdict) -> Result<Vec<u8>> {
        let mut connection = self.connect().await?;
        let body = connection.exchange(self).await?;
        judge(body, verdict)?;
        Ok(body.to_vec())
    }
}

/// A persistent connection.
pub struct Connection {
    stream: TlsStream<TcpStream>,
    buffer: Vec<u8>,
}

impl Connection {
    /// Sends the review and returns the body of the response, whose status must be 200.
    pub async fn exchange(&mut self, target: &Target) -> Result<&[u8]> {
        self.buffer.clear();
        self.stream.write_all(&target.request).await?;
        self.stream.flush().await?;
        let answer =
            http::read(&mut self.stream, &mut self.buffer).await?.context("the server closed the connection")?;
        let head = answer.head(&self.buffer);
        ensure!(head.starts_with(b"HTTP/1.1 200 "), "{}", String::from_utf8_lossy(&self.buffer));
        Ok(answer.body(&self.buffer))
    }
}

/// Fails unless the response belongs to our review and has the expected verdict.
fn judge(answer: &[u8], verdict: Verdict) -> Result<()> {
    let review: Value = serde_json::from_slice(answer)?;
    let response = &review["response"];
    let said = match (response["allowed"].as_bool(), response.get("warnings")) {
        (Some(true), None) => Some(Verdict::Clean),
        (Some(false), _) => Some(Verdict::Denied),
        _ => None,
    };
    ensure!(response["uid"] == UID, "the answer is to another review: {review}");
    ensure!(verdict == Verdict::Either || said == Some(verdict), "the answer should be {verdict:?}: {review}");
    Ok(())
}

/// The request of the API server's webhook client.
fn request(review: &str) -> Vec<u8> {
    let head = [
        "POST /validate?timeout=10s HTTP/1.1",
        "Host: portcullis.portcullis-system.svc:443",
        "User-Agent: kube-apiserver-admission",
        &format!("Content-Length: {}", review.len()),
        "Accept: application/json, */*",
        "Content-Type: application/json",
        "Accept-Encoding: gzip",
    ];
    format!("{}\r\n\r\n{review}", head.join("\r\n")).into_bytes()
}
