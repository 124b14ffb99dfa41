//! Which of the many times that a file says something are one step: what is recognised as the same, what is worded
//! the same, and rows of checklists that say again what a phase says.

use waypost_core::gate::Level;
use waypost_core::text::{one_line, shortened};
use waypost_core::track::Part;
use waypost_core::track::known::KnownStep;

use super::gather::{Found, How};
use super::known::{Asked, Recognised};
use super::paths::Paths;
use super::wording::exception;

/// A longer text of a step is shortened, in characters.
const MAX_TEXT: usize = 300;
/// A longer name of a step is shortened, in characters.
const MAX_NAME: usize = 40;
/// More steps than this are not followed.
pub(super) const MAX_STEPS: usize = 400;

/// A step of a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    /// Its name, its own in the whole protocol.
    pub(crate) name: String,
    /// How much it insists.
    pub(crate) level: Level,
    /// Whether it forbids.
    pub(crate) forbids: bool,
    /// What it asks for.
    pub(crate) text: String,
    /// The line that it stands at.
    pub(crate) line: usize,
    /// When it applies, if not always.
    pub(crate) condition: Option<String>,
    /// What Waypost can see or look up of it.
    pub(crate) known: Option<KnownStep>,
    /// The same for everything that asks for the same.
    key: Option<String>,
    words: Vec<String>,
}

/// What all steps are recognised with.
#[derive(Debug)]
pub(super) struct Context<'a> {
    pub(super) log: &'a str,
    pub(super) paths: &'a Paths,
}

/// The steps of one phase, before they are compared with those of others.
pub(super) fn of_phase(
    context: &Context<'_>,
    found: &[Found],
    part: Part,
    condition: Option<&str>,
) -> Vec<Step> {
    let listed = found.iter().any(|one| matches!(one.how, How::Listed | How::Checklist));
    let mut steps: Vec<Step> = Vec::new();
    let order = |how: How| found.iter().filter(move |one| one.how == how);
    let lists =
        found.iter().filter(|one| matches!(one.how, How::Listed | How::Unmarked | How::Small));
    for one in lists.chain(order(How::Prose)).chain(order(How::Checklist)) {
        let recognised = context.recognise(one, part);
        let counts = match one.how {
            How::Listed | How::Checklist => true,
            How::Unmarked | How::Small => !recognised.is_empty(),
            // Where something is listed, running text sums it up.
            How::Prose => !listed || !recognised.is_empty(),
        };
        if !counts {
            continue;
        }
        if steps.len() > MAX_STEPS {
            break;
        }
        for step in Step::of(one, recognised, condition) {
            let restates = one.how == How::Checklist;
            join(&mut steps, step, restates);
        }
    }
    steps
}

/// Adds a step, unless it is there already.
fn join(steps: &mut Vec<Step>, step: Step, restates: bool) {
    match steps.iter_mut().find(|known| known.is_same(&step, restates)) {
        Some(known) => known.take(step),
        None => steps.push(step),
    }
}

/// A step that stands in two phases stays in one of them: where it insists most, else where it comes first.
pub(super) fn once(phases: &mut [(Part, Vec<Step>)]) {
    for later in 0..phases.len() {
        let mut at = 0;
        while let Some(step) = phases.get(later).and_then(|(_, steps)| steps.get(at)).cloned() {
            let part = phases[later].0;
            let same = |(place, (other, steps)): (usize, &(Part, Vec<Step>))| {
                let found = steps.iter().position(|known| known.is_same(&step, false));
                found.filter(|_| *other == part).map(|found| (place, found))
            };
            let Some((place, found)) = phases.iter().take(later).enumerate().find_map(same) else {
                at += 1;
                continue;
            };
            let known = &mut phases[place].1[found];
            if known.level <= step.level {
                known.take(step);
                phases[later].1.remove(at);
            } else {
                let old = phases[place].1.remove(found);
                phases[later].1[at].take(old);
                at += 1;
            }
        }
    }
}

