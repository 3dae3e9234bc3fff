//! Renewal of the certificate, a full disk, and termination.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::thread;
use std::time::Duration;

use portcullis::tls::authority;
use tokio::io::AsyncWriteExt;

use super::{Folder, is_claimed, verbose};
use crate::harness::{Http, PortcullisServer, RUNTIME, eventually, free_port, process_guard};
use crate::reviews::{create, ingress};
use crate::test_server::{answer, handshake, post, trust};

/// The leaf certificate that the server presents to a new connection.
fn shown(server: &PortcullisServer, ca: &Path) -> Vec<u8> {
    RUNTIME.block_on(async {
        let stream = handshake(server.webhook, trust(&[ca])).await.expect("a TLS connection");
        stream.get_ref().1.peer_certificates().expect("a server shows its certificate")[0].to_vec()
    })
}

pub fn a_renewed_certificate_is_shown() {
    let (folder, certificates) = (Folder::new(), process_guard().folder("operator"));
    let paths = authority::ensure(&certificates, &[]).expect("a new authority");
    let args = [
        Path::new("--objects"),
        &folder.0,
        Path::new("--tls-cert"),
        &paths.certificate,
        Path::new("--tls-key"),
        &paths.key,
    ];
    let server = PortcullisServer::with_certificate(args, &paths.ca_certificate).ready();
    let first = shown(&server, &paths.ca_certificate);
    let is_answered = || !is_claimed(&server, "a.example.com");
    assert!(is_answered());

    authority::ensure(&certificates, &["renewed.example.com".to_owned()]).expect("a new leaf");
    eventually("the new leaf is shown", || is_answered() && shown(&server, &paths.ca_certificate) != first);
    let second = shown(&server, &paths.ca_certificate);

    fs::write(&paths.certificate, "no certificate").expect("the folder is writable");
    eventually("the broken file shows", || verbose(&server).contains("[!]certificate degraded: "));
    assert_eq!(shown(&server, &paths.ca_certificate), second);
    assert!(is_answered());
}

/// Every write to this device fails as on a full disk.
pub const FULL: &str = "/dev/full";

/// What is logged cannot be written, and there is no folder for temporary files.
pub fn a_full_disk_costs_only_the_log() {
    let (folder, certificates) = (Folder::new(), process_guard().folder("operator"));
    let paths = authority::ensure(&certificates, &[]).expect("a new authority");
    let [webhook, health] = [(); 2].map(|()| SocketAddr::from((Ipv4Addr::LOCALHOST, free_port())));
    let mut command = process_guard().command(env!("CARGO_BIN_EXE_portcullis"));
    command.args(["serve", "--objects", folder.path()]).env("TMPDIR", "/missing");
    command.arg("--tls-cert").arg(&paths.certificate).arg("--tls-key").arg(&paths.key);
    command.args([format!("--listen={webhook}"), format!("--health-listen={health}")]);
    let full = fs::File::options().write(true).open(FULL).expect("it exists");
    let mut server = command.stderr(full).spawn().expect("the program starts");

    eventually("it listens", || TcpStream::connect(health).is_ok() && TcpStream::connect(webhook).is_ok());
    let health = Http::new(&format!("http://{health}"), "");
    eventually("it is ready", || health.get("/readyz").0 == 200);
    let authority = fs::read_to_string(&paths.ca_certificate).expect("it was just written");
    let client = Http::new(&format!("https://{webhook}"), &authority);
    for _ in 0..10 {
        let (status, answer) = client.post("/validate", create(&ingress("web", "shop", "shop.example.com", "cart")));
        assert_eq!((status, &answer["response"]["allowed"]), (200, &false.into()), "{answer}");
    }
    let (_, metrics) = health.get("/metrics");
    assert!(metrics.contains("\nportcullis_panics_total 0\n"), "{metrics}");
    assert!(server.try_wait().expect("a child of ours").is_none(), "it still runs");
    server.kill().and_then(|()| server.wait()).expect("a child of ours can be killed");
}

pub fn sigterm_completes_requests_in_flight() {
    let server = Folder::new().server(&[]);
    let bytes = post("/validate", create(&ingress("web", "shop", "shop.example.com", "/")).as_bytes());
    let (begin, end) = bytes.split_at(bytes.len() / 2);
    let (begin, end, trust) = (begin.to_vec(), end.to_vec(), trust(&[&server.ca]));
    let mut stream = RUNTIME.block_on(async {
        let mut stream = handshake(server.webhook, trust).await.expect("a TLS connection");
        stream.write_all(&begin).await.expect("the bytes are read");
        stream.flush().await.expect("the bytes are read");
        stream
    });
    // Long enough for the server to have read the head.
    thread::sleep(Duration::from_millis(500));
    let rest = RUNTIME.spawn(async move {
        tokio::time::sleep(Duration::from_secs(2)).await;
        stream.write_all(&end).await.expect("the bytes are read");
        answer(&mut stream).await.expect("an answer")
    });
    let (ended, _) = server.terminate();
    let answer = RUNTIME.block_on(rest).expect("the client ends well");
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.body.contains(r#""allowed":true"#), "{}", answer.body);
    assert!(ended.success(), "{ended}");
}
