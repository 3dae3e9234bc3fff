//! Access control with client certificates and path tokens, tested with the real program.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libtest_mimic::Trial;
use portcullis::tls::authority::{CertificatePaths, ClientPaths, ensure, issue_client};
use rustls::ClientConfig;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::harness::{
    Callee, ControlPlane, Flavour, PortcullisServer, RUNTIME, WEBHOOK_CLIENT, Webhooks, eventually, on_cluster,
    process_guard,
};
use crate::reviews::{create, ingress};
use crate::test_server::{exchange, handshake, post, trust, trust_as};

const FIRST: &str = "first-token-0123456789";
const SECOND: &str = "second_token.9876543210";
const THIRD: &str = "THIRD~token~0000000000";

const UNVERIFIED: &str = "403: a client certificate with an accepted CA and name is required; if this lasts, see \
    /readyz?verbose; `portcullis disarm` stops enforcement";
const NOT_FOUND: &str = "404: path not found: must be /validate or /mutate, followed by the token if one is configured; \
    if this lasts, see /readyz?verbose; `portcullis disarm` stops enforcement";

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, test: fn()| {
        Trial::test(format!("access::{name}"), move || {
            test();
            Ok(())
        })
    };
    vec![
        trial("only_verified_clients_are_answered", only_verified_clients_are_answered),
        trial("any_client_certificate_will_do_without_a_name", any_client_certificate_will_do_without_a_name),
        trial("the_client_authority_is_reloaded", the_client_authority_is_reloaded),
        trial("only_paths_with_a_token_are_found", only_paths_with_a_token_are_found),
        trial("tokens_are_reloaded_and_never_logged", tokens_are_reloaded_and_never_logged),
        trial("a_certificate_or_a_token_is_enough", a_certificate_or_a_token_is_enough),
        trial("files_that_allow_no_client_are_refused_at_start", files_that_allow_no_client_are_refused_at_start),
        trial("certs_makes_a_client_certificate", certs_makes_a_client_certificate),
        on_cluster("access::the_api_server_shows_its_certificate", the_api_server_shows_its_certificate),
        on_cluster("access::the_api_server_calls_a_path_with_a_token", the_api_server_calls_a_path_with_a_token),
    ]
}

/// A CA for client certificates in its own folder.
struct Authority {
    folder: PathBuf,
    paths: CertificatePaths,
}

impl Authority {
    fn new() -> Self {
        let folder = process_guard().folder("clients");
        let paths = ensure(&folder, &[]).expect("the folder is writable");
        Self { folder, paths }
    }

    /// Issues a client certificate with this common name.
    fn client(&self, name: &str) -> ClientPaths {
        let ClientPaths { certificate, key } = issue_client(&self.folder, name).expect("the folder is writable");
        let kept = |path: &Path| {
            let kept = self.folder.join(format!("{name}-{}", path.file_name().expect("a file").display()));
            fs::rename(path, &kept).expect("the folder is writable");
            kept
        };
        ClientPaths { certificate: kept(&certificate), key: kept(&key) }
    }
}

/// A folder with one valid manifest, and the arguments to serve it.
fn objects() -> [String; 2] {
    let folder = process_guard().folder("access");
    fs::write(folder.join("shop.yaml"), ingress("web", "shop", "shop.example.com", "/")).expect("it is writable");
    ["--objects".to_owned(), folder.display().to_string()]
}

fn server(args: &[&str]) -> PortcullisServer {
    PortcullisServer::start(objects().iter().map(String::as_str).chain(args.iter().copied())).ready()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the folder of the trials has a plain name")
}

fn showing(server: &PortcullisServer, client: &ClientPaths) -> Arc<ClientConfig> {
    trust_as(&[&server.ca], &client.certificate, &client.key)
}

/// A review request for `path`.
fn review_at(path: &str) -> Vec<u8> {
    post(path, create(&ingress("web", "good", "good.example.com", "/")).as_bytes())
}

fn connect(server: &PortcullisServer, client: Arc<ClientConfig>) -> TlsStream<TcpStream> {
    RUNTIME.block_on(handshake(server.webhook, client)).expect("the handshake succeeds whatever is shown")
}

