//! Who may ask for reviews: clients with a certificate, or with a token in the path; everybody, where neither is set up.

use std::sync::Arc;

use arc_swap::ArcSwap;
use subtle::{Choice, ConstantTimeEq};

use super::{Rejection, RequestOrigin};
use crate::tls::ClientAuthority;

/// The fewest characters of a token: 16 random ones cannot be guessed at the speed of a network.
const SHORTEST: usize = 16;

/// What lets a client ask. If both are set up, either is enough.
#[derive(Debug, Default)]
pub struct Access {
    /// Whose certificates do.
    pub clients: Option<Arc<ClientAuthority>>,
    /// Which tokens do.
    pub tokens: Option<Arc<PathTokens>>,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// `/validate`
    Validate,
    /// `/mutate`
    Mutate,
}

/// The tokens that are accepted as the last segment of the path. They appear in no message.
pub struct PathTokens(ArcSwap<Vec<Vec<u8>>>);

/// Why the text of a token file cannot be used; it never quotes the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// No line has a token.
    #[error("the file contains no token: write one token per line")]
    Empty,
    /// A token is too easy to guess.
    #[error("the token in line {line} has fewer than {SHORTEST} characters")]
    TooShort {
        /// Its line.
        line: usize,
    },
    /// A token cannot be written into a path as it is.
    #[error("the token in line {line} must consist of letters, digits, `-`, `_`, `.` and `~`")]
    Malformed {
        /// Its line.
        line: usize,
    },
}

impl Access {
    /// The endpoint at `path`, if the client may ask there.
    pub fn endpoint(&self, path: &str, origin: Option<&RequestOrigin>) -> Result<Endpoint, Rejection> {
        let (endpoint, token) = split(path).ok_or(Rejection::NotFound)?;
        match (token, &self.clients, &self.tokens) {
            (Some(token), _, Some(tokens)) if tokens.accept(token) => Ok(endpoint),
            (None, None, None) => Ok(endpoint),
            (None, Some(clients), _) if origin.is_some_and(|origin| origin.is_verified_by(clients)) => Ok(endpoint),
            (None, Some(_), _) => Err(Rejection::Forbidden),
            _ => Err(Rejection::NotFound),
        }
    }
}

/// The endpoint that a path names, and the segment that follows it.
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

    /// Accepts the tokens in `text` from the next request on, and no others; if it is not usable, nothing changes.
    pub fn replace(&self, text: &str) -> Result<(), TokenError> {
        self.0.store(Arc::new(parse(text)?));
        Ok(())
    }

    /// Whether `token` is accepted. How long that takes tells of the tokens no more than their lengths.
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
        _ if token.len() < SHORTEST => Err(TokenError::TooShort { line }),
        _ => Ok(token.as_bytes().to_vec()),
    });
    let tokens = tokens.collect::<Result<Vec<_>, _>>()?;
    if tokens.is_empty() { Err(TokenError::Empty) } else { Ok(tokens) }
}

/// Whether every client writes the byte into a path as it is.
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
    fn with_tokens_nothing_but_their_paths_is_found() {
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
    fn without_either_the_plain_paths_are_found() {
        let found = |path: &str| Access::default().endpoint(path, None).ok();
        assert_eq!(found("/validate"), Some(Endpoint::Validate));
        assert_eq!((found("/validate/"), found(&format!("/validate/{FIRST}")), found("/")), (None, None, None));
    }
}
