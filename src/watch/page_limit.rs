//! Lists in pages that fit in memory, although objects differ in size by a factor of a thousand.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::{Request, Response, Uri};
use http_body_util::{BodyExt, Either, Full, LengthLimitError, Limited};
use hyper::body::Body as HttpBody;
use kube::client::Body;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The maximum size of a page with more than one object. A page is in memory two or three times while it is decoded.
const MAX_BYTES: usize = 16 << 20;

/// The number of objects that the next page may have. It is shared by all lists of a kind.
#[derive(Debug, Clone)]
pub(super) struct PageLimit(Arc<AtomicUsize>);

impl Default for PageLimit {
    fn default() -> Self {
        Self(Arc::new(AtomicUsize::new(usize::MAX)))
    }
}

impl PageLimit {
    /// Sends `request`. If it is for a page of a list that is too large, asks for fewer objects instead.
    pub(super) async fn send<B, F>(
        self,
        request: Request<Body>,
        send: impl Fn(Request<Body>) -> F,
    ) -> Result<Response<Either<B, Full<Bytes>>>, BoxError>
    where
        B: HttpBody<Data = Bytes, Error = BoxError>,
        F: Future<Output = Result<Response<B>, BoxError>>,
    {
        let Some(asked) = limit_of(request.uri()) else { return Ok(send(request).await?.map(Either::Left)) };
        let (parts, body) = request.into_parts();
        loop {
            let limit = self.0.load(Ordering::Relaxed).min(asked).max(1);
            let mut parts = parts.clone();
            parts.uri = with_limit(&parts.uri, limit)?;
            let body = body.try_clone().ok_or("a request with a streaming body cannot be repeated")?;
            let response = send(Request::from_parts(parts, body)).await?;
            if !response.status().is_success() {
                return Ok(response.map(Either::Left));
            }
            let (parts, body) = response.into_parts();
            let max = if limit == 1 { usize::MAX } else { MAX_BYTES };
            match Box::pin(Limited::new(body, max).collect()).await {
                Ok(page) => {
                    let page = page.to_bytes();
                    if page.len() < MAX_BYTES / 4 {
                        self.0.store(limit.saturating_mul(2), Ordering::Relaxed);
                    }
                    return Ok(Response::from_parts(parts, Either::Right(Full::new(page))));
                }
                Err(error) if error.is::<LengthLimitError>() => self.0.store(limit / 4, Ordering::Relaxed),
                Err(error) => return Err(error),
            }
        }
    }
}

/// The number of objects that a request for a page of a list asks for.
fn limit_of(uri: &Uri) -> Option<usize> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix("limit=")?.parse().ok())
}

fn with_limit(uri: &Uri, limit: usize) -> Result<Uri, http::Error> {
    let pairs = uri.query().unwrap_or_default().split('&').map(|pair| match pair.starts_with("limit=") {
        true => format!("limit={limit}"),
        false => pair.to_owned(),
    });
    let query = pairs.collect::<Vec<_>>().join("&");
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(format!("{}?{query}", uri.path()).parse().map_err(http::Error::from)?);
    Ok(Uri::from_parts(parts)?)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// The limits with which pages are asked for whose objects have `sizes`, from the first one on.
    async fn asked(sizes: &[usize]) -> Vec<usize> {
        let (asked, limit) = (Mutex::new(Vec::new()), PageLimit::default());
        let mut from = 0;
        while from < sizes.len() {
            let request = Request::get(format!("/apis/x?&limit=50&continue={from}")).body(Body::empty());
            let send = |request: Request<Body>| {
                let limit = limit_of(request.uri()).expect("it is a list");
                assert!(request.uri().query().is_some_and(|query| query.ends_with(&format!("&continue={from}"))));
                asked.lock().expect("no holder panics").push(limit);
                let page: Vec<u8> = vec![b'x'; sizes.iter().skip(from).take(limit).sum()];
                let body = Full::new(Bytes::from(page)).map_err(BoxError::from);
                async move { Ok(Response::new(body)) }
            };
            let response = limit.clone().send(request.expect("a request"), send).await.expect("a response");
            let page = response.into_body().collect().await.expect("a page").to_bytes();
            from += asked.lock().expect("no holder panics").last().copied().expect("it was asked");
            let sum: usize = sizes[..from.min(sizes.len())].iter().sum();
            assert!(page.len() <= sum && page.len() <= MAX_BYTES.max(30 << 20));
        }
        asked.into_inner().expect("no holder panics")
    }

    #[tokio::test]
    async fn pages_of_large_objects_are_smaller() {
        assert_eq!(asked(&[1_000; 120]).await, [50, 50, 50]);
        assert_eq!(asked(&[2 << 20; 9]).await, [50, 12, 3, 3, 3]);
        assert_eq!(asked(&[20 << 20; 3]).await, [50, 12, 3, 1, 1, 1], "one object is read however large it is");
        let mixed: Vec<usize> = [2 << 20; 3].into_iter().chain([1_000; 100]).collect();
        assert_eq!(asked(&mixed).await, [50, 50, 50]);
        let mixed: Vec<usize> = [2 << 20; 12].into_iter().chain([1_000; 100]).collect();
        assert_eq!(asked(&mixed).await, [50, 12, 3, 3, 3, 3, 3, 6, 12, 24, 48, 50]);
    }
}