fn asks_over(stream: &mut TlsStream<TcpStream>, path: &str) -> String {
    RUNTIME.block_on(exchange(stream, &review_at(path)))
}

/// The response to a client that sends a review to `path`: `200`, or the status and text of any other response.
fn asks(server: &PortcullisServer, client: Arc<ClientConfig>, path: &str) -> String {
    let answer = asks_over(&mut connect(server, client), path);
    if answer.starts_with("200: ") { "200".to_owned() } else { answer }
}

fn only_verified_clients_are_answered() {
    let (ours, theirs) = (Authority::new(), Authority::new());
    let server =
        server(&["--client-ca", text(&ours.paths.ca_certificate), "--client-name=apiserver", "--client-name=Edge"]);
    let anonymous = trust(&[&server.ca]);
    let serving = ClientPaths { certificate: ours.paths.certificate.clone(), key: ours.paths.key.clone() };
    let rows = [
        (showing(&server, &ours.client("apiserver")), "200", "one of the names"),
        (showing(&server, &ours.client("Edge")), "200", "the other name"),
        (anonymous.clone(), UNVERIFIED, "no certificate"),
        (showing(&server, &ours.client("apiserver2")), UNVERIFIED, "another name"),
        (showing(&server, &theirs.client("apiserver")), UNVERIFIED, "another authority"),
        (showing(&server, &serving), UNVERIFIED, "a serving certificate"),
    ];
    for (client, expected, what) in rows {
        for path in ["/validate", "/mutate"] {
            assert_eq!(asks(&server, client.clone(), path), expected, "{what} at {path}");
        }
    }
    assert_eq!(asks(&server, anonymous, "/elsewhere"), NOT_FOUND);
    assert_eq!(server.metric("portcullis_bodies_refused_total{reason=\"forbidden\"}"), Some(8.0));
    assert_eq!(server.health().get("/livez").0, 200, "probes need no certificate");
    assert!(server.readiness().contains("[+]client-ca ok\n"));
}

fn any_client_certificate_will_do_without_a_name() {
    let (ours, theirs) = (Authority::new(), Authority::new());
    let server = server(&["--client-ca", text(&ours.paths.ca_certificate)]);
    assert_eq!(asks(&server, showing(&server, &ours.client("whatever")), "/validate"), "200");
    assert_eq!(asks(&server, showing(&server, &theirs.client("whatever")), "/validate"), UNVERIFIED);
}

fn the_client_authority_is_reloaded() {
    let (old, new) = (Authority::new(), Authority::new());
    let file = process_guard().folder("reloaded").join("ca.crt");
    fs::copy(&old.paths.ca_certificate, &file).expect("it is writable");
    let server = server(&["--client-ca", text(&file)]);
    let [old, new_client] = [old.client("apiserver"), new.client("apiserver")].map(|client| showing(&server, &client));
    let mut open = connect(&server, old.clone());
    assert!(asks_over(&mut open, "/validate").starts_with("200: "));
    assert_eq!(asks(&server, new_client.clone(), "/validate"), UNVERIFIED);

    fs::copy(&new.paths.ca_certificate, &file).expect("it is writable");
    eventually("the new authority is in force", || asks(&server, new_client.clone(), "/validate") == "200");
    assert_eq!(asks(&server, old, "/validate"), UNVERIFIED);
    assert_eq!(asks_over(&mut open, "/validate"), UNVERIFIED, "open connections are no exception");

    for broken in ["", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        fs::write(&file, broken).expect("it is writable");
        let noticed = || server.readiness().contains("[!]client-ca degraded: using the last valid version: ");
        eventually("the broken file is noticed", noticed);
        assert_eq!(asks(&server, new_client.clone(), "/validate"), "200");
    }
    assert_eq!(server.health().get("/readyz").0, 200);
}