/// Rows of a checklist are compared with all steps of their part; those that say something new are given back.
pub(super) fn restated(
    context: &Context<'_>,
    phases: &mut [(Part, Vec<Step>)],
    summaries: &[(Part, Vec<String>)],
    part: Part,
    rows: &[Found],
) -> Vec<Step> {
    let mut new: Vec<Step> = Vec::new();
    for row in rows {
        for step in Step::of(row, context.recognise(row, part), None) {
            let own = phases.iter_mut().filter(|(other, _)| *other == part);
            let mut known = own.flat_map(|(_, steps)| steps.iter_mut()).chain(new.iter_mut());
            if let Some(known) = known.find(|known| known.key.is_some() && known.key == step.key) {
                known.take(step);
                continue;
            }
            drop(known);
            let own = phases.iter_mut().filter(|(other, _)| *other == part);
            let steps = own.flat_map(|(_, steps)| steps.iter_mut()).chain(new.iter_mut());
            let alike = steps.filter_map(|known| Some((known.likeness(&step)?, known)));
            if let Some((_, known)) = alike.max_by_key(|(likeness, _)| *likeness) {
                known.take(step);
                continue;
            }
            let sums_up = |words: &Vec<String>| likeness(words, &step.words).is_some();
            let mut summed = summaries.iter().filter(|(other, _)| *other == part);
            if step.key.is_none() && summed.any(|(_, words)| sums_up(words)) {
                continue;
            }
            new.push(step);
        }
    }
    new
}

/// Gives every step a name of its own.
pub(super) fn name_all<'s>(steps: impl Iterator<Item = &'s mut Step>) {
    let mut taken = std::collections::BTreeSet::new();
    for step in steps {
        let plain = step.name.clone();
        let names = (2..).map(|number| format!("{plain}_{number}"));
        let mut names = std::iter::once(plain.clone()).chain(names);
        if let Some(name) = names.find(|name| taken.insert(name.clone())) {
            step.name = name;
        }
    }
}

impl Context<'_> {
    fn recognise(&self, found: &Found, part: Part) -> Vec<Recognised> {
        let Found { wording, commands, details, .. } = found;
        Asked { wording, commands, details, part, log: self.log, paths: self.paths }.recognise()
    }
}

impl Step {
    /// A step for each that the wording is recognised as, else one that has to be recorded.
    fn of(found: &Found, recognised: Vec<Recognised>, condition: Option<&str>) -> Vec<Self> {
        let wording = &found.wording;
        let words = words(&wording.act);
        let condition = wording.condition.clone().or_else(|| condition.map(str::to_owned));
        let base = Self {
            name: slug(&wording.act),
            level: wording.level,
            forbids: wording.forbids,
            text: text(found),
            line: found.line,
            condition,
            known: None,
            key: None,
            words,
        };
        if recognised.is_empty() {
            return vec![base];
        }
        let known = |one: Recognised| {
            // Whether Serena is there, the step itself tells. What is forbidden holds always.
            let told = matches!(one.step, KnownStep::Call { .. } | KnownStep::OffBranches(_));
            let kept = base.forbids && matches!(one.step, KnownStep::Keep(_));
            // Unless there is a way out that nobody can see taken.
            let way_out = (told || kept).then(|| exception(&wording.act)).flatten();
            // Whether it is there, the step itself tells, too.
            let there = matches!(one.step, KnownStep::Read(_) | KnownStep::UseSkill(..))
                && base.condition.as_deref().is_some_and(is_presence);
            let always = (told || kept || there) && way_out.is_none();
            let condition = way_out.or_else(|| base.condition.clone()).filter(|_| !always);
            let (name, key, known) = (joined(&one.name, &[]), Some(one.key), Some(one.step));
            Self { name, condition, known, key, ..base.clone() }
        };
        recognised.into_iter().map(known).collect()
    }

    /// Whether it asks for the same as another one.
    fn is_same(&self, other: &Self, restates: bool) -> bool {
        if self.key.is_some() && self.key == other.key {
            return true;
        }
        if self.key.is_some() && other.key.is_some() {
            return false;
        }
        let worded = !self.words.is_empty() && self.words == other.words;
        (worded && self.forbids == other.forbids) || (restates && self.likeness(other).is_some())
    }

    /// How much a row of a checklist is like it, if it is at all.
    fn likeness(&self, row: &Self) -> Option<usize> {
        let apart = self.key.is_some() && row.key.is_some();
        (!apart && self.forbids == row.forbids).then(|| likeness(&self.words, &row.words))?
    }

