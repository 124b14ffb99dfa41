//! What only a human can do about keys: accept another one, accept a copy by its hash, make a new
//! one sign.

use waypost_core::command::{Command, ProjectCommand, Refusal};
use waypost_core::id::{SessionId, StreamId};
use waypost_core::key::{Key, Keyring};
use waypost_core::loss::Loss;
use waypost_core::next_step::{Mend, NextStep, amid, to};
use waypost_core::record::Position;
use waypost_core::session::SessionState;
use waypost_store::{Standing, keys};

use crate::error::AppError;
use crate::machine::host::Host;
use crate::share::repair;
use crate::telemetry;
use crate::view::View;
use crate::view::copy::{self, Kept};
use crate::view::human;
use crate::view::policy;

/// A key as people see it: never its secret.
#[derive(Debug, serde::Serialize)]
pub struct KeyInfo {
    /// Its id.
    pub id: String,
    /// Whether it signs.
    pub signs: bool,
    /// Whether it comes from the environment.
    pub from_environment: bool,
}

/// The keys that signatures are accepted from.
pub fn list(host: &Host) -> Result<Vec<KeyInfo>, AppError> {
    let ring = host.keyring()?;
    let secret = host.secret.as_deref().and_then(|secret| Key::from_secret(secret).ok());
    let described = |(index, key): (usize, &Key)| KeyInfo {
        id: key.id().to_owned(),
        signs: index == 0,
        from_environment: secret.as_ref().is_some_and(|secret| secret.id() == key.id()),
    };
    Ok(ring.keys().iter().enumerate().map(described).collect())
}

/// The key file's line of the key that signs, to be taken to another machine.
pub fn exported(host: &Host) -> Result<String, AppError> {
    human::only(host, "exporting the key")?;
    Ok(Keyring::new(host.keyring()?.current().clone()).to_file())
}

/// Accepts signatures of another key from now on: a line of a key file, or a secret. Returns its id
/// and whether it was new.
pub fn accept_key(host: &Host, material: &str) -> Result<(String, bool), AppError> {
    human::only(host, "trusting a key")?;
    let text = material.trim();
    let key = match Keyring::from_file(format!("{text}\n").as_bytes()) {
        Ok(ring) => ring.current().clone(),
        Err(_) => Key::from_secret(text).map_err(|error| {
            AppError::refused(format!("this is no key: {error}")).because(error).hint(amid(
                "give a line that ",
                Mend::ExportKey,
                " printed elsewhere, or the secret",
            ))
        })?,
    };
    let id = key.id().to_owned();
    keys::create(&host.key_file())?;
    let new = change(host, |ring| ring.accept(key))?;
    Ok((id, new))
}

/// Makes a new key that signs from now on; what the others signed still verifies.
pub fn rotate(host: &Host) -> Result<String, AppError> {
    human::only(host, "rotating the key")?;
    if host.secret.is_some() {
        return Err(AppError::refused("the key that signs comes from the environment")
            .hint(to("change WAYPOST_SESSION_SECRET, and accept the old one", Mend::TrustKey)));
    }
    let key = Key::from_bytes(host.random::<32>()?.to_vec());
    let id = key.id().to_owned();
    change(host, |ring| ring.make_current(key))?;
    Ok(id)
}

/// Accepts a published copy exactly as it is, whoever signed it.
pub fn accept_copy(view: &View<'_>, named: &str) -> Result<(SessionId, Position), AppError> {
    human::only(view.host, "trusting a copy")?;
    let id = view.id_by_prefix(named)?;
    let copy = copy::of(view, &id)?
        .ok_or_else(|| AppError::refused(format!("session {id} has no published copy here")))?;
    let position = match (copy.kept, copy.position) {
        (Kept::Unverified, Some(position)) => position,
        (Kept::Damaged, _) => {
            return Err(AppError::refused(format!(
                "session {id}: {}",
                copy.remark.unwrap_or_default()
            ))
            .hint("a copy that was changed cannot be accepted: get it back from git"));
        }
        _ => {
            return Err(AppError::refused(format!("the copy of session {id} needs no trust"))
                .hint(to("go on in it", NextStep::Resume(id))));
        }
    };
    let trusted = ProjectCommand::TrustCopy {
        session: id.clone(),
        records: position.seq,
        head: position.hash.clone(),
    };
    view.execute_for_project(&view.actor(), trusted)?;
    view.log.trust(&StreamId::Session(id.clone()), &position)?;
    Ok((id, position))
}

