//! What somebody would approve, told before they do: every screen and page shows this text, and the approval says by its
//! hash which text that was.

use std::path::PathBuf;

use serde::Serialize;
use waypost_core::gate::{FindingStatus, Scope};
use waypost_core::id::SessionId;
use waypost_core::key::sha256_hex;
use waypost_core::standing::ShownGate;
use waypost_core::text::one_line;
use waypost_core::text::spoken::long;

use super::gates::{self, Reach, Say};
use crate::error::AppError;
use crate::view::View;

/// A gate that may be approved.
#[derive(Debug, Clone, Serialize)]
pub struct Offer {
    /// The gate.
    #[serde(flatten)]
    pub gate: ShownGate,
    /// How far an approval would reach, in words.
    pub approved: String,
    /// Whether it has to be signed with the approver's own key.
    pub signed: bool,
    /// The session.
    pub session: SessionId,
    /// What that is for.
    pub objective: Option<String>,
    /// The work tree.
    pub root: PathBuf,
    /// Whether it held something and waits for just this.
    pub asked: bool,
}

/// The gates of a session that may be approved: those that are open and due, and first those that are `asked` for.
pub fn offers(
    view: &View<'_>,
    session: &SessionId,
    asked: &[String],
) -> Result<Vec<Offer>, AppError> {
    let (session, found) = gates::check(view, Some(session.as_str()), None)?;
    let objective = view.glance(&session)?.objective.clone();
    let say = Say { session: Some(session.as_str()), ..Say::default() };
    let open = found.into_iter().filter(|gate| gate.status != FindingStatus::Met);
    // What somebody can say nothing about is not asked about.
    let offered = open.filter_map(|gate| {
        let asked = asked.contains(&gate.gate);
        let reach = (gate.due || asked).then(|| gates::reach(view, &gate.gate, &say).ok())??;
        Some(Offer {
            gate,
            approved: told(&reach),
            signed: reach.signed,
            session: session.clone(),
            objective: objective.clone(),
            root: view.project.root.clone(),
            asked,
        })
    });
    let mut offers: Vec<Offer> = offered.collect();
    offers.sort_by_key(|offer| !offer.asked);
    Ok(offers)
}

impl Offer {
    /// Exactly what would be approved.
    pub fn text(&self) -> String {
        let Self { gate, approved, session, .. } = self;
        let before: Vec<String> = gate.before.iter().map(ToString::to_string).collect();
        let objective = self.objective.as_deref().map(one_line).unwrap_or_default();
        let mut lines = vec![
            format!("gate      {} ({}), before {}", gate.gate, gate.level, before.join(", ")),
            format!("asks      {}", one_line(&gate.message)),
            format!("now       {}", one_line(&gate.why)),
            format!("written   {}", gate.source),
            format!("session   {session}  {objective}"),
            format!("folder    {}", self.root.display()),
            format!("approved  {approved}"),
        ];
        if self.signed {
            lines.push("          signed with your own key".to_owned());
        }
        lines.join("\n")
    }

    /// The hash of that.
    pub fn hash(&self) -> String {
        sha256_hex(&[self.text().as_bytes()])
    }
}

/// How far an approval reaches, in words.
fn told(reach: &Reach) -> String {
    if let Some(ttl) = reach.ttl {
        return format!("for {}", long(ttl));
    }
    if reach.content {
        return "for the content of now; the next change asks again".to_owned();
    }
    match reach.scope {
        Scope::Session => "for this session, until it is cleared".to_owned(),
        Scope::Conversation => "for the conversation at work, until it is cleared".to_owned(),
        Scope::SingleUse => "for the next time only".to_owned(),
        Scope::Branch => "for the branch that is checked out, until it is cleared".to_owned(),
        Scope::Permanent => "everywhere in the project, until it is cleared".to_owned(),
    }
}
