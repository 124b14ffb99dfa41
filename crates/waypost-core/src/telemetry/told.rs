//! What is said of each thing: names and attributes. Where OpenTelemetry has a name, that one is taken.

use std::borrow::Cow;

use super::Telling;
use super::signal::{Log, Place, Severity, Signal, Value};
use crate::actor::Actor;
use crate::cost::Tokens;
use crate::event::{UsageCounted, UsedModel};
use crate::evidence::{Evidence, Provenance, Run, Tree, VerdictGiven};
use crate::gate::Before;
use crate::gate::ruling::{Outcome, Ruling};
use crate::id::SessionId;
use crate::record::Record;
use crate::redact::redact;
use crate::text::{one_line, shortened};

/// How much of a free text is told.
const MAX_TEXT: usize = 4_096;
/// How many entries of a list are told.
const MAX_LIST: usize = 50;

pub(super) type Attributes = Vec<(&'static str, Value)>;

/// A record, and for whom it is told.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) session: &'a SessionId,
    pub(super) record: &'a Record,
    pub(super) telling: Telling,
}

impl Scene<'_> {
    /// Which signal it is, for good: the record that it is made of, and which part of that.
    fn id(&self, part: usize) -> (&'static str, Value) {
        let mut id = format!("session/{}/{}", self.session, self.record.seq);
        if part > 0 {
            id.push_str(&format!("/{part}"));
        }
        ("waypost.record.id", id.into())
    }

    /// What is said of everything: of which record it is made, and who acted.
    pub(super) fn common(&self) -> Attributes {
        let mut said = vec![self.id(0), ("session.id", self.session.as_str().into())];
        if let Actor::Agent { harness, conversation, subagent } = &self.record.actor {
            said.push(("waypost.harness", harness.as_str().into()));
            said.push(("gen_ai.conversation.id", conversation.as_str().into()));
            said.extend(subagent.iter().map(|id| ("gen_ai.agent.id", id.as_str().into())));
        }
        said
    }

    /// What was written freely, where that is asked for.
    pub(super) fn free(&self, name: &'static str, text: &str) -> Option<(&'static str, Value)> {
        self.telling.content.then(|| (name, clean(text).into()))
    }

    /// The same of several texts.
    pub(super) fn free_list<'t>(
        &self,
        name: &'static str,
        texts: impl IntoIterator<Item = &'t str>,
    ) -> Option<(&'static str, Value)> {
        let texts: Vec<String> = if self.telling.content {
            texts.into_iter().take(MAX_LIST).map(clean).collect()
        } else {
            Vec::new()
        };
        (!texts.is_empty()).then(|| (name, texts.into()))
    }

    pub(super) fn log(
        &self,
        event: &'static str,
        place: Place,
        body: impl Into<String>,
        more: impl IntoIterator<Item = (&'static str, Value)>,
    ) -> Log {
        let mut attributes = self.common();
        attributes.extend(more);
        let (time, severity, body) = (self.record.time, Severity::Info, body.into());
        Log { event, place, time, severity, body, attributes }
    }

    pub(super) fn ruling(&self, place: Place, ruling: &Ruling) -> Log {
        let action = &ruling.action;
        let kinds: Vec<String> = action.kinds.iter().map(|kind| self.kind(kind)).collect();
        let gates = ruling.unmet().map(|finding| &finding.gate).chain(&ruling.also);
        let gates: Vec<String> = gates.take(MAX_LIST).cloned().collect();
        let what = kinds.first().map_or("action", String::as_str);
        let body = format!("{} {what}: {}", ruling.outcome, gates.join(", "));
        let mut said: Attributes = vec![
            ("waypost.ruling.id", ruling.id.as_str().into()),
            ("waypost.ruling.outcome", ruling.outcome.to_string().into()),
            ("waypost.ruling.action", kinds.into()),
            ("waypost.ruling.gates", gates.into()),
            ("waypost.policy", ruling.policy.as_str().into()),
        ];
        let call = action.call.as_deref();
        said.extend(call.map(|call| ("tool_use_id", call.into())));
        said.extend(call.map(|call| ("gen_ai.tool.call.id", call.into())));
        if self.record.actor.conversation().is_none() {
            said.push(("gen_ai.conversation.id", action.conversation.as_str().into()));
        }
        if ruling.gave_way {
            said.push(("waypost.ruling.gave_way", true.into()));
        }
        let held = ruling.stop_block.map(u64::from);
        said.extend(held.map(|held| ("waypost.ruling.times_held", held.into())));
        let paths = action.paths.iter().map(String::as_str);
        said.extend(self.free_list("waypost.ruling.paths", paths));
        let reasons: Vec<String> =
            ruling.unmet().map(|one| format!("{}: {}", one.message, one.why)).collect();
        let reasons = reasons.iter().map(String::as_str);
        said.extend(self.free_list("waypost.ruling.reasons", reasons));
        let log = self.log("waypost.ruling", place, body, said);
        let minded = ruling.outcome == Outcome::Deny || ruling.gave_way;
        Log { severity: if minded { Severity::Warning } else { Severity::Info }, ..log }
    }

    /// What sort of action it is. What a pattern says is content.
    fn kind(&self, kind: &Before) -> String {
        match kind {
            Before::Bash(_) if !self.telling.content => "bash".to_owned(),
            Before::Line(_) if !self.telling.content => "line".to_owned(),
            Before::Bash(_)
            | Before::Line(_)
            | Before::Edit
            | Before::Commit
            | Before::Push
            | Before::Stop
            | Before::End
            | Before::Phase(_)
            | Before::Tool(_)
            | Before::Mcp(_) => clean(&kind.to_string()),
        }
    }

    /// What a run was, and what it is worth.
    pub(super) fn run(&self, run: &Run) -> Attributes {
        let mut said = self.common();
        let program = program(&run.command);
        said.push(("waypost.run.command", program.into()));
        said.push(("process.exit.code", Value::Signed(run.status.into())));
        said.push(provenance(run.provenance));
        let unchanged = run.tree_before.id().is_some() && run.tree_before == run.tree_after;
        said.push(("waypost.run.content_unchanged", unchanged.into()));
        let content = run.tree_after.id().map(|id| ("waypost.content", id.into()));
        said.extend(content);
        if let Some(tests) = run.tests {
            said.push(("waypost.tests.passed", tests.passed.into()));
            said.push(("waypost.tests.failed", tests.failed.into()));
            said.push(("waypost.tests.skipped", tests.skipped.into()));
        }
        let patterns = run.patterns.iter().map(String::as_str);
        said.extend(self.free_list("waypost.run.patterns", patterns));
        let failed = run.failed.iter().map(String::as_str);
        said.extend(self.free_list("waypost.tests.failed_names", failed));
        said
    }

    pub(super) fn evidence(&self, place: Place, evidence: &Evidence) -> Log {
        let sort = format!("{:?}", evidence.sort).to_lowercase();
        let body = format!("{} evidence: {sort}", evidence.provenance);
        let said = [("waypost.evidence.sort", sort.into()), provenance(evidence.provenance)];
        let subject = self.free("waypost.evidence.subject", &evidence.subject);
        self.log("waypost.evidence", place, body, said.into_iter().chain(subject))
    }

    pub(super) fn verdict(&self, place: Place, given: &VerdictGiven) -> Log {
        let body = format!("verdict of {}: {}", given.agent, given.verdict.name());
        let said = [
            ("gen_ai.agent.name", given.agent.as_str().into()),
            ("waypost.verdict", given.verdict.name().into()),
            ("waypost.verdict.confidence", Value::Fraction(given.confidence.value())),
            provenance(given.provenance),
        ];
        let why = self.free("waypost.verdict.reasoning", &given.reasoning);
        self.log("waypost.verdict", place, clean(&body), said.into_iter().chain(why))
    }

    /// What was used, a log record for each model.
    pub(super) fn usage(&self, place: &Place, counted: &UsageCounted) -> Vec<Signal> {
        let each = counted.used.iter().enumerate();
        each.map(|(part, used)| Signal::Log(Box::new(self.used(part, place.clone(), used))))
            .collect()
    }

    fn used(&self, part: usize, place: Place, used: &UsedModel) -> Log {
        let mut said = vec![("gen_ai.response.model", used.model.as_str().into())];
        said.extend(tokens(used.tokens));
        if !used.phase.is_empty() {
            said.push(("waypost.phase", used.phase.as_str().into()));
        }
        said.extend(used.checkpoint.map(|number| ("waypost.checkpoint", number.into())));
        // Fractions of a cent do not matter to whoever adds them up in floating point.
        #[expect(clippy::cast_precision_loss, reason = "fractions of a cent do not matter here")]
        let cost = used.nano_usd.map(|nano| Value::Fraction(nano as f64 / 1e9));
        said.extend(cost.map(|cost| ("waypost.usage.cost_usd", cost)));
        let body = format!("{} tokens of {}", used.tokens.all(), used.model);
        let mut log = self.log("waypost.usage", place, clean(&body), said);
        // The id of the record alone would be the same for every model.
        log.attributes[0] = self.id(part);
        log
    }
}

