//! Which servers of `.mcp.json` a client may start: the user's word on Waypost's.

use jsonc_parser::cst::CstInputValue;

use waypost_app::documents::document::{remove_if_bare, text, texts};
use waypost_app::error::AppError;
use waypost_app::harness::{Approval, SERVER};

use super::{FACTS, Settings, Shape};

const ALL: &str = "enableAllProjectMcpServers";
const APPROVED: &str = "enabledMcpjsonServers";

impl Settings {
    /// What it says about Waypost's server.
    pub(in super::super) fn approval(&self) -> Approval {
        let names = |list: &str| {
            let list = self.document.top().and_then(|settings| settings.array_value(list));
            texts(list).iter().any(|name| name == SERVER)
        };
        Approval {
            is_approved: names(APPROVED),
            all: self.flag(ALL),
            is_refused: names(FACTS.words.servers_off),
        }
    }

    /// Lets the client start Waypost's server, unless the user has decided that already.
    pub(in super::super) fn approve(&self) -> Result<(), AppError> {
        let said = self.approval();
        if said.is_approved || said.is_refused || said.all == Some(true) {
            return Ok(());
        }
        let settings = self.document.top_or_new()?;
        self.document.refuse_twice(&settings, |name| name == APPROVED)?;
        match settings.get(APPROVED) {
            None => drop(settings.append(APPROVED, CstInputValue::Array(vec![SERVER.into()]))),
            Some(property) => {
                let list = property.array_value();
                let wrong_type = || self.document.wrong_type(APPROVED, "an array");
                list.ok_or_else(wrong_type)?.append(SERVER.into());
            }
        }
        Ok(())
    }

    /// Takes the approval out, and the list if that leaves it empty, unless `shape` has them.
    pub(in super::super) fn disapprove(&self, shape: &Shape) {
        let Some(settings) = self.document.top().filter(|_| !shape.is_approved) else {
            return;
        };
        let list = settings.array_value(APPROVED).map(|list| list.elements()).unwrap_or_default();
        let own = list.into_iter().filter(|element| text(element).as_deref() == Some(SERVER));
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
