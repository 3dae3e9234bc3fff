//! Reads a request body: its headers are checked first, its size is limited while it is read, and its memory is
//! accounted for until it is dropped.

use std::ops::Deref;

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderMap, Method, header};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use tokio::time::timeout;

use super::budget::{Allocation, Budget};
use super::origin::RequestOrigin;
use super::{Limits, Rejection};

/// The number of bytes by which a buffer may exceed the bytes that have arrived.
const STEP: usize = 64 << 10;

/// A complete body. Dropping it returns its bytes to the budget.
#[derive(Debug)]
pub struct BufferedBody {
    bytes: Bytes,
    _paid: Allocation,
}

impl Deref for BufferedBody {
    type Target = Bytes;

    fn deref(&self) -> &Bytes {
        &self.bytes
    }
}

/// Reads the JSON body of a POST. A request with wrong headers is rejected before the first byte of its body is read.
pub async fn read(mut request: Request, budget: &Budget, limits: &Limits) -> Result<BufferedBody, Rejection> {
    if request.method() != Method::POST {
        return Err(Rejection::Method);
    }
    if !is_json(request.headers()) {
        return Err(Rejection::ContentType);
    }
    let origin = request.extensions_mut().remove::<RequestOrigin>();
    let paid = budget.open(origin.as_ref().map(RequestOrigin::peer));
    let gathered = timeout(limits.body_deadline, gather(request.into_body(), &paid, limits.body));
    let bytes = tokio::select! {
        gathered = gathered => gathered.map_err(|_| Rejection::Slow { deadline: limits.body_deadline })??,
        () = paid.dropped() => return Err(Rejection::Busy),
    };
    paid.complete();
    origin.inspect(RequestOrigin::body_complete);
    Ok(BufferedBody { bytes, _paid: paid })
}

/// Whether the content type is JSON, with or without parameters.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(Ok(value)) = headers.get(header::CONTENT_TYPE).map(|value| value.to_str()) else { return false };
    let essence = value.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

/// Collects all frames of `body` and allocates the bytes of each as it arrives, so that a declared but unsent length
/// takes no memory from other bodies.
async fn gather(mut body: Body, paid: &Allocation, limit: usize) -> Result<Bytes, Rejection> {
    let declared = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if declared > limit {
        return Err(Rejection::TooLarge { limit });
    }
    let mut bytes = BytesMut::new();
    while let Some(frame) = body.frame().await {
        // A frame without data contains trailers, which are ignored.
        let Ok(data) = frame.map_err(Rejection::Broken)?.into_data() else { continue };
        let length = bytes.len() + data.len();
        if length > limit {
            return Err(Rejection::TooLarge { limit });
        }
        paid.grow(data.len()).await?;
        // The buffer at least doubles when it grows. Its unused part is never touched, so it costs no physical memory.
        bytes.reserve(data.len().max((declared - declared.min(bytes.len())).min(STEP)));
        bytes.extend_from_slice(&data);
    }
    Ok(bytes.freeze())
}
