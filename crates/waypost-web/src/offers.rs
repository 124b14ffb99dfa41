//! What could be approved, shown as it would be approved: the same on every page that offers it.

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::enforce::offer::{Offer, offers};
use waypost_app::view::View;
use waypost_core::id::SessionId;

use crate::parts::{Parts, code, text};

/// Something that could be approved.
#[derive(Debug, Serialize)]
pub(crate) struct Offered {
    #[serde(flatten)]
    pub(crate) offer: Offer,
    /// Exactly what would be approved.
    pub(crate) text: String,
    /// The hash of that.
    pub(crate) hash: String,
}

/// Where an approval is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) project: &'a str,
    pub(crate) worktree: &'a str,
    /// Where a browser goes once it is approved.
    pub(crate) back: &'a str,
}

/// What could be approved in a session. What cannot be looked at now is told by what else is shown of it.
pub(crate) fn offered(view: &View<'_>, session: &SessionId, asked: &[String]) -> Vec<Offered> {
    let found = offers(view, session, asked).unwrap_or_default();
    let offered = found.into_iter().map(|offer| {
        let (text, hash) = (offer.text(), offer.hash());
        Offered { offer, text, hash }
    });
    offered.collect()
}

/// The form that approves it, and whether what would be approved is told at once.
pub(crate) fn approval(
    offered: &Offered,
    place: Place<'_>,
    parts: &Parts<'_>,
    is_open: bool,
) -> Markup {
    let Offered { offer, text: shown, hash } = offered;
    html! {
        details.offer open[is_open] {
            summary { "Approve " (code(&offer.gate.gate)) }
            pre { (text(shown)) }
            @if offer.signed {
                p { "It has to be signed: run " (code(&format!("waypost gate approve {}", offer.gate.gate))) " in a terminal." }
            } @else {
                form method="post" action="/do/approve" {
                    input type="hidden" name="project" value=(place.project);
                    input type="hidden" name="worktree" value=(place.worktree);
                    input type="hidden" name="session" value=(offer.session);
                    input type="hidden" name="gate" value=(offer.gate.gate);
                    input type="hidden" name="shown" value=(hash);
                    input type="hidden" name="back" value=(place.back);
                    (parts.carried())
                    button type="submit" data-approve { "Approve exactly this" }
                }
            }
        }
    }
}