fn only_paths_with_a_token_are_found() {
    let file = process_guard().folder("tokens").join("token");
    fs::write(&file, format!("{FIRST}\n\n  {SECOND}\n")).expect("it is writable");
    let server = server(&["--path-token-file", text(&file)]);
    let found = |path: &str| asks(&server, trust(&[&server.ca]), path);
    for path in [format!("/validate/{FIRST}"), format!("/mutate/{SECOND}"), format!("/validate/{SECOND}?timeout=5s")] {
        assert_eq!(found(&path), "200", "{path}");
    }
    let wrong = [
        "/validate".to_owned(),
        "/mutate/".to_owned(),
        format!("/validate/{THIRD}"),
        format!("/validate/{}", &FIRST[1..]),
        format!("/validate/{FIRST}0"),
        format!("/validate/{FIRST}/"),
        format!("/validate//{FIRST}"),
        format!("/validate/{}", FIRST.to_uppercase()),
        format!("/validate?{FIRST}"),
        format!("/{FIRST}"),
        "/validate/%66irst-token-0123456789".to_owned(),
    ];
    for path in &wrong {
        assert_eq!(found(path), NOT_FOUND, "{path}");
    }
    assert_eq!(server.metric("portcullis_bodies_refused_total{reason=\"not-found\"}"), Some(wrong.len() as f64));
}

fn tokens_are_reloaded_and_never_logged() {
    let file = process_guard().folder("tokens").join("token");
    fs::write(&file, FIRST).expect("it is writable");
    let objects = objects();
    let server =
        PortcullisServer::tracing(objects.iter().map(String::as_str).chain(["--path-token-file", text(&file)])).ready();
    let found = |token: &str| asks(&server, trust(&[&server.ca]), &format!("/validate/{token}"));
    assert_eq!(found(FIRST), "200");
    fs::write(&file, format!("{SECOND}\n{FIRST}")).expect("it is writable");
    eventually("both tokens are accepted", || found(SECOND) == "200");
    assert_eq!(found(FIRST), "200");
    fs::write(&file, SECOND).expect("it is writable");
    eventually("the old token is not accepted", || found(FIRST) == NOT_FOUND);
    for broken in ["", "\n \n", "short", &format!("{THIRD} {THIRD}")] {
        fs::write(&file, broken).expect("it is writable");
        let noticed = || server.readiness().contains("[!]path-token degraded: using the last valid version: ");
        eventually("the broken file is noticed", noticed);
        assert_eq!(found(SECOND), "200");
    }
    let exposed = server.log() + &server.health().get("/metrics").1 + &server.readiness();
    assert!(exposed.contains("TRACE"), "everything is logged");
    for token in [FIRST, SECOND, THIRD] {
        assert!(!exposed.contains(token), "{token}");
    }
}

fn a_certificate_or_a_token_is_enough() {
    let ours = Authority::new();
    let file = process_guard().folder("tokens").join("token");
    fs::write(&file, FIRST).expect("it is writable");
    let server = server(&["--client-ca", text(&ours.paths.ca_certificate), "--path-token-file", text(&file)]);
    let (verified, anonymous) = (showing(&server, &ours.client("apiserver")), trust(&[&server.ca]));
    let with_token = format!("/validate/{FIRST}");
    assert_eq!(asks(&server, verified.clone(), "/validate"), "200");
    assert_eq!(asks(&server, verified.clone(), &with_token), "200");
    assert_eq!(asks(&server, anonymous.clone(), &with_token), "200");
    assert_eq!(asks(&server, anonymous.clone(), "/validate"), UNVERIFIED);
    for client in [verified, anonymous] {
        assert_eq!(asks(&server, client, &format!("/validate/{SECOND}")), NOT_FOUND);
    }
}

fn files_that_allow_no_client_are_refused_at_start() {
    let folder = process_guard().folder("broken");
    let objects = objects();
    let refused = |option: &str, content: Option<&str>| {
        let file = folder.join("file");
        match content {
            Some(content) => fs::write(&file, content).expect("it is writable"),
            None => fs::remove_file(&file).expect("it was written before"),
        }
        let (code, output) = PortcullisServer::refused(objects.iter().map(String::as_str).chain([option, text(&file)]));
        assert_eq!(code, Some(2), "{output}");
        assert!(output.contains(text(&file)), "{output}");
        output
    };
    let short = &FIRST[..15];
    for (content, words) in [
        ("", "the file contains no token: write one token per line"),
        ("\n\n", "the file contains no token: write one token per line"),
        (&format!("{SECOND}\n{short}\n"), "the token in line 2 has fewer than 16 characters"),
        (&format!("{SECOND}/{FIRST}"), "the token in line 1 must consist of letters, digits, `-`, `_`, `.` and `~`"),
    ] {
        let output = refused("--path-token-file", Some(content));
        assert!(output.contains(words), "{output}");
        assert!(![FIRST, SECOND, short].iter().any(|token| output.contains(token)), "{output}");
    }
    assert!(refused("--path-token-file", None).contains("--path-token-file: "));
    for content in ["", "nonsense"] {
        assert!(refused("--client-ca", Some(content)).contains("is not a list of PEM certificates of authorities ("));
    }
    assert!(refused("--client-ca", None).contains("--client-ca: "));
    let (code, output) =
        PortcullisServer::refused(objects.iter().map(String::as_str).chain(["--client-name=apiserver"]));
    assert!(code == Some(2) && output.contains("--client-ca <FILE>"), "{output}");
}

