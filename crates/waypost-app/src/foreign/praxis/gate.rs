//! `gate-definition.yaml`: which evidence the end of a phase asks for, as a gate. As with its own loader, errors only
//! warn unless the file is strict, `false` counts as given, and no file at all asks for nothing.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use waypost_core::cel::Expression;
use waypost_core::gate::proof::fields::{Field, FieldsProof, FieldsRule, Instead, Type};
use waypost_core::gate::{Gate, Level, Proof, Source};
use waypost_core::text::{did_you_mean, one_line, shortened};

use super::lambda::{self, Meaning};
use crate::config::Problem;
use crate::foreign::yaml::{self, Entry, Node};

const TOP: &[&str] = &["checkpoint", "evidence_schema", "validators", "cross_field_validation"];
const CHECKPOINT: &[&str] = &["enabled", "strict", "allow_override"];
const FIELD: &[&str] = &["type", "required", "validator", "validator_params", "description"];
/// More fields than this, or rules, nobody fills in.
const MAX_FIELDS: usize = 200;
/// The longest name of a field, in bytes.
const MAX_NAME: usize = 100;
/// The longest description, in characters.
const MAX_WORDS: usize = 400;
/// The longest message, in characters.
const MAX_MESSAGE: usize = 2000;

/// What a file says.
#[derive(Debug)]
pub(super) struct Definition {
    /// The gate, if it asks for anything.
    pub(super) gate: Option<Gate>,
    /// Whether the gate is the one that its author meant.
    pub(super) sound: bool,
    /// What could not be understood.
    pub(super) problems: Vec<Problem>,
}

/// Reads the text of `file`, which stands before the end of `phase`.
pub(super) fn read(file: &str, text: &str, phase: &str) -> Definition {
    let mut reader = GateReader { file, strict: false, sound: true, problems: Vec::new() };
    let gate = match yaml::parse(file, text) {
        Ok(yaml) => {
            reader.problems.extend(yaml.told);
            reader.gate(&yaml.root, phase)
        }
        Err(problem) => {
            reader.sound = false;
            reader.problems.push(problem);
            None
        }
    };
    let GateReader { sound, mut problems, .. } = reader;
    problems.sort_by_key(|problem| problem.line);
    Definition { gate, sound, problems }
}

struct GateReader<'a> {
    file: &'a str,
    strict: bool,
    sound: bool,
    problems: Vec<Problem>,
}

