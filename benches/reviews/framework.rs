//! The framework's share: the stack that the product stands on (axum, hyper, rustls), with the floor's canned answer.

use std::path::Path;

use anyhow::Result;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::post;
use bytes::Bytes;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::{floor, server, tls};

/// Answers every review on a free port of this machine until the process is ended.
pub async fn serve(certificate: &Path) -> Result<()> {
    let acceptor = tls::acceptor(certificate)?;
    let answer = Bytes::from(floor::answer());
    let router = Router::new()
        .route("/validate", post(move |body: Bytes| canned(answer.clone(), body)))
        .layer(DefaultBodyLimit::disable());
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    server::announce(listener.local_addr()?);
    loop {
        let (connection, _) = listener.accept().await?;
        tokio::spawn(converse(acceptor.clone(), connection, router.clone()));
    }
}

async fn canned(answer: Bytes, _review: Bytes) -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], answer)
}

/// A connection that its client drops is no failure of the server, so its end is not looked at.
async fn converse(acceptor: TlsAcceptor, connection: TcpStream, router: Router) {
    connection.set_nodelay(true).ok();
    if let Ok(stream) = acceptor.accept(connection).await {
        let service = TowerToHyperService::new(router);
        http1::Builder::new().serve_connection(TokioIo::new(stream), service).await.ok();
    }
}
