//! The cost of the framework: the libraries that the product uses (axum, hyper, rustls), with the canned response of
//! the baseline.

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

/// Serves on a free local port until the process ends.
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

/// Serves one connection. Errors are ignored, since a connection that the client drops is not an error of the server.
async fn converse(acceptor: TlsAcceptor, connection: TcpStream, router: Router) {
    connection.set_nodelay(true).ok();
    if let Ok(stream) = acceptor.accept(connection).await {
        let service = TowerToHyperService::new(router);
        http1::Builder::new().serve_connection(TokioIo::new(stream), service).await.ok();
    }
}