impl GateReader<'_> {
    fn tell(&mut self, line: usize, message: impl Into<String>) {
        let (file, message) = (self.file.to_owned(), message.into());
        self.problems.push(Problem { file, line, message });
    }

    /// Tells something that makes the gate another one than its author meant.
    fn refuse(&mut self, line: usize, message: impl Into<String>) {
        self.sound = false;
        self.tell(line, message);
    }

    fn gate(&mut self, root: &Node, phase: &str) -> Option<Gate> {
        if root.is_null() {
            self.tell(root.line, "it is empty: nothing is asked for");
            return None;
        }
        let entries = self.map(root, "a gate definition")?;
        self.unknown_keys(entries, TOP, "a gate definition");
        let checkpoint = self.section(root, "checkpoint");
        let (enabled, instead) = self.checkpoint(checkpoint);
        let fields = self.fields(root);
        let rules = self.rules(root, &fields);
        if !enabled || (fields.is_empty() && rules.is_empty()) {
            return None;
        }
        let line =
            root.entry("evidence_schema").or(root.entry("checkpoint")).map_or(1, |it| it.line);
        let message = asked(&fields);
        let proof = Proof::Fields(FieldsProof { fields, rules, instead });
        Some(Gate {
            level: if self.strict { Level::Must } else { Level::Should },
            message,
            // Its own tool takes the agent's word; here it is shown as one.
            accept_claimed: true,
            source: Source::new(self.file, line),
            ..Gate::new(format!("{phase}/checkpoint"), Vec::new(), proof)
        })
    }

    /// A part of the file that is a map, or nothing.
    fn section<'n>(&mut self, root: &'n Node, key: &str) -> Option<&'n Node> {
        let Some(entry) = root.entry(key) else {
            self.tell(root.line, format!("there is no `{key}`: {}", missing(key)));
            return None;
        };
        let nothing = entry.node.as_map().is_some_and(<[Entry]>::is_empty);
        if entry.node.is_null() || (nothing && key == "evidence_schema") {
            self.tell(entry.line, format!("`{key}` is empty: {}", missing(key)));
            return None;
        }
        self.map(&entry.node, &format!("`{key}`")).map(|_| &entry.node)
    }

    fn map<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Entry]> {
        let entries = node.as_map();
        if entries.is_none() {
            self.refuse(node.line, format!("{what} has to be a map, not {}", node.type_name()));
        }
        entries
    }

    fn unknown_keys(&mut self, entries: &[Entry], known: &[&str], place: &str) {
        for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let shown = shortened(&one_line(&entry.key), 40);
            let meant = did_you_mean(&entry.key, known)
                .map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
            self.tell(entry.line, format!("`{shown}` is not a key of {place}{meant}"));
        }
    }

    fn flag(&mut self, node: Option<&Node>, key: &str, otherwise: bool) -> bool {
        let Some(given) = node.and_then(|node| node.get(key)).filter(|given| !given.is_null())
        else {
            return otherwise;
        };
        given.as_bool().unwrap_or_else(|| {
            self.refuse(given.line, format!("`{key}` is true or false, not {}", given.type_name()));
            otherwise
        })
    }

    /// Whether it is asked for at all, and who may say that it holds without the fields.
    fn checkpoint(&mut self, node: Option<&Node>) -> (bool, Instead) {
        if let Some(entries) = node.and_then(Node::as_map) {
            self.unknown_keys(entries, CHECKPOINT, "`checkpoint`");
        }
        self.strict = self.flag(node, "strict", false);
        let enabled = self.flag(node, "enabled", true);
        if !enabled {
            let line = node.and_then(|node| node.entry("enabled")).map_or(1, |entry| entry.line);
            self.tell(line, "`enabled: false`: nothing is asked for at the end of this phase");
        }
        let allowed = self.flag(node, "allow_override", true);
        (enabled, if allowed { Instead::Human } else { Instead::Nobody })
    }

    fn fields(&mut self, root: &Node) -> Vec<Field> {
        let Some(schema) = self.section(root, "evidence_schema") else { return Vec::new() };
        let validators = root.get("validators").filter(|node| !node.is_null());
        if let Some(node) = validators {
            self.map(node, "`validators`");
        }
        let entries = schema.as_map().unwrap_or_default();
        if entries.len() > MAX_FIELDS {
            let message = format!("{} fields; a gate has at most {MAX_FIELDS}", entries.len());
            self.refuse(schema.line, message);
        }
        entries.iter().take(MAX_FIELDS).filter_map(|entry| self.field(entry, validators)).collect()
    }

    fn field(&mut self, entry: &Entry, validators: Option<&Node>) -> Option<Field> {
        let shown = shortened(&one_line(&entry.key), 40);
        if entry.key.is_empty()
            || entry.key.len() > MAX_NAME
            || entry.key.contains(char::is_control)
        {
            self.refuse(entry.line, format!("`{shown}` cannot be the name of a field"));
            return None;
        }
        let node = &entry.node;
        if !node.is_null() {
            let keys = self.map(node, &format!("the field `{shown}`"))?;
            self.unknown_keys(keys, FIELD, &format!("the field `{shown}`"));
        }
        let of = self.field_type(entry, node)?;
        let optional = !self.flag(Some(node), "required", false);
        let about = node.get("description").and_then(Node::as_str).unwrap_or_default();
        let about = shortened(&one_line(about), MAX_WORDS);
        let check = self.validator(entry, of, validators);
        Some(Field { optional, check, about, any_value: true, ..Field::new(&entry.key, of) })
    }

    fn field_type(&mut self, entry: &Entry, node: &Node) -> Option<Type> {
        let Some(given) = node.get("type").filter(|given| !given.is_null()) else {
            return Some(Type::String);
        };
        let of = match given.as_str() {
            Some("boolean" | "bool") => Type::Boolean,
            Some("integer" | "int") => Type::Integer,
            Some("number" | "float") => Type::Number,
            Some("string" | "str" | "text") => Type::String,
            Some("list" | "array") => Type::List,
            Some("object" | "dict" | "map") => Type::Object,
            _ => {
                let name = shortened(&one_line(&entry.key), 40);
                let types = "boolean, integer, number, string, list or object";
                self.refuse(given.line, format!("the field `{name}` is of the type {types}"));
                return None;
            }
        };
        Some(of)
    }

    /// What has to hold of a field's value.
    fn validator(&mut self, entry: &Entry, of: Type, validators: Option<&Node>) -> Option<String> {
        let given = entry.node.get("validator").filter(|given| !given.is_null())?;
        let Some(name) = given.as_str() else {
            let message = format!("`validator` is a name, not {}", given.type_name());
            self.refuse(given.line, message);
            return None;
        };
        // Its documentation writes one right there, too.
        let inline = lambda::is_lambda(name);
        let Some(found) = validators.and_then(|all| all.get(name)).or(inline.then_some(given))
        else {
            let shown = shortened(&one_line(name), 40);
            self.tell(given.line, format!("there is no validator `{shown}`: it is not asked for"));
            return None;
        };
        let Some(text) = found.as_str() else {
            let shown = shortened(&one_line(name), 40);
            let message = format!("the validator `{shown}` is text, not {}", found.type_name());
            self.refuse(found.line, message);
            return None;
        };
        let params = match entry.node.get("validator_params").map(Node::to_json) {
            Some(Value::Object(params)) => params,
            _ => Map::new(),
        };
        let shown = if inline { format!("of `{}`", entry.key) } else { format!("`{name}`") };
        let names = BTreeSet::from(["value".to_owned()]);
        let meaning = Meaning::Field(of, &params);
        self.expression(found.line, &format!("the validator {shown}"), text, meaning, &names)
            .map(|(expression, _)| expression)
    }

    /// The expression that a text is or can be made; one that cannot is told, with what to write.
    fn expression(
        &mut self,
        line: usize,
        what: &str,
        text: &str,
        meaning: Meaning<'_>,
        known: &BTreeSet<String>,
    ) -> Option<(String, BTreeSet<String>)> {
        let (over, example) = match meaning {
            Meaning::Field(..) => ("value", "size(value) > 0"),
            Meaning::Evidence(_) => ("fields", "fields.passed <= fields.total"),
        };
        let instead = format!("write it as an expression (CEL) over `{over}`, such as `{example}`");
        let what = shortened(&one_line(what), 80);
        let found = if lambda::is_lambda(text) {
            lambda::translated(text, meaning).map(|it| (it.expression, it.names)).map_err(|why| {
                format!("{what} is a Python lambda that cannot be translated: {why}; {instead}")
            })
        } else {
            Ok((text.to_owned(), BTreeSet::new()))
        };
        let found = found.and_then(|(source, mut names)| {
            let told = |error: String| {
                format!(
                    "{what} is neither a simple Python lambda nor an expression: {error}; {instead}"
                )
            };
            let compiled = Expression::compile(&source).map_err(|error| told(error.to_string()))?;
            for name in compiled.references() {
                let root = name.split('.').next().unwrap_or_default();
                if !known.contains(root) {
                    return Err(told(format!("there is no `{}`", shortened(root, 40))));
                }
                names.extend(name.split('.').nth(1).map(str::to_owned));
            }
            Ok((source, names))
        });
        found.map_err(|message| self.unfit(line, message)).ok()
    }

    /// Where errors only warn, one check less holds nobody who should have been held.
    fn unfit(&mut self, line: usize, message: String) {
        if self.strict {
            self.refuse(line, message);
        } else {
            self.tell(line, message);
        }
    }

    fn rules(&mut self, root: &Node, fields: &[Field]) -> Vec<FieldsRule> {
        let Some(given) = root.get("cross_field_validation").filter(|given| !given.is_null())
        else {
            return Vec::new();
        };
        let Some(items) = given.as_list() else {
            let found = given.type_name();
            self.refuse(given.line, format!("`cross_field_validation` is a list, not {found}"));
            return Vec::new();
        };
        let types: Vec<(String, Type)> =
            fields.iter().map(|field| (field.name.clone(), field.of)).collect();
        items.iter().take(MAX_FIELDS).filter_map(|item| self.rule(item, &types)).collect()
    }

    fn rule(&mut self, item: &Node, types: &[(String, Type)]) -> Option<FieldsRule> {
        let text = |key: &str| item.get(key).and_then(Node::as_str);
        let Some(rule) = text("rule") else {
            self.refuse(item.line, "a rule between fields needs a `rule`");
            return None;
        };
        let message = text("error_message").unwrap_or("a rule between fields does not hold");
        let message = shortened(&one_line(message), MAX_WORDS);
        let names = BTreeSet::from(["fields".to_owned()]);
        let line = item.get("rule").map_or(item.line, |rule| rule.line);
        let what = format!("the rule \"{message}\"");
        let meaning = Meaning::Evidence(types);
        let (check, names) = self.expression(line, &what, rule, meaning, &names)?;
        Some(FieldsRule { check, message, names: names.into_iter().collect() })
    }
}

/// What it means where a part of the file is not there.
fn missing(key: &str) -> &'static str {
    match key {
        "checkpoint" => "errors only warn",
        _ => "nothing is asked for",
    }
}

/// What is asked for, in words.
fn asked(fields: &[Field]) -> String {
    let one = |field: &Field| match (field.about.as_str(), field.optional) {
        ("", false) => field.name.clone(),
        ("", true) => format!("{} (may be left out)", field.name),
        (about, false) => format!("{} ({about})", field.name),
        (about, true) => format!("{} ({about}; may be left out)", field.name),
    };
    let all: Vec<String> = fields.iter().map(one).collect();
    shortened(&format!("The end of this phase asks for evidence: {}.", all.join(", ")), MAX_MESSAGE)
}
