//! How two forwarded requests differ.

use super::backend_headers::header_differences;
use super::change::ChangeKind;
use crate::explain::{BackendShare, Forward};
use crate::kinds::duration;

/// The timeouts, each with its length in milliseconds, or as written if it is not a duration.
pub(super) fn timeouts(forward: &Forward) -> Vec<(&str, Result<u128, &str>)> {
    let length = |written: &str| duration::parse(written).map(|length| length.as_millis());
    forward.timeouts.iter().map(|(name, written)| (*name, length(written).ok_or(written.as_str()))).collect()
}

/// Tells `push` how two forwarded requests differ: in backends, in what these receive, and in the headers of the response.
pub(super) fn forwarded(before: &Forward, after: &Forward, push: &mut impl FnMut(ChangeKind, String)) {
    if shares(&before.backends) != shares(&after.backends) {
        push(ChangeKind::Backends, format!("{}, before {}", answering(after), before.served(BackendShare::full_label)));
    }
    let (own, other) = (&before.request, &after.request);
    if own.path != other.path {
        push(ChangeKind::Rewrite, format!("the backend gets the path {}, before {}", other.path, own.path));
    }
    if own.host != other.host {
        push(ChangeKind::Rewrite, format!("the backend gets the host {}, before {}", other.host, own.host));
    }
    for text in header_differences(before, after) {
        push(ChangeKind::Rewrite, text);
    }
    if shares(&before.mirrors) != shares(&after.mirrors) {
        push(ChangeKind::Mirrors, "other backends get copies".to_owned());
    }
}

/// The backends that answer, as text.
pub(super) fn answering(forward: &Forward) -> String {
    let are_several = forward.backends.iter().filter(|backend| backend.share > 0.0).nth(1).is_some();
    format!("{} {}", forward.served(BackendShare::full_label), if are_several { "answer" } else { "answers" })
}

/// The backends that get requests with their shares in a millionth, each once.
fn shares(backends: &[BackendShare]) -> Vec<(String, bool, u64)> {
    let mut all: Vec<(String, bool, f64)> = Vec::new();
    for backend in backends.iter().filter(|backend| backend.share > 0.0) {
        let (label, share) = (backend.full_label(), backend.share);
        match all.iter_mut().find(|(known, may_answer, _)| *known == label && *may_answer == backend.may_answer) {
            Some((.., total)) => *total += share,
            None => all.push((label, backend.may_answer, share)),
        }
    }
    let rounded = |(label, may_answer, share): (String, bool, f64)| (label, may_answer, (share * 1e6).round() as u64);
    let mut all: Vec<(String, bool, u64)> = all.into_iter().map(rounded).collect();
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::{Failure, ForwardedRequest, HeaderChanges, PathRewrite};

    #[test]
    fn timeouts_of_the_same_length_are_the_same() {
        let of = |written: &str| {
            let request = ForwardedRequest {
                path: String::new(),
                rewrite: PathRewrite::None,
                host: String::new(),
                headers: Vec::new(),
                changes: HeaderChanges::default(),
            };
            let (backends, cors_headers, response_headers, mirrors) = Default::default();
            let timeouts = vec![("request", written.to_owned())];
            let failure = Failure::Unspecified;
            Forward { backends, failure, request, cors_headers, response_headers, mirrors, timeouts }
        };
        assert_eq!(timeouts(&of("10s")), timeouts(&of("10000ms")));
        assert_eq!(timeouts(&of("1h2m3s")), [("request", Ok(3_723_000))]);
        assert_ne!(timeouts(&of("10s")), timeouts(&of("10m")));
        assert_eq!(timeouts(&of("soon")), [("request", Err("soon"))]);
    }
}
