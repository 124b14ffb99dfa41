//! Before a tool runs: may it? This is the hot path, run on every tool call.

use waypost_core::command::Command;
use waypost_core::engine::Judgement;
use waypost_core::gate::action::Action;
use waypost_core::gate::before::ActionParts;
use waypost_core::gate::policy::Policy;
use waypost_core::gate::ruling::Outcome;
use waypost_core::id::StreamId;
use waypost_core::next_step::NextStep;
use waypost_core::runner;
use waypost_core::session::SessionState;
use waypost_core::shell::{Analysis, Simple};

use super::excerpt::{excerpt, excerpt_for};
use super::observe::Asked;
use super::rewrite::Place;
use super::seen_call::SeenCall;
use super::target::Target;
use super::{
    Call, alongside, attach, call_activity, call_moments, for_people, guarded, imitated, locate,
    observe, protect, silenced, staging, worktrees,
};
use crate::enforce::counting::Terms;
use crate::error::AppError;
use crate::harness::Answer;
use crate::harness::{Does, Tool};
use crate::machine::host::Host;
use crate::rulings::judge::{self, Rules};
use crate::view::registry::Registration;
use crate::view::{View, agent};

/// Rules on a tool call.
pub fn before(host: &Host, call: &Call, tool: &Tool) -> Result<Answer, AppError> {
    let Some((view, registration)) = locate(host, call)? else {
        return Ok(Answer::Silence);
    };
    let seen = SeenCall::of(&view, call, tool);
    if let Some(reason) = forbidden(&view, call, tool, &seen) {
        if let Some(registration) = &registration {
            call_activity::denied(&view, call, tool, registration);
        }
        return Ok(Answer::Deny(reason));
    }
    let registration = match registration {
        Some(registration) => registration,
        None => attach::late(&view, call)?,
    };
    if !matches!(tool.does, Does::Read(_)) {
        // What could not be recorded afterwards does not go ahead.
        view.log.check_usable(&StreamId::Session(registration.session.clone()))?;
    }
    let (registration, _) = attach::remembered(&view, call, registration)?;
    let state = view.load(&registration.session)?;
    let (hash, mut excerpt) = excerpt(&view, &registration, &state, &seen)?;
    let asked = Asked {
        watched: std::mem::take(&mut excerpt.watched),
        runners: std::mem::take(&mut excerpt.runners),
        rewrite: excerpt.rewrite,
    };
    let action = Action {
        kinds: std::mem::take(&mut excerpt.kinds),
        subagent: call.subagent.clone(),
        call: tool.call.clone(),
        paths: seen.paths.clone(),
        elsewhere: view.elsewhere(),
        ..Action::new(Vec::new(), call.conversation.clone())
    };
    let rules = Rules::of_excerpt(excerpt, &registration.session, &state);
    let asking =
        Ruled { view: &view, call, tool, registration: &registration, state: &state, seen: &seen };
    let answer = if rules.gates.is_empty() || seen.is_waypost() {
        Answer::Silence
    } else {
        asking.rule(&rules, hash, action)?
    };
    let answer = asking.rule_elsewhere(answer)?;
    if matches!(answer, Answer::Deny(_)) {
        return Ok(answer);
    }
    let told = staging::before(&view, call, &registration, &seen);
    let warning = || alongside::warning(&view, call, &registration, &seen);
    if answer != Answer::Silence {
        return Ok(alongside::on_top(answer, &rules, warning));
    }
    let answer = asking.goes_ahead(&asked)?;
    if answer != Answer::Silence {
        return Ok(answer);
    }
    let told: Vec<String> = told.into_iter().chain(warning()).collect();
    Ok(if told.is_empty() { answer } else { Answer::Context(told.join("\n")) })
}

/// Why nobody may do this, whatever gates say.
fn forbidden(view: &View<'_>, call: &Call, tool: &Tool, seen: &SeenCall) -> Option<String> {
    let forbidden = match &tool.does {
        Does::Read(path) | Does::Look(path) => {
            protect::from_reading(view, &Target::of(&call.cwd, path))
        }
        _ => seen.targets.iter().find_map(|target| protect::from_writing(view, target)),
    };
    let forbidden = forbidden.or_else(|| seen.analysis.as_ref().and_then(diverted));
    forbidden.or_else(|| {
        let (Does::Shell { command, .. }, Some(line)) = (&tool.does, &seen.analysis) else {
            return None;
        };
        let words = for_people::from_running(view, call, command, line)
            .or_else(|| silenced::from_running(view, call, command, line))
            .or_else(|| imitated::from_running(view, call, line));
        words.or_else(|| {
            let is_own = seen.is_waypost();
            if is_own { None } else { guarded::from_running(view, call, command, line) }
        })
    })
}