    /// Takes over what another time that it is said adds.
    fn take(&mut self, other: Self) {
        self.level = self.level.min(other.level);
        if self.known.is_none() && other.known.is_some() {
            (self.known, self.key, self.name) = (other.known.clone(), other.key, other.name);
            self.condition = self.condition.take().or(other.condition);
        } else if self.known.is_none() {
            self.condition = self.condition.take().or(other.condition);
        } else if let (Some(KnownStep::Read(own)), Some(KnownStep::Read(theirs))) =
            (&mut self.known, &other.known)
            && theirs.len() > own.len()
        {
            own.clone_from(theirs);
        }
        if let (Some(KnownStep::LintMarkdown(own)), Some(KnownStep::LintMarkdown(theirs))) =
            (&mut self.known, &other.known)
        {
            own.extend(theirs.iter().cloned());
            own.dedup();
        }
    }
}

/// Whether a condition is only that something is there.
fn is_presence(condition: &str) -> bool {
    let words: Vec<&str> = condition.split(' ').collect();
    let there = ["exists", "exist", "present", "available", "there"];
    words.len() <= 5 && words.iter().any(|word| there.contains(&word.trim_end_matches(['.', ')'])))
}

/// How many words two texts share, if that is half of the shorter one. Both are in order.
fn likeness(a: &[String], b: &[String]) -> Option<usize> {
    let (mut shared, mut theirs) = (0, b.iter().peekable());
    for word in a {
        while theirs.next_if(|other| *other < word).is_some() {}
        shared += usize::from(theirs.next_if(|other| *other == word).is_some());
    }
    let shorter = a.len().min(b.len());
    (shared >= 2 && shared * 2 >= shorter).then_some(shared)
}

/// The words of a text that tell it apart from others, each once and in order.
pub(super) fn words(text: &str) -> Vec<String> {
    const COMMON: &[&str] = &[
        "the", "and", "any", "all", "for", "from", "with", "this", "that", "into", "onto", "agent",
        "must", "should", "before", "after", "when", "where", "been", "are", "was", "has", "have",
        "its", "not", "via", "per", "out", "under", "using", "used", "such", "each", "every",
        "only", "then", "they", "them", "you", "your", "will", "a", "an", "as", "at", "be", "by",
        "do", "if", "in", "is", "it", "md", "of", "on", "or", "so", "to", "s",
    ];
    let lower = text.to_lowercase();
    let mut words: Vec<String> = Vec::new();
    for word in lower.split(|c: char| !c.is_alphanumeric()) {
        if !word.is_empty()
            && !COMMON.contains(&word)
            && !words.iter().any(|known| known == word)
            && words.len() < 40
        {
            words.push(word.to_owned());
        }
    }
    words.sort_unstable();
    words
}

/// A name made of a text's first words.
fn slug(text: &str) -> String {
    const LEFT_OUT: &[&str] =
        &["the", "a", "an", "of", "to", "and", "or", "any", "all", "that", "this", "must", "with"];
    joined(text, LEFT_OUT)
}

/// The first words of a text, but for some, as a name.
fn joined(text: &str, left_out: &[&str]) -> String {
    let lower = text.to_lowercase().replace('\'', "");
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = String::new();
    for word in words.filter(|word| !left_out.contains(word)).take(5) {
        if name.len() + word.len() >= MAX_NAME && !name.is_empty() {
            break;
        }
        if !name.is_empty() {
            name.push('_');
        }
        name.extend(word.chars().take(MAX_NAME));
    }
    if name.is_empty() { "step".to_owned() } else { name }
}

/// What a step says, for people and agents.
fn text(found: &Found) -> String {
    let mut text = found.wording.act.trim().to_owned();
    if found.wording.forbids && !text.contains(" not ") {
        text = format!("Do not {text}");
    }
    let details: Vec<&str> = found.details.lines().filter(|line| !line.is_empty()).collect();
    if !details.is_empty() {
        text = format!("{}: {}", text.trim_end_matches(':'), details.join("; "));
    }
    let text = shortened(&one_line(&text), MAX_TEXT);
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => text,
    }
}
