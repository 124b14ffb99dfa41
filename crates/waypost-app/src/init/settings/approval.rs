//! Which servers of `.mcp.json` a client may start: the user's word on Waypost's.

use jsonc_parser::cst::CstInputValue;

use super::{Settings, Shape};
use crate::document::{remove_if_bare, text, texts};
use crate::error::AppError;
use crate::init::servers::NAME;

const ALL: &str = "enableAllProjectMcpServers";
const APPROVED: &str = "enabledMcpjsonServers";
const REFUSED: &str = "disabledMcpjsonServers";

/// What a settings file says about Waypost's server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Approval {
    /// Whether it names the server among those that may be started.
    pub(crate) is_approved: bool,
    /// Whether it lets all servers of the project start, or not.
    pub(crate) all: Option<bool>,
    /// Whether it names the server among those that may not.
    pub(crate) is_refused: bool,
}

impl Settings {
    /// What it says about Waypost's server.
    pub(crate) fn approval(&self) -> Approval {
        let names = |list: &str| {
            let list = self.document.top().and_then(|settings| settings.array_value(list));
            texts(list).iter().any(|name| name == NAME)
        };
        Approval { is_approved: names(APPROVED), all: self.flag(ALL), is_refused: names(REFUSED) }
    }

    /// Lets the client start Waypost's server, unless the user has decided that already.
    pub(in crate::init) fn approve(&self) -> Result<(), AppError> {
        let said = self.approval();
        if said.is_approved || said.is_refused || said.all == Some(true) {
            return Ok(());
        }
        let settings = self.document.top_or_new()?;
        self.document.refuse_twice(&settings, |name| name == APPROVED)?;
        match settings.get(APPROVED) {
            None => drop(settings.append(APPROVED, CstInputValue::Array(vec![NAME.into()]))),
            Some(property) => {
                let list = property.array_value();
                let wrong_type = || self.document.wrong_type(APPROVED, "an array");
                list.ok_or_else(wrong_type)?.append(NAME.into());
            }
        }
        Ok(())
    }

    /// Takes the approval out, and the list if that leaves it empty, unless `shape` has them.
    pub(in crate::init) fn disapprove(&self, shape: &Shape) {
        let Some(settings) = self.document.top().filter(|_| !shape.is_approved) else {
            return;
        };
        let list = settings.array_value(APPROVED).map(|list| list.elements()).unwrap_or_default();
        let own = list.into_iter().filter(|element| text(element).as_deref() == Some(NAME));
        let own: Vec<_> = own.collect();
        if own.is_empty() {
            return;
        }
        own.into_iter().for_each(jsonc_parser::cst::CstNode::remove);
        if !shape.has_approvals {
            remove_if_bare(settings.get(APPROVED));
        }
    }

    /// Whether it has a list of servers that may be started.
    pub(super) fn has_approvals(&self) -> bool {
        self.document.top().is_some_and(|settings| settings.get(APPROVED).is_some())
    }
}
