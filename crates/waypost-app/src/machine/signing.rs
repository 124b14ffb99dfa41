//! Signing what a human approves: an Ed25519 key in a file that only a passphrase opens.
//!
//! Whoever knows the passphrase can sign; a program of the same user that can merely read the file
//! cannot. Nobody is asked for anything here, nothing secret outlives a call, and the hook never
//! comes this way: opening a key costs a good part of a second on purpose.
//!
//! What is signed is the message alone, as any Ed25519 program would, so the message itself has to
//! say what it is for.

mod file;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use waypost_core::evidence::Mark;
use waypost_core::key::{hex, unhex};
use waypost_store::{files, look};
use zeroize::Zeroizing;

use crate::error::AppError;
use file::{Cost, KeyFile, KeyFileError};

/// The shortest passphrase that is accepted, in characters.
pub const MIN_PASSPHRASE_CHARS: usize = 8;

const MAX_KEY_FILE: u64 = 4 * 1024;
const SCHEME: &str = "ed25519:";

/// The key that approvals are verified with. As text, it is 64 hex digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

/// Why a signature, or a public key, was not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SigningError {
    /// It is not of the form `ed25519:<public key>:<signature>`.
    #[error("the signature is not of the form ed25519:<public key>:<signature>")]
    Malformed,
    /// It is not 64 hex digits of a key that is safe to use.
    #[error("this is no public key: 64 hex digits of an Ed25519 key are needed")]
    NoKey,
    /// It names another key.
    #[error("it is signed with the key {0}, not with the one that is expected")]
    OtherKey(String),
    /// It does not fit what it signs.
    #[error("the signature does not fit the content")]
    Wrong,
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(self.0.as_bytes()))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

impl FromStr for PublicKey {
    type Err = SigningError;

    fn from_str(text: &str) -> Result<Self, SigningError> {
        let bytes: [u8; 32] =
            unhex(text).and_then(|bytes| bytes.try_into().ok()).ok_or(SigningError::NoKey)?;
        let key = VerifyingKey::from_bytes(&bytes).map_err(|_| SigningError::NoKey)?;
        // A key has one name, and with a weak one a signature could fit more than one message.
        if key.is_weak() || key.to_edwards().compress().to_bytes() != bytes {
            return Err(SigningError::NoKey);
        }
        Ok(Self(key))
    }
}

/// Refuses a passphrase that is too short.
pub fn acceptable(passphrase: &str) -> Result<(), AppError> {
    let found = passphrase.chars().count();
    if found >= MIN_PASSPHRASE_CHARS {
        return Ok(());
    }
    Err(AppError::refused(format!(
        "the passphrase has {found} characters; at least {MIN_PASSPHRASE_CHARS} are needed"
    ))
    .hint("a few words that do not belong together are long, and easy to remember"))
}

/// Makes a key file. One that is there is never replaced.
pub fn create(path: &Path, passphrase: &str) -> Result<PublicKey, AppError> {
    create_at_cost(path, passphrase, Cost::USUAL)
}

/// The same at another cost of guessing passphrases.
pub(crate) fn create_at_cost(
    path: &Path,
    passphrase: &str,
    cost: Cost,
) -> Result<PublicKey, AppError> {
    acceptable(passphrase)?;
    if look::link(path).is_ok() {
        return Err(there_already(path));
    }
    let secret = SigningKey::from_bytes(&*random::<32>()?);
    let sealed = KeyFile::seal(&secret, passphrase, cost, *random()?, *random()?)
        .map_err(|error| not_opened(path, error))?;
    if !files::create_own(path, sealed.to_text().as_bytes())? {
        return Err(there_already(path));
    }
    Ok(sealed.public)
}

/// The public part of the key in a file; `None` if there is no file. Needs no passphrase.
pub fn public(path: &Path) -> Result<Option<PublicKey>, AppError> {
    Ok(load(path)?.map(|file| file.public))
}

/// Signs a message: `ed25519:<public key>:<signature>`.
pub fn sign(path: &Path, passphrase: &str, message: &[u8]) -> Result<String, AppError> {
    let file = load(path)?.ok_or_else(|| {
        AppError::refused(format!("there is no approval key at {}", path.display()))
            .hint("approvals can be signed once the user has made one, in a terminal")
    })?;
    let secret = file.open(passphrase).map_err(|error| not_opened(path, error))?;
    let signature = secret.sign(message).to_bytes();
    Ok(format!("{SCHEME}{}:{}", file.public, hex(&signature)))
}

/// Checks a signature made by [`sign`] with this very key.
pub fn verify(public: &PublicKey, message: &[u8], signature: &str) -> Result<(), SigningError> {
    let (named, signature) = signature
        .strip_prefix(SCHEME)
        .and_then(|rest| rest.split_once(':'))
        .ok_or(SigningError::Malformed)?;
    let named: PublicKey = named.parse().map_err(|_| SigningError::Malformed)?;
    let signature: [u8; 64] =
        unhex(signature).and_then(|bytes| bytes.try_into().ok()).ok_or(SigningError::Malformed)?;
    if named != *public {
        return Err(SigningError::OtherKey(named.to_string()));
    }
    let signature = Signature::from_bytes(&signature);
    public.0.verify_strict(message, &signature).map_err(|_| SigningError::Wrong)
}

/// Whether a mark that was found in `stream` bears a signature that fits it, of the key it names.
pub fn holds(stream: &str, mark: &Mark) -> bool {
    let Some(signature) = mark.signature.as_deref() else { return false };
    let named = signature.strip_prefix(SCHEME).and_then(|rest| rest.split(':').next());
    let public = named.and_then(|named| named.parse().ok());
    public.is_some_and(|public| verify(&public, &mark.message(stream), signature).is_ok())
}

fn load(path: &Path) -> Result<Option<KeyFile>, AppError> {
    let Some(content) = files::read_own(path, MAX_KEY_FILE)? else {
        return Ok(None);
    };
    let damaged = || {
        let what = "is damaged, or is not an approval key that this version knows";
        AppError::integrity(format!("{} {what}", path.display()))
            .hint("restore it from a backup, or put it aside and make another key")
    };
    KeyFile::from_bytes(&content).map(Some).ok_or_else(damaged)
}

fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>, AppError> {
    let mut bytes = Zeroizing::new([0; N]);
    getrandom::fill(&mut *bytes).map_err(|error| {
        AppError::refused(format!("the system gives no randomness: {error}")).because(error)
    })?;
    Ok(bytes)
}

fn there_already(path: &Path) -> AppError {
    AppError::refused(format!("there is something at {} already", path.display()))
        .hint("an approval key is never replaced: go on with it, or put it aside first")
}

fn not_opened(path: &Path, error: KeyFileError) -> AppError {
    let hint = match &error {
        KeyFileError::Passphrase => Some("nothing was signed; try again"),
        KeyFileError::Derivation(_) => None,
    };
    let refused = AppError::refused(format!("{}: {error}", path.display())).because(error);
    hint.into_iter().fold(refused, AppError::hint)
}

#[cfg(test)]
mod tests;