/// Something that was accepted, whoever signed it.
#[derive(Debug, serde::Serialize)]
pub struct Accepted {
    /// Which stream or copy.
    pub what: String,
    /// What the session is for.
    pub objective: Option<String>,
    /// The key that signed it, which is not known here.
    pub key: String,
    /// Up to which record.
    pub records: u64,
}

/// Accepts everything of this project that is signed with keys that are not known here, exactly as it
/// is now. Returns what was accepted.
pub fn accept_all(view: &View<'_>) -> Result<Vec<Accepted>, AppError> {
    human::only(view.host, "trusting copies")?;
    let mut accepted = Vec::new();
    let mut streams = vec![StreamId::Project];
    streams.extend(view.log.sessions()?.into_iter().map(StreamId::Session));
    for stream in streams {
        let path = view.log.place(&stream);
        let Some(bytes) = view.log.raw(&stream)? else { continue };
        if let Standing::Unverified { key, position, records } =
            view.log.check_copy(&stream, &path, &bytes)?
        {
            view.log.trust(&stream, &position)?;
            view.changed(&stream);
            let objective = SessionState::fold(&records).objective;
            let what = repair::name_of(&stream);
            accepted.push(Accepted { what, objective, key, records: position.seq });
        }
    }
    for id in copy::ids(view) {
        let Some(copy) = copy::of(view, &id)?.filter(|copy| copy.kept == Kept::Unverified) else {
            continue;
        };
        let (id, position) = accept_copy(view, id.as_str())?;
        let objective = SessionState::fold(&copy.records).objective;
        let (what, key) = (format!("copy of {id}"), copy.key.unwrap_or_default());
        accepted.push(Accepted { what, objective, key, records: position.seq });
    }
    Ok(accepted)
}

/// Accepts that records of a stream are lost: a session's, or the project's. Returns which.
pub fn accept_loss(view: &View<'_>, named: &str) -> Result<(StreamId, Loss), AppError> {
    human::only(view.host, "accepting a loss")?;
    let stream = repair::stream(view, named)?;
    let nothing = || AppError::from(Refusal::NothingLost);
    let loss = match &stream {
        StreamId::Project => {
            let loss = view.project_state()?.loss.ok_or_else(nothing)?;
            view.execute_for_project(&view.actor(), ProjectCommand::AcceptLoss)?;
            loss
        }
        StreamId::Session(id) => {
            let loss = view.load(id)?.loss.ok_or_else(nothing)?;
            view.execute(id, &view.actor(), Command::AcceptLoss)?;
            loss
        }
    };
    Ok((stream, loss))
}

/// Lets commands be run that the project's configuration names, as long as the file stays as it is.
/// Returns its hash.
pub fn accept_config(view: &View<'_>) -> Result<String, AppError> {
    human::at_terminal(view.host, &view.registry(), "trusting a configuration")?;
    let sources = view.sources();
    if let Some(error) = &sources.error {
        return Err(error.clone());
    }
    let sha256 = sources.config.sha256.clone().ok_or_else(|| {
        AppError::refused("this checkout has no waypost.toml").hint(to("make one", Mend::SetUp))
    })?;
    trust_config(view, sha256.clone())?;
    // What may be run is part of the gates.
    let anew = View::with(view.host, view.project.clone(), view.host.keyring()?);
    policy::compile(&anew, None, true)?;
    Ok(sha256)
}

/// Lets commands be run that a file of this hash names.
pub(crate) fn trust_config(view: &View<'_>, sha256: String) -> Result<(), AppError> {
    if view.project_state()?.trusted_config.as_ref() == Some(&sha256) {
        return Ok(());
    }
    view.execute_for_project(&view.actor(), ProjectCommand::TrustConfig { sha256 })?;
    // Where this cannot be noted, it is worked out from the record when something is sent.
    let _ = telemetry::begin(view);
    Ok(())
}

fn change<T>(host: &Host, change: impl FnOnce(&mut Keyring) -> T) -> Result<T, AppError> {
    Ok(keys::change(&host.key_file(), host.patience, change)?)
}
