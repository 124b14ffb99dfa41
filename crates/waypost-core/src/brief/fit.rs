//! Keeping a brief within its budget: what is least useful is left out first.

use super::{Brief, OtherSession, WaitingHandoff};
use crate::alongside::OtherConversation;
use crate::gate::Level;
use crate::text::shortened;

/// How many tokens a brief may have where nobody says otherwise.
pub const BUDGET: usize = 1200;
/// How many bytes make a token at least. English prose has more to one; names of files, hashes and
/// signs have fewer, so that this errs on the side of too many tokens.
const BYTES: usize = 3;

/// About how many tokens a text has, and never fewer than a model would count in ordinary text.
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(BYTES)
}

impl Brief {
    /// As an agent reads it, in at most `budget` tokens.
    pub fn text(&self, budget: usize) -> String {
        let fitted = self.fitted(budget, Self::lines);
        let text = fitted.lines();
        if tokens(&text) <= budget {
            return text;
        }
        // Not even the bare minimum fits: its most useful part does.
        cut(&format!("Next step: {}", fitted.next), budget.saturating_mul(BYTES))
    }

    /// What is left of it when `rendered` keeps to the budget, as far as that is possible.
    #[must_use]
    pub fn fitted(&self, budget: usize, rendered: impl Fn(&Self) -> String) -> Self {
        let mut brief = self.clone();
        while tokens(&rendered(&brief)) > budget && brief.leave_out() {
            brief.left_out += 1;
        }
        brief
    }

    /// Leaves the least useful piece out; false if nothing more can be.
    fn leave_out(&mut self) -> bool {
        drop_last(&mut self.met)
            || drop_first(&mut self.commits)
            || drop_first(&mut self.evidence)
            || drop_last(&mut self.files)
            || drop_first(&mut self.done)
            || self.timing.take().is_some()
            || self.others.iter_mut().rev().any(OtherConversation::shorten)
            || drop_last(&mut self.others)
            || drop_last(&mut self.goals)
            || drop_first(&mut self.agents)
            || self.leave_out_details()
            || self.also.len() > 5 && drop_last(&mut self.also)
            || self.also.iter_mut().skip(1).rev().any(OtherSession::shorten)
            || self.also.len() > 3 && drop_last(&mut self.also)
            || drop_first(&mut self.decisions)
            || self.previous.take().is_some()
            || self.also.iter_mut().any(OtherSession::shorten)
            || drop_last(&mut self.also)
            || drop_last(&mut self.questions)
            || self.pending_handoffs.iter_mut().any(WaitingHandoff::shorten)
            || self.leave_out_mild_gate()
            || drop_first(&mut self.handoffs)
            || drop_last(&mut self.blockers)
            || drop_first(&mut self.open_verdicts)
            || self.open.len() > 1 && drop_last(&mut self.open)
            || self.focus.take().is_some()
            || self.leave_out_failure()
            || drop_last(&mut self.open)
            || drop_last(&mut self.remarks)
            || self.task.take().is_some()
            || self.build.take().is_some()
            || self.mode.take().is_some()
            || self.folder.take().is_some()
            || self.pending_handoffs.iter_mut().any(WaitingHandoff::shorten_more)
            || self.pending_handoffs.len() > 1 && self.only_name_handoff()
            || self.shorten()
    }

    /// Leaves nothing of a handoff but that it waits; false if there is none of which more is told.
    fn only_name_handoff(&mut self) -> bool {
        let last = self.pending_handoffs.pop();
        let is_there = last.is_some();
        self.further_handoffs.splice(..0, last.map(|waiting| waiting.handoff_id));
        is_there
    }

    /// What goes beyond naming the task.
    fn leave_out_details(&mut self) -> bool {
        let task = self.task.as_mut();
        task.is_some_and(|task| {
            task.description.take().is_some() || drop_last(&mut task.read_before)
        }) || self.build.as_mut().is_some_and(|build| drop_last(&mut build.verify))
    }

    fn leave_out_mild_gate(&mut self) -> bool {
        let mild = self.open.iter().rposition(|open| open.level != Level::Must);
        mild.map(|place| self.open.remove(place)).is_some()
    }

    fn leave_out_failure(&mut self) -> bool {
        let failed = self.failed.as_mut();
        failed.is_some_and(|failed| {
            drop_last(&mut failed.evidence)
                || failed.errors.len() > 1 && drop_last(&mut failed.errors)
                || drop_last(&mut failed.next_steps)
        })
    }

    /// Shortens what cannot be left out.
    fn shorten(&mut self) -> bool {
        self.protocol.take().is_some()
            || self.pause.as_mut().is_some_and(|pause| pause.context.take().is_some())
            || self.first_prompt.take().is_some()
            || self.objective.as_mut().is_some_and(|text| halve(text, 40))
            || self.pause.as_mut().is_some_and(|pause| halve(&mut pause.reason, 40))
            || self.progress.as_mut().is_some_and(|progress| {
                !progress.purpose.is_empty() && {
                    progress.purpose.clear();
                    true
                }
            })
            || !std::mem::replace(&mut self.terse, true)
            || halve(&mut self.next, 80)
            || self.failed.take().is_some()
            || self.pause.take().is_some()
            || self.progress.take().is_some()
            || self.objective.take().is_some()
            || self.only_name_handoff()
            || halve(&mut self.next, 40)
            || drop_last(&mut self.further_handoffs)
    }
}

/// Makes a text half as long, but not shorter than `least` characters; false if it is already.
fn halve(text: &mut String, least: usize) -> bool {
    let length = text.chars().count();
    if length <= least {
        return false;
    }
    *text = shortened(text, (length / 2).max(least));
    true
}

fn drop_last<T>(list: &mut Vec<T>) -> bool {
    list.pop().is_some()
}

fn drop_first<T>(list: &mut Vec<T>) -> bool {
    !list.is_empty() && {
        list.remove(0);
        true
    }
}

/// At most so many bytes, cut between characters.
fn cut(text: &str, max: usize) -> String {
    let end = (0..=max.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text[..end.unwrap_or(0)].to_owned()
}
