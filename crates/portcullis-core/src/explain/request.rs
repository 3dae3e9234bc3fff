//! The request to explain, as a proxy receives it.

use std::net::IpAddr;

use http::Uri;
use http::header::HeaderName;
use percent_encoding::percent_decode_str;
use thiserror::Error;

use crate::matching::host;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The method, in upper case.
    pub method: String,
    /// Whether the connection uses TLS.
    pub is_secure: bool,
    /// The requested host in lower case, without port and trailing dot.
    pub host: String,
    /// The header `Host` as sent.
    pub authority: String,
    /// The port of the connection.
    pub port: u16,
    /// The path as sent, neither decoded nor normalized; at least `/`.
    pub path: String,
    /// The decoded query parameters, in order.
    pub query: Vec<(String, String)>,
    /// The query as sent; `None` if the URL has none.
    pub query_text: Option<String>,
    /// The headers, in order. Names are in lower case, and values of the same name are joined by a comma.
    pub headers: Vec<(String, String)>,
    /// The server name that the client sends (SNI); `None` without TLS.
    pub sni: Option<String>,
    /// The address of the client, if it is known.
    pub client: Option<IpAddr>,
}

/// Why a request is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RequestError {
    /// The text is not an HTTP or HTTPS URL.
    #[error("`{0}` is not a valid URL: use a URL such as https://shop.example.com/cart")]
    Url(String),
    /// The text is not a valid method.
    #[error("`{0}` is not a valid method: use a method such as GET")]
    Method(String),
    /// The text is not a valid header.
    #[error("`{0}` is not a valid header: use NAME=VALUE or NAME: VALUE, such as x-canary=always")]
    Header(String),
    /// A server name is given for a URL without TLS.
    #[error("a server name (SNI) requires an https URL")]
    Sni,
}

impl Request {
    /// A request with this `method` and `url`; each header is `NAME=VALUE` or `NAME: VALUE`. A header `host` overrides the host of the
    /// URL, `sni` the server name in TLS, and `port` the port of the connection.
    pub fn parse(
        method: &str,
        url: &str,
        headers: &[String],
        sni: Option<&str>,
        port: Option<u16>,
    ) -> Result<Self, RequestError> {
        let method = http::Method::from_bytes(method.to_ascii_uppercase().as_bytes())
            .map_err(|_| RequestError::Method(method.to_owned()))?;
        let no_url = || RequestError::Url(url.to_owned());
        let uri: Uri = url.parse().map_err(|_| no_url())?;
        let is_secure = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(no_url()),
        };
        let url_host = host::canonical(uri.host().filter(|host| !host.is_empty()).ok_or_else(no_url)?).into_owned();
        let sni = match (is_secure, sni) {
            (false, Some(_)) => return Err(RequestError::Sni),
            (false, None) => None,
            (true, Some(sni)) => Some(host::canonical(sni).into_owned()),
            // Clients do not send an IP address as server name.
            (true, None) => Some(url_host.clone()).filter(|host| !is_address(host)),
        };
        let url_authority = uri.authority().map_or("", |authority| authority.as_str());
        let url_authority = url_authority.rsplit_once('@').map_or(url_authority, |(_, host)| host).to_owned();
        let mut headers = read_headers(headers)?;
        let host_header = headers.iter().position(|(name, _)| name == "host").map(|index| headers.remove(index).1);
        Ok(Self {
            method: method.to_string(),
            is_secure,
            host: match &host_header {
                Some(host) => host::canonical(without_port(host)).into_owned(),
                None => url_host,
            },
            authority: host_header.unwrap_or(url_authority),
            port: port.or(written_port(&uri).ok_or_else(no_url)?).unwrap_or(if is_secure { 443 } else { 80 }),
            path: uri.path().to_owned(),
            query: read_query(uri.query().unwrap_or_default()),
            query_text: uri.query().map(str::to_owned),
            headers,
            sni,
            client: None,
        })
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> &'static str {
        if self.is_secure { "https" } else { "http" }
    }

    /// The request as a URL, without the port if it is the default of the scheme.
    pub fn url(&self) -> String {
        let port = match (self.is_secure, self.port) {
            (false, 80) | (true, 443) => String::new(),
            (_, port) => format!(":{port}"),
        };
        format!("{}://{}{port}{}", self.scheme(), self.host, self.target())
    }

    /// The path and the query.
    pub fn target(&self) -> String {
        match &self.query_text {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }
}

