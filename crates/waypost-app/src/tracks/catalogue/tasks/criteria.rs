//! What a tasks file wants to be true at the end of a phase, as a gate: a field for each criterion.

use waypost_core::gate::proof::fields::{Field, FieldsProof, Type};
use waypost_core::gate::{Gate, Proof, Source};
use waypost_core::text::shortened;

/// The longest name of a field, in characters.
const MAX_FIELD: usize = 48;
/// The longest message, in characters.
const MAX_MESSAGE: usize = 2000;

/// The gate before phase `name` is complete; `None` where the file asks for nothing.
pub(super) fn gate(file: &str, name: &str, criteria: &[String]) -> Option<Gate> {
    if criteria.is_empty() {
        return None;
    }
    let mut fields: Vec<Field> = Vec::new();
    for criterion in criteria {
        let name = unused(&fields, &slug(criterion));
        fields.push(Field { about: criterion.clone(), ..Field::new(name, Type::Boolean) });
    }
    let asked = criteria.join("; ");
    let message =
        shortened(&format!("{file} asks at the end of this phase: {asked}."), MAX_MESSAGE);
    let proof = Proof::Fields(FieldsProof { fields, ..FieldsProof::default() });
    Some(Gate {
        message,
        // What it asks for is in words: somebody has to say that it is so, and is shown as having said it.
        accept_claimed: true,
        source: Source::new(file, 1),
        ..Gate::new(format!("{name}/validation"), Vec::new(), proof)
    })
}

/// A criterion as the name of a field: its first words.
fn slug(criterion: &str) -> String {
    let words = criterion.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut slug = String::new();
    for word in words {
        let length = slug.chars().count() + word.chars().count() + 1;
        if !slug.is_empty() && length > MAX_FIELD {
            break;
        }
        if !slug.is_empty() {
            slug.push('_');
        }
        slug.extend(word.to_lowercase().chars().take(MAX_FIELD));
    }
    if slug.is_empty() { "criterion".to_owned() } else { slug }
}

fn unused(fields: &[Field], name: &str) -> String {
    let is_free = |name: &str| fields.iter().all(|field| field.name != name);
    if is_free(name) {
        return name.to_owned();
    }
    let mut others = (2..).map(|number| format!("{name}_{number}"));
    others.find(|name| is_free(name)).unwrap_or_default()
}
