//! The `proof` of a gate: which kind it is, and what belongs to it.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use waypost_core::cel::Expression;
use waypost_core::evidence::{Confidence, VerdictWord};
use waypost_core::gate::Proof;
use waypost_core::gate::facts::AskedReport;
use waypost_core::gate::proof::approval::ApprovalProof;
use waypost_core::gate::proof::called::CalledProof;
use waypost_core::gate::proof::check::CheckProof;
use waypost_core::gate::proof::fields::{Field, FieldsProof, Type};
use waypost_core::gate::proof::file::FileProof;
use waypost_core::gate::proof::ran::{Fresh, RanProof};
use waypost_core::gate::proof::read::ReadProof;
use waypost_core::gate::proof::report::ReportProof;
use waypost_core::gate::proof::skill::SkillProof;
use waypost_core::gate::proof::verdict::VerdictProof;
use waypost_core::text::did_you_mean;

use super::{Reader, duration};

const KINDS: &[&str] = &[
    "ran", "read", "called", "skill", "file", "git", "report", "fields", "verdict", "approval",
    "check", "handoff", "alone", "all", "any",
];
const KEYS: &[&str] = &[
    "ran",
    "read",
    "called",
    "skill",
    "file",
    "git",
    "report",
    "fields",
    "verdict",
    "approval",
    "check",
    "handoff",
    "alone",
    "all",
    "any",
    "fresh",
    "with",
    "agent",
    "min_confidence",
    "ttl",
    "narrowed",
    "tests",
    "baseline",
];
const FIELD: &[&str] = &["type", "check", "optional"];
/// Proofs that are made of proofs go no deeper, and are no more.
const MAX_DEPTH: usize = 4;
const MAX_PARTS: usize = 20;

/// Stands for the user's own approval key until the policy is compiled.
pub(crate) const OWN_KEY: &str = "signed";

/// Reads a proof; what is wrong with it is told.
pub(super) fn read(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    start: usize,
    depth: usize,
) -> Option<Proof> {
    reader.unknown_keys(table, KEYS, "a proof");
    let kinds: Vec<&str> =
        KINDS.iter().copied().filter(|kind| table.get(*kind).is_some()).collect();
    let [kind] = kinds[..] else {
        let what = if kinds.is_empty() { "none" } else { "several" };
        let all = KINDS.join(", ");
        reader.problem(start, format!("a proof needs exactly one of {all}; this has {what}"));
        return None;
    };
    misplaced(reader, table, kind);
    match kind {
        "ran" => Some(Proof::Ran(RanProof {
            pattern: text(reader, table, kind)?,
            fresh: fresh(reader, table),
            folder: None,
            narrowed: reader.flag(table, "narrowed").unwrap_or(false),
            not_fewer: not_fewer(reader, table),
            baseline: baseline(reader, table),
        })),
        "read" => read_file(reader, table),
        "called" => Some(Proof::Called(CalledProof { tool: text(reader, table, kind)? })),
        "skill" => Some(Proof::Skill(SkillProof::new(text(reader, table, kind)?))),
        "file" => Some(Proof::File(FileProof { pattern: path(reader, table, kind)? })),
        "git" => match text(reader, table, kind)?.parse() {
            Ok(git) => Some(Proof::Git(git)),
            Err(error) => {
                reader.problem_at(table, kind, &error.to_string());
                None
            }
        },
        "report" => {
            let with = with(reader, table);
            let pattern = path(reader, table, kind)?;
            Some(Proof::Report(ReportProof { pattern, asked: AskedReport { with, passes: None } }))
        }
        "fields" => fields(reader, table),
        "verdict" => verdict(reader, table),
        "handoff" => {
            if text(reader, table, kind)? != "accepted" {
                reader.problem_at(table, kind, "it is `accepted`: no handoff waits any more");
            }
            Some(Proof::Handoff)
        }
        "alone" => alone(reader, table),
        "approval" => approval(reader, table),
        "check" => {
            let expression = text(reader, table, kind)?;
            check(reader, table, kind, &expression);
            Some(Proof::Check(CheckProof { expression }))
        }
        kind => several(reader, table, kind, depth),
    }
}

/// Keys that belong to another kind of proof.
fn misplaced(reader: &mut Reader<'_>, table: &DeTable<'_>, kind: &str) {
    for (key, kinds) in [
        ("fresh", &["ran", "read", "verdict"][..]),
        ("with", &["report"]),
        ("agent", &["verdict"]),
        ("min_confidence", &["verdict"]),
        ("ttl", &["approval"]),
        ("narrowed", &["ran"]),
        ("tests", &["ran"]),
        ("baseline", &["ran"]),
    ] {
        if table.get(key).is_some() && !kinds.contains(&kind) {
            let message =
                format!("it belongs to the proof {}, not to `{kind}`", kinds.join(" or "));
            reader.problem_at(table, key, &message);
        }
    }
}

fn text(reader: &mut Reader<'_>, table: &DeTable<'_>, key: &str) -> Option<String> {
    let found = reader.string(table, key)?.trim().to_owned();
    if found.is_empty() {
        reader.problem_at(table, key, "it is empty");
        return None;
    }
    Some(found)
}

