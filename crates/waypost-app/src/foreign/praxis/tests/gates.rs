//! Gate definitions: what they ask for, how strictly, and what is refused in them.

use serde_json::{Map, Value, json};
use waypost_core::gate::proof::fields::{FieldsProof, Instead, Type};
use waypost_core::gate::{Gate, Level, Proof};

use super::super::gate::{Definition, read};

fn gate_of(text: &str) -> Definition {
    read("g.yaml", text, "Survey")
}

fn told(read: &Definition) -> Vec<String> {
    read.problems.iter().map(ToString::to_string).collect()
}

fn sound(text: &str) -> (Gate, FieldsProof) {
    let read = gate_of(text);
    assert!(read.sound, "{:?}", told(&read));
    let gate = read.gate.unwrap();
    let Proof::Fields(proof) = gate.proof.clone() else { panic!("{gate:?}") };
    (gate, proof)
}

fn objections(proof: &FieldsProof, given: &Value) -> Vec<String> {
    proof.objections(given.as_object().unwrap_or(&Map::new()))
}

const STRICT: &str = "\
# Gate Definition
checkpoint:
  strict: true
  allow_override: false

evidence_schema:
  measured:
    type: boolean
    required: true
    description: \"The ground was measured\"
  beds:
    type: integer
    required: true
    validator: in_range
    validator_params: {low: 1, high: 9}
  path:
    type: string
    required: yes
  notes:
    type: list
  extra:
    type: dict

validators:
  in_range: \"lambda x, low, high: low <= x <= high\"

cross_field_validation:
  - rule: \"lambda e: e.get('beds', 0) >= e.get('plants', 0)\"
    error_message: \"More plants than beds\"
";

#[test]
fn a_strict_file_is_a_must_that_takes_an_agents_word_for_each_field_and_for_nothing_else() {
    let (gate, proof) = sound(STRICT);
    assert_eq!((gate.level, gate.accept_claimed), (Level::Must, true));
    assert_eq!(
        (gate.id.as_str(), gate.source.to_string().as_str()),
        ("Survey/checkpoint", "g.yaml:6")
    );
    assert_eq!(proof.instead, Instead::Nobody);
    assert_eq!(proof.names(), ["measured", "beds", "path", "notes", "extra", "plants"]);
    assert!(gate.message.contains("measured (The ground was measured)"), "{}", gate.message);

    // `false` and nothing in a list are given; a word for nothing is not.
    let good =
        json!({"measured": false, "beds": 3, "path": "apps/todo/a.md", "notes": [], "extra": {}});
    assert_eq!(objections(&proof, &good), [""; 0]);
    let bad = json!({"beds": 10, "path": "N/A", "notes": "x", "plants": 11});
    assert_eq!(
        objections(&proof, &bad),
        [
            "`measured` is missing (The ground was measured)",
            "`beds`: `((1) <= value && value <= (9))` does not hold",
            "`path` says that nothing was done",
            "`notes` is not a value of the type list",
            "More plants than beds",
        ]
    );
}

#[test]
fn errors_only_warn_unless_the_file_is_strict_whether_it_says_enabled_or_not() {
    for checkpoint in ["strict: false", "enabled: true", "allow_override: true", "strict:"] {
        let text = format!(
            "checkpoint:\n  {checkpoint}\nevidence_schema:\n  a: {{type: boolean, required: true}}\n"
        );
        let (gate, proof) = sound(&text);
        assert_eq!((gate.level, proof.instead), (Level::Should, Instead::Human), "{checkpoint}");
    }
    let (gate, _) = sound("checkpoint: {strict: yes}\nevidence_schema: {a: {type: boolean}}\n");
    assert_eq!(gate.level, Level::Must);
}

#[test]
fn a_field_without_a_type_is_text_and_may_be_left_out() {
    let (_, proof) = sound("checkpoint: {}\nevidence_schema:\n  a:\n  b: {}\n");
    assert!(proof.fields.iter().all(|field| field.of == Type::String && field.optional));
    assert_eq!(objections(&proof, &json!({})), [""; 0]);
}

#[test]
fn expressions_stand_where_lambdas_did_and_documented_shorthands_are_taken() {
    let (_, proof) = sound(
        "checkpoint: {strict: true}\nevidence_schema:\n  a: {type: list, validator: some}\n  \
         b: {type: integer, validator: 'lambda x: x > 0'}\nvalidators: {some: size(value) > 1}\n\
         cross_field_validation:\n- {rule: 'fields.b <= size(fields.a)', error_message: Too few}\n",
    );
    assert_eq!(objections(&proof, &json!({"a": [1, 2], "b": 2})), [""; 0]);
    assert_eq!(objections(&proof, &json!({"a": [1, 2], "b": 3})), ["Too few"]);
    assert_eq!(
        objections(&proof, &json!({"a": [1, 2], "b": 0})),
        ["`b`: `value > 0` does not hold"]
    );
}