/// How many tokens were used. By OpenTelemetry's words those of a cache are a part of those that went in.
pub(super) fn tokens(tokens: Tokens) -> Attributes {
    let told = tokens.told();
    let input = told.input.saturating_add(told.cache_read).saturating_add(told.cache_write);
    let mut said: Attributes = vec![
        ("gen_ai.usage.input_tokens", input.into()),
        ("gen_ai.usage.output_tokens", told.output.into()),
    ];
    let cached = [
        ("gen_ai.usage.cache_read.input_tokens", told.cache_read),
        ("gen_ai.usage.cache_creation.input_tokens", told.cache_write),
    ];
    said.extend(cached.into_iter().filter(|(_, n)| *n > 0).map(|(name, n)| (name, n.into())));
    said
}

pub(super) fn provenance(provenance: Provenance) -> (&'static str, Value) {
    ("waypost.provenance", provenance.to_string().into())
}

/// The work tree's content, where that is known.
pub(super) fn content(tree: Option<&Tree>) -> Option<(&'static str, Value)> {
    Some(("waypost.content", tree?.id()?.into()))
}

/// A text that somebody wrote: without what looks like a credential, and not too long.
pub(super) fn clean(text: &str) -> String {
    let text: Cow<'_, str> = redact(text);
    shortened(&text, MAX_TEXT)
}

/// The name of a program, without the folder that it lies in.
pub(super) fn program(command: &str) -> String {
    let name = command.rsplit('/').next().unwrap_or_default();
    clean(&one_line(name))
}