/// A file of the project, or a pattern for some.
fn path(reader: &mut Reader<'_>, table: &DeTable<'_>, key: &str) -> Option<String> {
    let found = text(reader, table, key)?;
    let plain = found.trim_start_matches("./").to_owned();
    if plain.starts_with('/') || plain.split('/').any(|part| part == "..") {
        reader.problem_at(table, key, "it must stay inside the project");
        return None;
    }
    Some(plain)
}

fn fresh(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Fresh {
    match reader.string(table, "fresh") {
        None => Fresh::Once,
        Some("tree") => Fresh::Tree,
        Some(text) => duration(text).map_or_else(
            || {
                reader.problem_at(table, "fresh", "it is `tree` or a time such as `30m` or `90s`");
                Fresh::Tree
            },
            Fresh::Within,
        ),
    }
}

/// Lets every command of a proof run in the folder that its gate names.
pub(super) fn run_in(reader: &mut Reader<'_>, table: &DeTable<'_>, proof: &mut Proof) {
    if table.get("folder").is_none() {
        return;
    }
    let Some(folder) = path(reader, table, "folder") else { return };
    let folder = folder.trim_end_matches('/');
    if !put_in(proof, folder) {
        reader.problem_at(table, "folder", "it belongs to a gate that waits for a command (`ran`)");
    }
}

/// Whether there is a command that it could be put into.
fn put_in(proof: &mut Proof, folder: &str) -> bool {
    match proof {
        Proof::Ran(ran) => {
            ran.folder = (!matches!(folder, "" | ".")).then(|| folder.to_owned());
            true
        }
        Proof::All(proofs) | Proof::Any(proofs) => {
            let found: Vec<bool> = proofs.iter_mut().map(|proof| put_in(proof, folder)).collect();
            found.contains(&true)
        }
        _ => false,
    }
}

fn verdict(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Proof> {
    let said = text(reader, table, "verdict")?;
    let words = VerdictWord::ALL.map(VerdictWord::name);
    let decision = VerdictWord::named(&said).unwrap_or_else(|| {
        let message = match did_you_mean(&said, &words) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("a verdict is {}", words.join(", ")),
        };
        reader.problem_at(table, "verdict", &message);
        VerdictWord::Approve
    });
    let Some(agent) = text(reader, table, "agent") else {
        if table.get("agent").is_none() {
            reader.problem_at(table, "verdict", "it needs `agent`: whose verdict?");
        }
        return None;
    };
    let (min_confidence, fresh) = (confidence(reader, table), fresh(reader, table));
    Some(Proof::Verdict(VerdictProof { agent, decision, min_confidence, fresh }))
}

fn confidence(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Confidence> {
    let number = match table.get("min_confidence")?.get_ref() {
        DeValue::Float(number) => number.as_str().parse().ok(),
        DeValue::Integer(number) => number.as_str().parse().ok(),
        _ => None,
    };
    let found = number.and_then(Confidence::new);
    if found.is_none() {
        reader.problem_at(table, "min_confidence", "it is a number from 0 to 1");
    }
    // What cannot be read asks for more, never for less.
    found.or_else(|| Confidence::new(1.0))
}

fn not_fewer(reader: &mut Reader<'_>, table: &DeTable<'_>) -> bool {
    match reader.string(table, "tests") {
        None => false,
        Some("not fewer") => true,
        Some(_) => {
            reader.problem_at(table, "tests", "it is `not fewer`: as many as the last time");
            true
        }
    }
}

fn baseline(reader: &mut Reader<'_>, table: &DeTable<'_>) -> bool {
    match reader.string(table, "baseline") {
        None => false,
        Some("no new failures") => true,
        Some(_) => {
            let message = "it is `no new failures`: what failed before may go on failing";
            reader.problem_at(table, "baseline", message);
            false
        }
    }
}

fn read_file(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Proof> {
    let file = path(reader, table, "read")?;
    let unchanged = match reader.string(table, "fresh") {
        None => false,
        Some("content") => true,
        Some(_) => {
            reader.problem_at(table, "fresh", "for `read` it is `content`: unchanged since");
            true
        }
    };
    Some(Proof::Read(ReadProof { file, unchanged }))
}

fn with(reader: &mut Reader<'_>, table: &DeTable<'_>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let Some(conditions) = reader.table(table, "with") else {
        reader.problem_at(table, "report", "it needs `with`: what has to stand in it?");
        return found;
    };
    for (key, value) in conditions {
        match plain(value.get_ref()) {
            Some(text) => drop(found.insert(key.get_ref().to_string(), text)),
            None => reader.wrong_type(key.get_ref(), "a string, number or boolean", value),
        }
    }
    found
}

fn plain(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Boolean(yes) => Some(yes.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        _ => None,
    }
}

fn fields(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Proof> {
    let given = reader.table(table, "fields")?;
    let mut fields = Vec::new();
    for (name, value) in given {
        let name = name.get_ref().to_string();
        fields.extend(match value.get_ref() {
            DeValue::Table(options) => field(reader, name, options, value),
            _ => kind_of(reader, &name, value).map(|of| Field::new(name, of)),
        });
    }
    if fields.is_empty() {
        reader.problem_at(table, "fields", "it needs at least one field");
        return None;
    }
    Some(Proof::Fields(FieldsProof { fields, ..FieldsProof::default() }))
}

fn field(
    reader: &mut Reader<'_>,
    name: String,
    options: &DeTable<'_>,
    value: &Spanned<DeValue<'_>>,
) -> Option<Field> {
    reader.unknown_keys(options, FIELD, "a field");
    let Some(of) = options.get("type") else {
        reader.problem(value.span().start, format!("the field `{name}` needs a `type`"));
        return None;
    };
    let of = kind_of(reader, &name, of)?;
    let optional =
        matches!(options.get("optional").map(Spanned::get_ref), Some(DeValue::Boolean(true)));
    let expression = reader.string(options, "check").map(str::to_owned);
    if let Some(expression) = &expression {
        check(reader, options, "check", expression);
    }
    Some(Field { optional, check: expression, ..Field::new(name, of) })
}

fn kind_of(reader: &mut Reader<'_>, name: &str, value: &Spanned<DeValue<'_>>) -> Option<Type> {
    let of = match value.get_ref().as_str() {
        Some("boolean" | "bool") => Type::Boolean,
        Some("integer" | "int") => Type::Integer,
        Some("number" | "float") => Type::Number,
        Some("string" | "text") => Type::String,
        Some("list" | "array") => Type::List,
        Some("object" | "table") => Type::Object,
        _ => {
            let types = "boolean, integer, number, string, list or object";
            reader
                .problem(value.span().start, format!("the field `{name}` is of the type {types}"));
            return None;
        }
    };
    Some(of)
}

/// What it is that nobody else may be at. What cannot be read asks for more, never for less.
fn alone(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Proof> {
    let said = text(reader, table, "alone")?;
    let meanings = [("paths", Proof::AlonePaths), ("tree", Proof::Alone)];
    let meant = meanings.iter().find(|(word, _)| *word == said).map(|(_, proof)| proof.clone());
    Some(meant.unwrap_or_else(|| {
        let message = match did_you_mean(&said, &meanings.each_ref().map(|(word, _)| *word)) {
            Some(word) => format!("did you mean `{word}`?"),
            None => "it is `paths`: nobody else changed that file minutes ago; or `tree`: nobody else is at work \
                     in the work tree"
                .to_owned(),
        };
        reader.problem_at(table, "alone", &message);
        Proof::Alone
    }))
}

fn approval(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Proof> {
    let ttl = reader.string(table, "ttl").map(str::to_owned);
    let ttl = match ttl.as_deref().map(duration) {
        Some(None) => {
            reader.problem_at(table, "ttl", "it is a time such as `30m` or `1h`");
            Some(1)
        }
        Some(ttl) => ttl,
        None => None,
    };
    let wanted = table.get("approval")?;
    let signed_by = match wanted.get_ref() {
        DeValue::Boolean(true) => None,
        DeValue::String(text) => match text.as_ref() {
            "local" => None,
            "signed" => Some(OWN_KEY.to_owned()),
            key if key.starts_with("ed25519:") => Some(key["ed25519:".len()..].to_owned()),
            _ => {
                let message = "it is `local`, `signed` or a public key `ed25519:…`";
                reader.problem_at(table, "approval", message);
                Some(OWN_KEY.to_owned())
            }
        },
        _ => {
            reader.wrong_type("approval", "true or a string", wanted);
            return None;
        }
    };
    Some(Proof::Approval(ApprovalProof { signed_by, ttl }))
}

fn check(reader: &mut Reader<'_>, table: &DeTable<'_>, key: &str, expression: &str) {
    if let Err(error) = Expression::compile(expression) {
        let gate = reader.gate.clone();
        let message = format!("gate `{gate}`, column {}: {}", error.column, error.message);
        reader.problem_at(table, key, &message);
    }
}

fn several(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    kind: &str,
    depth: usize,
) -> Option<Proof> {
    let value = table.get(kind)?;
    let Some(array) = value.get_ref().as_array() else {
        reader.wrong_type(kind, "an array of proofs", value);
        return None;
    };
    if depth >= MAX_DEPTH || array.len() > MAX_PARTS || array.is_empty() {
        let message = format!("it takes 1 to {MAX_PARTS} proofs, {MAX_DEPTH} levels deep");
        reader.problem_at(table, kind, &message);
        return None;
    }
    let mut proofs = Vec::new();
    for item in array {
        let start = item.span().start;
        let Some(table) = item.get_ref().as_table() else {
            reader.wrong_type(kind, "an array of proofs", item);
            return None;
        };
        proofs.push(read(reader, table, start, depth + 1)?);
    }
    Some(if kind == "all" { Proof::All(proofs) } else { Proof::Any(proofs) })
}