#[test]
fn lambdas_that_cannot_be_translated_are_refused_by_name_with_what_to_write() {
    let text = |strict: bool| {
        format!(
            "checkpoint: {{strict: {strict}}}\nevidence_schema:\n  h: {{type: string, required: true, validator: hex}}\n\
             validators:\n  hex: \"lambda x: all(c in '0123' for c in x)\"\n"
        )
    };
    let wanted = "g.yaml:5: the validator `hex` is a Python lambda that cannot be translated: it calls `all`; write \
                  it as an expression (CEL) over `value`, such as `size(value) > 0`";
    let strict = gate_of(&text(true));
    assert_eq!((told(&strict), strict.sound), (vec![wanted.to_owned()], false));
    // Where errors only warn, one check less holds nobody who should have been held.
    let lenient = gate_of(&text(false));
    assert_eq!((told(&lenient), lenient.sound), (vec![wanted.to_owned()], true));
    assert!(lenient.gate.is_some());
}

#[test]
fn what_asks_for_nothing_is_no_gate() {
    for (text, wanted) in [
        ("", "g.yaml:1: it is empty: nothing is asked for"),
        ("checkpoint: {}\n", "g.yaml:1: there is no `evidence_schema`: nothing is asked for"),
        (
            "checkpoint: {enabled: false}\nevidence_schema: {a: {type: boolean}}\n",
            "g.yaml:1: `enabled: false`: nothing is asked for at the end of this phase",
        ),
    ] {
        let read = gate_of(text);
        assert!(read.sound && read.gate.is_none(), "{text}");
        assert_eq!(told(&read), [wanted]);
    }
}

#[test]
fn what_would_be_another_gate_is_refused_with_its_line() {
    let field = "checkpoint: {strict: true}\nevidence_schema:\n  a:";
    for (text, wanted) in [
        ("a: b: c".to_owned(), "g.yaml:1: it is no YAML: mapping values are not allowed in this context"),
        ("- a".to_owned(), "g.yaml:1: a gate definition has to be a map, not a list"),
        ("evidence_schema: {a: {}}\ncheckpoint: 5".to_owned(), "g.yaml:2: `checkpoint` has to be a map, not a whole number"),
        ("checkpoint:\n  strict: 'yes'".to_owned(), "g.yaml:2: `strict` is true or false, not text"),
        (format!("{field} boolean"), "g.yaml:3: the field `a` has to be a map, not text"),
        (
            format!("{field} {{type: date}}"),
            "g.yaml:3: the field `a` is of the type boolean, integer, number, string, list or object",
        ),
        (format!("{field} {{required: 1}}"), "g.yaml:3: `required` is true or false, not a whole number"),
        (format!("{field} {{validator: 7}}"), "g.yaml:3: `validator` is a name, not a whole number"),
        (
            format!("{field} {{validator: v}}\nvalidators: {{v: value + }}"),
            "g.yaml:4: the validator `v` is neither a simple Python lambda nor an expression: column 8: expected a \
             value before the end; write it as an expression (CEL) over `value`, such as `size(value) > 0`",
        ),
        (
            format!("{field} {{validator: v}}\nvalidators: {{v: evidence.a > 1}}"),
            "g.yaml:4: the validator `v` is neither a simple Python lambda nor an expression: there is no `evidence`; \
             write it as an expression (CEL) over `value`, such as `size(value) > 0`",
        ),
        (
            "evidence_schema: {a: {}}\ncheckpoint: {}\ncross_field_validation: {a: 1}".to_owned(),
            "g.yaml:3: `cross_field_validation` is a list, not a map",
        ),
        (
            "evidence_schema: {a: {}}\ncheckpoint: {}\ncross_field_validation: [{error_message: x}]".to_owned(),
            "g.yaml:3: a rule between fields needs a `rule`",
        ),
    ] {
        let read = gate_of(&text);
        assert!(!read.sound, "{text}");
        assert!(told(&read).contains(&wanted.to_owned()), "{:?}", told(&read));
    }
}

#[test]
fn keys_that_nobody_knows_and_validators_that_are_not_there_are_told() {
    let read = gate_of(
        "checkpoint: {strickt: true}\nevidence_schema:\n  a: {typ: boolean, validator: gone}\nowner: me\n",
    );
    assert!(read.sound);
    assert_eq!(
        told(&read),
        [
            "g.yaml:1: `strickt` is not a key of `checkpoint`; did you mean `strict`?",
            "g.yaml:3: `typ` is not a key of the field `a`; did you mean `type`?",
            "g.yaml:3: there is no validator `gone`: it is not asked for",
            "g.yaml:4: `owner` is not a key of a gate definition",
        ]
    );
}
