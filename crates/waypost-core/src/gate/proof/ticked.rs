//! The proof `ticked`: a log is there, and every must in its checklists is ticked off.

use serde::{Deserialize, Serialize};

use super::{Finding, FindingStatus};
use crate::gate::facts::Needs;
use crate::gate::input::GateInput;
use crate::next_step::NextStep;

/// A log whose checklists have no must left open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TickedProof {
    /// Which, relative to the project, with `*`, `?` and `**`.
    pub pattern: String,
}

impl TickedProof {
    pub(super) fn needs(&self, needs: &mut Needs) {
        needs.ticked.insert(self.pattern.clone());
    }

    pub(super) fn find(&self, input: &GateInput<'_>) -> Finding {
        let unmet =
            |status, why: String| Finding::new(status, why, NextStep::Tick(self.pattern.clone()));
        match input.facts.ticked.get(&self.pattern) {
            None => unmet(FindingStatus::Unknown, "the work tree was not looked at".to_owned()),
            Some(found) if found.is_empty() => {
                unmet(FindingStatus::Missing, format!("no file fits `{}`", self.pattern))
            }
            Some(found) => {
                let open = |(path, open): (&String, &Vec<String>)| {
                    (!open.is_empty()).then(|| format!("{path} leaves open: {}", open.join(", ")))
                };
                match found.iter().find_map(open) {
                    Some(why) => unmet(FindingStatus::Failed, why),
                    None => Finding::met("no MUST is left open"),
                }
            }
        }
    }
}

/// The musts that a Markdown log leaves open: rows of tables that say MUST and `[ ]`.
pub fn open_musts(log: &str) -> Vec<String> {
    let row = |line: &str| {
        let cells = cells(line)?;
        let level = cells.first()?.trim_matches('*');
        let open = cells.iter().any(|cell| cell == "[ ]");
        (open && level.eq_ignore_ascii_case("must")).then(|| cells.get(1).cloned())?
    };
    log.lines().filter_map(row).collect()
}

/// The cells of a table's row. A pipe inside code is none that parts cells.
fn cells(line: &str) -> Option<Vec<String>> {
    let line = line.trim().strip_prefix('|')?;
    let mut cells = vec![String::new()];
    let (mut code, mut escaped) = (false, false);
    for c in line.chars() {
        match c {
            '|' if !code && !escaped => cells.push(String::new()),
            c => {
                code ^= c == '`';
                cells.last_mut()?.push(c);
            }
        }
        escaped = c == '\\' && !escaped;
    }
    Some(cells.iter().map(|cell| cell.trim().to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::open_musts;

    #[test]
    fn a_row_that_says_must_and_is_not_ticked_is_open() {
        let log = "\
| Req | Step | FindingStatus | Evidence |
|-----|------|--------|----------|
| MUST | Read `.agents/HANDOFF.md` | [x] | done |
| **MUST** | Run `a | b` | [ ] | |
| SHOULD | Search memories | [ ] | |
| MUST NOT | Edit `x` | [ ] | |
- [ ] MUST nothing: this is no table
| MUST | Commit | [N/A] | |
";
        assert_eq!(open_musts(log), ["Run `a | b`"]);
    }
}
