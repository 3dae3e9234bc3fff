//! Reading a body: checked before it is read, bounded while it is read, paid for as long as it is held.

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

/// How far ahead of its bytes a body may claim memory.
const STEP: usize = 64 << 10;

/// A whole body, which gives its bytes back to the budget when it is dropped.
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

/// The JSON body of a POST. What the headers already tell is judged before the first byte is read.
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

/// Whether the content type is JSON, whatever parameters follow it.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(Ok(value)) = headers.get(header::CONTENT_TYPE).map(|value| value.to_str()) else { return false };
    let essence = value.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

/// All frames of `body`, each paid for as it comes: a length that is only declared takes nothing from anybody.
async fn gather(mut body: Body, paid: &Allocation, limit: usize) -> Result<Bytes, Rejection> {
    let declared = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if declared > limit {
        return Err(Rejection::TooLarge { limit });
    }
    let mut bytes = BytesMut::new();
    while let Some(frame) = body.frame().await {
        // A frame without data is trailers, which say nothing here.
        let Ok(data) = frame.map_err(Rejection::Broken)?.into_data() else { continue };
        let length = bytes.len() + data.len();
        if length > limit {
            return Err(Rejection::TooLarge { limit });
        }
        paid.grow(data.len()).await?;
        // It grows by doubling at least. What of that no byte came for is never touched, and so costs no memory.
        bytes.reserve(data.len().max((declared - declared.min(bytes.len())).min(STEP)));
        bytes.extend_from_slice(&data);
    }
    Ok(bytes.freeze())
}
