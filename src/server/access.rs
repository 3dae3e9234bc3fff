//! Decides which clients may send reviews: those with an accepted certificate or a token in the path, or all clients if
//! neither is configured.

use std::sync::Arc;

use arc_swap::ArcSwap;
use subtle::{Choice, ConstantTimeEq};

use super::{Rejection, RequestOrigin};
use crate::tls::ClientAuthority;

/// The minimum length of a token. 16 random characters cannot be guessed at the speed of a network.
const MIN_TOKEN_CHARACTERS: usize = 16;

/// What authorizes a client. If both are configured, either is sufficient.
#[derive(Debug, Default)]
pub struct Access {
    /// The authority whose client certificates are accepted.
    pub clients: Option<Arc<ClientAuthority>>,
    /// The tokens that are accepted.
    pub tokens: Option<Arc<PathTokens>>,
}

/// The endpoint that a request addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// `/validate`
    Validate,
    /// `/mutate`
    Mutate,
}

/// The tokens that are accepted as the last segment of the path. They never appear in a message.
pub struct PathTokens(ArcSwap<Vec<Vec<u8>>>);

/// Why the text of a token file is invalid. The message never quotes the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// The file contains no token.
    #[error("the file contains no token: write one token per line")]
    Empty,
    /// A token is easy to guess.
    #[error("the token in line {line} has fewer than {MIN_TOKEN_CHARACTERS} characters")]
    TooShort {
        /// The line of the token, counted from 1.
        line: usize,
    },
    /// A token contains a character that would have to be escaped in a path.
    #[error("the token in line {line} must consist of letters, digits, `-`, `_`, `.` and `~`")]
    Malformed {
        /// The line of the token, counted from 1.
        line: usize,
    },
}

impl Access {
    /// The endpoint at `path`, if the client may use it.
    pub fn endpoint(&self, path: &str, origin: Option<&RequestOrigin>) -> Result<Endpoint, Rejection> {
        let (endpoint, token) = split(path).ok_or(Rejection::NotFound)?;
        match (token, &self.clients, &self.tokens) {
            (Some(token), _, Some(tokens)) if tokens.accept(token) => Ok(endpoint),
            (None, None, None) => Ok(endpoint),
            // It answers everyone. During a rollout, other replicas already demand the token, or still do.
            (Some(token), None, None) if is_token(token) => Ok(endpoint),
            (None, Some(clients), _) if origin.is_some_and(|origin| origin.is_verified_by(clients)) => Ok(endpoint),
            (None, Some(_), _) => Err(Rejection::Forbidden),
            _ => Err(Rejection::NotFound),
        }
    }
}

/// The endpoint that a path names, and the rest of the path, which should be a token.
fn split(path: &str) -> Option<(Endpoint, Option<&str>)> {
    let path = path.strip_prefix('/')?;
    let (name, token) = match path.split_once('/') {
        Some((name, token)) => (name, Some(token)),
        None => (path, None),
    };
    match name {
        "validate" => Some((Endpoint::Validate, token)),
        "mutate" => Some((Endpoint::Mutate, token)),
        _ => None,
    }
}

impl PathTokens {
    /// The tokens in `text`, one per line.
    pub fn new(text: &str) -> Result<Self, TokenError> {
        Ok(Self(ArcSwap::from_pointee(parse(text)?)))
    }

    /// Replaces the accepted tokens by those in `text`, from the next request on. On an error the previous tokens stay.
    pub fn replace(&self, text: &str) -> Result<(), TokenError> {
        self.0.store(Arc::new(parse(text)?));
        Ok(())
    }

    /// Whether `token` is accepted. The comparison takes constant time and so reveals at most the lengths of the
    /// tokens.
    fn accept(&self, token: &str) -> bool {
        let tokens = self.0.load();
        let equal = tokens.iter().map(|accepted| accepted.as_slice().ct_eq(token.as_bytes()));
        equal.fold(Choice::from(0), |any, equal| any | equal).into()
    }
}

impl std::fmt::Debug for PathTokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PathTokens")
    }
}

fn parse(text: &str) -> Result<Vec<Vec<u8>>, TokenError> {
    let lines = text.lines().map(str::trim).zip(1..).filter(|(token, _)| !token.is_empty());
    let tokens = lines.map(|(token, line)| match token {
        _ if !token.bytes().all(is_unreserved) => Err(TokenError::Malformed { line }),
        _ if token.len() < MIN_TOKEN_CHARACTERS => Err(TokenError::TooShort { line }),
        _ => Ok(token.as_bytes().to_vec()),
    });
    let tokens = tokens.collect::<Result<Vec<_>, _>>()?;
    if tokens.is_empty() { Err(TokenError::Empty) } else { Ok(tokens) }
}

/// Whether the text could be a token.
fn is_token(text: &str) -> bool {
    text.len() >= MIN_TOKEN_CHARACTERS && text.bytes().all(is_unreserved)
}

/// Whether a client never escapes the byte in a path (unreserved in RFC 3986).
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "0123456789abcdef";
    const SECOND: &str = "fedcba9876543210~";

    #[test]
    fn a_token_file_has_a_token_per_line() {
        assert_eq!(parse(&format!("\n  {FIRST}\r\n\n{SECOND}")).map(|tokens| tokens.len()), Ok(2));
        assert_eq!(parse(" \n\n"), Err(TokenError::Empty));
        assert_eq!(parse(&format!("{FIRST}\nshort\n")), Err(TokenError::TooShort { line: 2 }));
        for odd in ["/", "%", "?", "#", " ", "ä"] {
            assert_eq!(parse(&format!("{FIRST}{odd}{FIRST}")), Err(TokenError::Malformed { line: 1 }), "{odd}");
        }
    }

    #[test]
    fn only_paths_with_a_configured_token_are_found() {
        let tokens = PathTokens::new(&format!("{FIRST}\n{SECOND}")).expect("two tokens");
        let access = Access { tokens: Some(Arc::new(tokens)), clients: None };
        let found = |path: &str| access.endpoint(path, None).ok();
        assert_eq!(found(&format!("/validate/{FIRST}")), Some(Endpoint::Validate));
        assert_eq!(found(&format!("/mutate/{SECOND}")), Some(Endpoint::Mutate));
        let truncated = &FIRST[1..];
        for path in ["validate", "validate/", &format!("validate/{truncated}"), &format!("validate/{FIRST}/"), FIRST] {
            assert_eq!(found(&format!("/{path}")), None, "{path}");
        }
    }

    #[test]
    fn paths_accept_any_token_if_none_is_configured() {
        let found = |path: &str| Access::default().endpoint(path, None).ok();
        assert_eq!(found("/validate"), Some(Endpoint::Validate));
        assert_eq!(found(&format!("/validate/{FIRST}")), Some(Endpoint::Validate), "a rollout introduces the token");
        for path in ["/validate/", "/validate/short", &format!("/validate/{FIRST}/more"), "/"] {
            assert_eq!(found(path), None, "{path}");
        }
    }
}