/// Why a line may not run that lets Waypost run something, and changes what its name means.
fn diverted(line: &Analysis) -> Option<String> {
    let runs = |command: &Simple| {
        let sub = command.words.get(1).map(|word| word.text.as_str());
        command.name() == Some("waypost") && sub == Some("run")
    };
    let run = line.commands.iter().find(|command| runs(command))?;
    let given = line.values().iter().map(|(name, _)| name);
    let name = run.assigned.iter().chain(given).find(|name| runner::is_treacherous(name))?;
    Some(format!(
        "Waypost: with another {name} nobody knows what would be run.\nNext: leave {name} out of the line"
    ))
}

/// A tool call that gates stand before.
struct Ruled<'a> {
    view: &'a View<'a>,
    call: &'a Call,
    tool: &'a Tool,
    registration: &'a Registration,
    state: &'a SessionState,
    seen: &'a SeenCall,
}

impl Ruled<'_> {
    /// No gate has anything against it: what it will show is awaited, or another line runs in its place.
    fn goes_ahead(&self, asked: &Asked) -> Result<Answer, AppError> {
        let Self { view, call, tool, registration, state, seen } = *self;
        worktrees::enter(view, call, tool, registration, state, seen)?;
        call_moments::began(view, call, tool, seen);
        let line = seen.analysis.as_ref().filter(|_| !seen.is_waypost());
        let Asked { watched, runners, .. } = asked;
        let ran_in =
            line.and_then(|line| worktrees::ran_in(view, call, line, &watched.ran, runners));
        let ran_in = ran_in.unwrap_or_else(|| view.place().project.clone());
        view.within(&ran_in, || {
            let terms = Terms { root: &ran_in.root, own: &asked.runners };
            let runs = line.map_or_else(Vec::new, |line| terms.runs_in(line, &asked.watched.ran));
            if let (Some(line), true) = (line, asked.rewrite) {
                let place = Place { view, call, registration, state, terms };
                if let Some(answer) = place.instead(tool, line, &runs)? {
                    return Ok(answer);
                }
            }
            observe::announce(view, call, tool, registration, seen, asked, &runs)?;
            Ok(Answer::Silence)
        })
    }

    /// What the gates say of what it does in other work trees, each judged there, on top of what they say here.
    fn rule_elsewhere(&self, mut answer: Answer) -> Result<Answer, AppError> {
        let Self { view, call, registration, state, seen, .. } = *self;
        for other in seen.elsewhere.iter().filter(|other| !other.kinds.is_empty()) {
            if matches!(answer, Answer::Deny(_)) {
                break;
            }
            let details = ActionParts::default();
            let (hash, excerpt) = excerpt_for(view, registration, state, &other.kinds, details)?;
            let rules = Rules::of_excerpt(excerpt, &registration.session, state);
            if rules.gates.is_empty() {
                continue;
            }
            let told = view.within(&other.project, || {
                let action = Action {
                    subagent: call.subagent.clone(),
                    call: self.tool.call.clone(),
                    paths: other.paths.clone(),
                    elsewhere: view.elsewhere(),
                    ..Action::new(other.kinds.clone(), call.conversation.clone())
                };
                self.rule(&rules, hash, action)
            })?;
            if told != Answer::Silence {
                answer = told;
            }
        }
        Ok(answer)
    }

    fn rule(&self, rules: &Rules, hash: String, action: Action) -> Result<Answer, AppError> {
        let state = self.state;
        let (verdict, facts) = rules.judge(self.view, state, &action)?;
        let outcome = verdict.outcome;
        if outcome == Outcome::Allow {
            return Ok(Answer::Silence);
        }
        if outcome == Outcome::Deny && self.is_way_out(&verdict, &hash, &action)? {
            return Ok(Answer::Silence);
        }
        let ruling = judge::ruling(self.view, verdict, state, facts, hash, action)?;
        let known = state.conversations.get(&self.call.conversation);
        let voice = self.registration.voice();
        let text =
            known.map_or_else(|| ruling.for_agent(voice), |known| known.told(&ruling, voice));
        let text = worktrees::placed(self.view, self.call, text);
        let Call { harness, conversation, subagent, .. } = self.call;
        let actor = agent(harness, conversation, subagent.as_deref());
        let session = &self.registration.session;
        let executed = self.view.execute(session, &actor, Command::Rule(ruling))?;
        self.view.tell_mended(&executed);
        Ok(if outcome == Outcome::Deny { Answer::Deny(text) } else { Answer::Context(text) })
    }

    /// Whether the call is exactly what would satisfy a gate that is not met: that is always let
    /// through, or gates could hold each other shut.
    fn is_way_out(
        &self,
        verdict: &Judgement,
        hash: &str,
        action: &Action,
    ) -> Result<bool, AppError> {
        let is = |step: &NextStep| self.seen.is(self.view, self.call, self.tool, step);
        if verdict.any_way_out(is) {
            return Ok(true);
        }
        let policy = Policy::clone(&*self.view.policy_by_hash(hash)?);
        let rules = Rules::of(policy, &self.registration.session, self.state);
        rules.any_way_out(self.view, self.state, action, is)
    }
}
