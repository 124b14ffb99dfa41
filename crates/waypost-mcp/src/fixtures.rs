//! What the protocol's conformance suite asks for: tools, resources and prompts that exist so that
//! the transport and the protocol's library can be tried. Behind a feature that no release has.
//!
//! Everything is written as the JSON that the suite describes, so that the two can be compared.

mod input_required;
mod static_parts;
mod tools;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, GetPromptRequestParams, GetPromptResponse,
    Prompt, ReadResourceResult, Resource, ResourceTemplate, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::Offer;

/// A picture of one red pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A sound of no length.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

/// A value of the protocol from its JSON.
fn from_json<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value)
        .map_err(|error| ErrorData::internal_error(format!("a fixture is wrong: {error}"), None))
}

fn offered<T: DeserializeOwned>(offer: &Offer, values: impl FnOnce() -> Vec<Value>) -> Vec<T> {
    if !offer.fixtures {
        return Vec::new();
    }
    values().into_iter().filter_map(|value| from_json(value).ok()).collect()
}

/// The tools.
pub(crate) fn tools(offer: &Offer) -> Vec<Tool> {
    offered(offer, tools::described)
}

/// Calls a tool.
pub(crate) async fn call(
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    tools::call(request, context).await
}

/// The resources.
pub(crate) fn resources(offer: &Offer) -> Vec<Resource> {
    offered(offer, static_parts::resources)
}

/// The templates of resources.
pub(crate) fn templates(offer: &Offer) -> Vec<ResourceTemplate> {
    offered(offer, || {
        vec![json!({
            "uriTemplate": "test://template/{id}/data",
            "name": "template",
            "description": "A resource for each id",
            "mimeType": "application/json",
        })]
    })
}

/// Whether a resource can be subscribed to.
pub(crate) fn is_resource(uri: &str) -> bool {
    uri.starts_with("test://")
}

/// A resource's content.
pub(crate) fn read(offer: &Offer, uri: &str) -> Option<ReadResourceResult> {
    let content = static_parts::content(uri).filter(|_| offer.fixtures)?;
    let result = json!({"resultType": "complete", "contents": [content], "ttlMs": 1000, "cacheScope": "private"});
    from_json(result).ok()
}

/// The prompts.
pub(crate) fn prompts(offer: &Offer) -> Vec<Prompt> {
    offered(offer, static_parts::prompts)
}

/// A prompt written out.
pub(crate) fn prompt(
    offer: &Offer,
    request: &GetPromptRequestParams,
) -> Option<Result<GetPromptResponse, ErrorData>> {
    if !offer.fixtures {
        return None;
    }
    if request.name == "test_input_required_result_prompt" {
        return Some(input_required::prompt(request));
    }
    let messages = static_parts::messages(request)?;
    let result = from_json::<rmcp::model::GetPromptResult>(
        json!({"resultType": "complete", "messages": messages}),
    );
    Some(result.map(GetPromptResponse::from))
}
