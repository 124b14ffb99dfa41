//! The rules that let agents have Waypost run what a gate waits for, without asking the user.

use jsonc_parser::cst::CstInputValue;

use waypost_app::documents::document::{remove_if_bare, text, texts};
use waypost_app::error::AppError;
use waypost_app::harness::{Rewriting, is_program};

use super::super::permissions::Permissions;
use super::{Settings, Shape};

const PERMISSIONS: &str = "permissions";
const ALLOWED: &str = "allow";

/// What a file has of permissions of its own.
#[derive(Debug, Default)]
pub(super) struct AllowedShape {
    is_there: bool,
    has_list: bool,
    allowed: Vec<String>,
}

impl Settings {
    /// Lets agents run these commands, and no others.
    pub(in super::super) fn allow(&self, commands: &[String]) -> Result<(), AppError> {
        let known = self.allowed();
        let rules = commands.iter().map(|command| Permissions.rule(command));
        let new: Vec<String> = rules.filter(|rule| !known.contains(rule)).collect();
        if new.is_empty() {
            return Ok(());
        }
        let settings = self.document.top_or_new()?;
        self.document.refuse_twice(&settings, |name| name == PERMISSIONS)?;
        let permissions = settings.object_value_or_create(PERMISSIONS);
        let wrong = || self.document.wrong_type(PERMISSIONS, "an object");
        let permissions = permissions.ok_or_else(wrong)?;
        match permissions.get(ALLOWED) {
            None => {
                let rules = new.into_iter().map(CstInputValue::String).collect();
                permissions.append(ALLOWED, CstInputValue::Array(rules));
            }
            Some(property) => {
                let list = property.array_value();
                let wrong = || self.document.wrong_type(ALLOWED, "an array");
                let list = list.ok_or_else(wrong)?;
                for rule in new {
                    list.append(CstInputValue::String(rule));
                }
            }
        }
        Ok(())
    }

    /// Takes those rules out again, and what that leaves empty, unless `shape` has them.
    pub(in super::super) fn disallow(&self, shape: &Shape, exe: Option<&str>) {
        let Some(settings) = self.document.top() else { return };
        let Some(permissions) = settings.object_value(PERMISSIONS) else { return };
        let list = permissions.array_value(ALLOWED).map(|list| list.elements()).unwrap_or_default();
        let is_own = |rule: &str| {
            is_ours(rule, exe) && !shape.permissions.allowed.iter().any(|known| known == rule)
        };
        let own = list.into_iter().filter(|one| text(one).is_some_and(|rule| is_own(&rule)));
        let own: Vec<_> = own.collect();
        if own.is_empty() {
            return;
        }
        own.into_iter().for_each(jsonc_parser::cst::CstNode::remove);
        if !shape.permissions.has_list {
            remove_if_bare(permissions.get(ALLOWED));
        }
        if !shape.permissions.is_there {
            remove_if_bare(settings.get(PERMISSIONS));
        }
    }

    /// The rules that let something run.
    fn allowed(&self) -> Vec<String> {
        let settings = self.document.top();
        let permissions = settings.and_then(|settings| settings.object_value(PERMISSIONS));
        texts(permissions.and_then(|permissions| permissions.array_value(ALLOWED)))
    }

    /// What it has of permissions.
    pub(super) fn allowed_shape(&self) -> AllowedShape {
        let settings = self.document.top();
        let permissions = settings.and_then(|settings| settings.object_value(PERMISSIONS));
        AllowedShape {
            is_there: permissions.is_some(),
            has_list: permissions.is_some_and(|found| found.get(ALLOWED).is_some()),
            allowed: self.allowed(),
        }
    }
}

/// Whether a rule is for running what a gate waits for.
fn is_ours(rule: &str, exe: Option<&str>) -> bool {
    let command = rule.strip_prefix("Bash(").and_then(|rule| rule.strip_suffix(')'));
    let parts = command.and_then(|command| command.split_once(" run --gate "));
    parts.is_some_and(|(program, _)| is_program(program, exe))
}