/// The port in a URL: `Some(None)` if there is none, `None` if it is invalid.
fn written_port(uri: &Uri) -> Option<Option<u16>> {
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let after_address = host.rsplit_once(']').map_or(host, |(_, after)| after);
    match after_address.split_once(':').map_or("", |(_, port)| port) {
        "" => Some(None),
        port => port.parse().ok().filter(|port| *port > 0).map(Some),
    }
}

fn is_address(host: &str) -> bool {
    host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok()
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn read_headers(written: &[String]) -> Result<Vec<(String, String)>, RequestError> {
    let mut headers: Vec<(String, String)> = Vec::new();
    for header in written {
        let pair = header.split_once(['=', ':']);
        let pair = pair.and_then(|(name, value)| Some((HeaderName::try_from(name).ok()?, value.trim())));
        let Some((name, value)) = pair else { return Err(RequestError::Header(header.clone())) };
        match headers.iter_mut().find(|(known, _)| *known == name.as_str()) {
            Some((_, values)) => *values = format!("{values},{value}"),
            None => headers.push((name.as_str().to_owned(), value.to_owned())),
        }
    }
    Ok(headers)
}

fn read_query(written: &str) -> Vec<(String, String)> {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let pairs = written.split('&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).map(|(k, v)| (decoded(k), decoded(v))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(url: &str, headers: &[&str]) -> Result<Request, RequestError> {
        let headers: Vec<String> = headers.iter().map(|header| (*header).to_owned()).collect();
        Request::parse("get", url, &headers, None, None)
    }

    #[test]
    fn a_url_is_read_as_a_proxy_sees_it() {
        let request = parse("https://Shop.Example.com.:8443/a//b/%2e?x=1&y&x=%32#top", &[]).expect("a request");
        assert_eq!((request.method.as_str(), request.host.as_str()), ("GET", "shop.example.com"));
        assert_eq!((request.port, request.sni.as_deref()), (8443, Some("shop.example.com")));
        assert_eq!(request.path, "/a//b/%2e");
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(request.query, [pair("x", "1"), pair("y", ""), pair("x", "2")]);
        let bare = parse("http://shop.example.com", &[]).expect("a request");
        assert_eq!((bare.path.as_str(), bare.port, bare.sni), ("/", 80, None));
        let ports = ["http://a.example:/", "http://[::1]:81/", "http://u:p@a.example:82/"];
        assert_eq!(ports.map(|url| parse(url, &[]).expect("a request").port), [80, 81, 82]);
        assert_eq!(parse("https://10.0.0.1/", &[]).expect("a request").sni, None);
    }

    #[test]
    fn headers_of_one_name_are_one_and_a_host_stands_for_the_urls() {
        let request = parse("https://a.example/", &["X-A=1", "host=B.example:80", "x-a: 2=3"]).expect("a request");
        assert_eq!(request.headers, [("x-a".to_owned(), "1,2=3".to_owned())]);
        assert_eq!((request.host.as_str(), request.sni.as_deref()), ("b.example", Some("a.example")));
    }

    #[test]
    fn invalid_requests_are_reported() {
        let ports = ["http://a.example:0/", "http://a.example:65536/", "http://a.example:abc/", "http://[::1]:99999/"];
        for url in ["shop.example.com", "/cart", "ftp://a.example/", "http://", "http://a b/"].into_iter().chain(ports)
        {
            assert_eq!(parse(url, &[]), Err(RequestError::Url(url.to_owned())));
        }
        for header in ["x-a", "=1", "x a=1"] {
            assert_eq!(parse("http://a.example", &[header]), Err(RequestError::Header(header.to_owned())));
        }
        assert_eq!(
            Request::parse("G T", "http://a.example", &[], None, None),
            Err(RequestError::Method("G T".to_owned()))
        );
        assert_eq!(Request::parse("GET", "http://a.example", &[], Some("b"), None), Err(RequestError::Sni));
    }
}
