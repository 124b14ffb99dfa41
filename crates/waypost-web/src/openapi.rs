//! The description of the JSON API, made of the same lists that answer.

use serde_json::{Map, Value, json};

use crate::actions;
use crate::pages;

/// The document.
pub(crate) fn document(version: &str) -> Value {
    let mut paths = Map::new();
    for page in pages::ALL {
        let named =
            page.path().split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let of_path = named.map(|name| {
            json!({"name": name, "in": "path", "required": true, "schema": {"type": "string", "minLength": 1}})
        });
        let of_query = page.query().iter().map(|param| {
            json!({"name": param.name, "in": "query", "required": false, "description": param.about,
                "schema": {"type": "string"}})
        });
        let path =
            if page.path() == "/" { "/api".to_owned() } else { format!("/api{}", page.path()) };
        let get = json!({
            "operationId": page.name(),
            "summary": page.about(),
            "parameters": of_path.chain(of_query).collect::<Vec<Value>>(),
            "responses": responses("What was found", true),
        });
        paths.insert(path, json!({"get": get}));
    }
    for action in actions::ALL {
        let fields = action.fields.iter().map(|field| {
            (field.name.to_owned(), json!({"type": "string", "description": field.about}))
        });
        let needed: Vec<&str> =
            action.fields.iter().filter(|field| field.needed).map(|field| field.name).collect();
        let schema = json!({"type": "object", "properties": fields.collect::<Map<String, Value>>(),
            "required": needed});
        let post = json!({
            "operationId": format!("do_{}", action.name),
            "summary": action.about,
            "requestBody": {"required": true, "content": {"application/json": {"schema": schema}}},
            "responses": responses("What was done", false),
        });
        paths.insert(format!("/api/do/{}", action.name), json!({"post": post}));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Waypost",
            "version": version,
            "description": "Everything that the pages show, and what can be done from them.",
        },
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": {
                "type": "object",
                "required": ["error"],
                "properties": {
                    "error": {"type": "string"},
                    "next": {"type": "array", "items": {"type": "string"}},
                },
            }},
        },
        "security": [{"token": []}],
    })
}

fn responses(what: &str, kept: bool) -> Value {
    let object = json!({"application/json": {"schema": {"type": "object"}}});
    let error = json!({"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}});
    let mut all = json!({
        "200": {"description": what, "content": object},
        "400": {"description": "What was asked is not understood", "content": error},
        "401": {"description": "The token is missing", "content": error},
        "403": {"description": "This host or origin may not ask", "content": error},
        "404": {"description": "There is no such thing, or it is refused", "content": error},
        "405": {"description": "Not with this method", "content": error},
        "409": {"description": "Another version was expected", "content": error},
        "413": {"description": "Too much was sent", "content": error},
        "422": {"description": "What is kept is damaged", "content": error},
        "503": {"description": "Too many ask at once", "content": error},
    });
    if kept {
        all["304"] = json!({"description": "As it was (If-None-Match)"});
    }
    all
}
