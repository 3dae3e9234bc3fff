//! Answers a mutating review.

use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderStringWriter;
use serde::Serializer;
use serde_json::value::RawValue;

use super::answer::{AdmissionVerdict, ReviewResponse};
use super::envelope::{self, Pass};
use super::error::ReviewError;
use super::request::AdmissionRequest;
use super::verdict::Response;
use crate::checks::Plan;
use crate::cluster::{Overlay, SharedCluster};
use crate::defaults::Edits;
use crate::kinds::{Kind, Partial};

/// The response to the review in `text`. An object that cannot be decoded is not changed; the validating webhook
/// reports it.
pub fn mutate(text: &str, plan: &Plan, cluster: &SharedCluster) -> Result<ReviewResponse, ReviewError> {
    let request = envelope::read(text, Pass::Raw)?;
    let Some(kind) = request.gvk.known().filter(|kind| kind.is_validated()) else {
        return Ok(answer(&request, None, AdmissionVerdict::NotOurs, Response::allowed()));
    };
    let edited = request.raw().and_then(|raw| edit(&request, kind, raw, plan, cluster));
    let (verdict, response) = edited.unwrap_or((AdmissionVerdict::Allowed, Response::allowed()));
    Ok(answer(&request, Some(kind), verdict, response))
}

fn edit(
    request: &AdmissionRequest<'_>,
    kind: Kind,
    raw: &RawValue,
    plan: &Plan,
    cluster: &SharedCluster,
) -> Option<(AdmissionVerdict, Response)> {
    if request.is_subresource() {
        return None;
    }
    let object = Partial::read(kind, raw.get()).decided(kind).ok()?;
    let this = request.object_ref(kind, Some(&object));
    let cluster = cluster.read();
    let edits = plan.fill(&object, request.operation()?, &Overlay::new(&cluster, &this));
    drop(cluster);
    drop(object);
    let patch = patch(&edits, raw);
    let verdict = if patch.is_some() { AdmissionVerdict::Patched } else { AdmissionVerdict::Allowed };
    Some((verdict, Response::patched(patch, edits.warnings)))
}

/// The JSON Patch in base64, as the API requires; `None` if nothing changes. Operations are serialized one by one,
/// since an object may have tens of thousands of fields to fill in.
fn patch(edits: &Edits, raw: &RawValue) -> Option<String> {
    let mut operations = edits.patch(raw.get()).peekable();
    operations.peek()?;
    let mut json = serde_json::Serializer::new(EncoderStringWriter::new(&STANDARD));
    json.collect_seq(operations).expect("paths and values are always JSON");
    Some(json.into_inner().into_inner())
}

fn answer(
    request: &AdmissionRequest<'_>,
    kind: Option<Kind>,
    verdict: AdmissionVerdict,
    response: Response,
) -> ReviewResponse {
    ReviewResponse { body: response.into_json(&request.uid), summary: request.summary(kind, verdict) }
}