fn certs_makes_a_client_certificate() {
    let folder = process_guard().folder("certs");
    let mut command = process_guard().command(env!("CARGO_BIN_EXE_portcullis"));
    let made = command.args(["certs", "--client=apiserver", "--out"]).arg(&folder).output().expect("it runs");
    let output = String::from_utf8(made.stdout).expect("it speaks UTF-8");
    assert!(made.status.success() && output.contains("client.crt\n") && output.contains("client.key\n"), "{output}");
    let client = ClientPaths { certificate: folder.join("client.crt"), key: folder.join("client.key") };
    let server = server(&["--client-ca", text(&folder.join("ca.crt")), "--client-name=apiserver"]);
    assert_eq!(asks(&server, showing(&server, &client), "/validate"), "200");
}

fn the_api_server_shows_its_certificate() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let authority = control_plane.webhook_client_ca();
    let name = format!("--client-name={WEBHOOK_CLIENT}");
    let server = crate::cluster::server(control_plane, &["--client-ca", text(&authority), &name]);
    let namespace = control_plane.namespace("verified");
    let _registered = control_plane.register(&server, Webhooks::validating().in_namespace(&namespace.to_string()));
    let host = format!("{namespace}.example.com");
    namespace.apply(&ingress(&namespace.to_string(), "good", &host, "/")).accepted();
    let malformed = namespace.apply(&ingress(&namespace.to_string(), "bad", &host, r#"/x\"y"#));
    assert!(malformed.stderr.contains("[ingress/path-unsafe-character]"), "{}", malformed.stderr);
    assert_eq!(asks(&server, trust(&[&server.ca]), "/validate"), UNVERIFIED);
}

/// A server that the API server calls under a path with a token.
struct ByToken<'g>(&'g PortcullisServer, &'static str);

impl Callee for ByToken<'_> {
    fn address(&self) -> SocketAddr {
        self.0.address()
    }

    fn ca_pem(&self) -> &str {
        self.0.ca_pem()
    }

    fn client_config(&self, path: &str) -> Value {
        self.0.client_config(&format!("{path}/{}", self.1))
    }
}

fn the_api_server_calls_a_path_with_a_token() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let file = process_guard().folder("tokens").join("token");
    fs::write(&file, FIRST).expect("it is writable");
    let server = crate::cluster::server(control_plane, &["--path-token-file", text(&file)]);
    let namespace = control_plane.namespace("token");
    let own = |host: &str, path: &str| ingress(&namespace.to_string(), "shop", host, path);
    let host = format!("{namespace}.example.com");
    let registered =
        control_plane.register(&ByToken(&server, FIRST), Webhooks::validating().in_namespace(&namespace.to_string()));
    namespace.apply(&own(&host, "/")).accepted();
    let malformed = namespace.apply(&own(&host, r#"/x\"y"#));
    assert!(malformed.stderr.contains("[ingress/path-unsafe-character]"), "{}", malformed.stderr);
    registered.unregister();
    // With an unknown token the server answers 404, so the failure policy applies.
    let _registered =
        control_plane.register(&ByToken(&server, SECOND), Webhooks::validating().in_namespace(&namespace.to_string()));
    let unanswered = namespace.apply(&own(&host, "/other"));
    assert!(unanswered.stderr.contains("failed calling webhook"), "{}", unanswered.stderr);
    assert!(!unanswered.stderr.contains("[ingress/"), "{}", unanswered.stderr);
}
