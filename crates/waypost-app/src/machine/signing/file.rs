//! The approval key's file: one line, of which only the private key is secret.
//!
//! `waypost-approval-key-v1 <public key> argon2id:<KiB>:<passes>:<lanes> <salt> <nonce> <sealed>
//! <checksum>`, in hex where nothing else is said. The private key is sealed with XChaCha20-Poly1305
//! under a key that Argon2id derives from the passphrase. All that stands before the nonce is
//! sealed with it as associated data, so that no public key can be put before another's private
//! one. The checksum finds damage without the passphrase; it is no protection against a forger, who
//! could as well make a file of his own: what counts is which public key others have noted.

use argon2::{Algorithm, Argon2, Block, Params, Version};
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305};
use ed25519_dalek::SigningKey;
use waypost_core::key::{hex, sha256_hex, unhex};
use zeroize::Zeroizing;

use super::PublicKey;

const TAG: &str = "waypost-approval-key-v1";

/// What one guess at a passphrase costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cost {
    /// Memory in KiB.
    pub(crate) memory: u32,
    /// Passes over the memory.
    pub(crate) passes: u32,
    /// Lanes; they are filled one after the other here, so more of them only help a guesser.
    pub(crate) lanes: u32,
}

impl Cost {
    /// Three passes over 64 MiB: more than OWASP asks for at least (two over 19 MiB), the memory
    /// and passes of RFC 9106 for machines with little memory, and bearable for a human who waits.
    pub(crate) const USUAL: Self = Self { memory: 64 * 1024, passes: 3, lanes: 1 };

    /// Beyond this, a file would hold up its reader rather than a guesser.
    const MOST: Self = Self { memory: 1024 * 1024, passes: 16, lanes: 16 };

    fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.strip_prefix("argon2id:")?.split(':');
        let mut below = |most: u32| {
            numbers.next()?.parse().ok().filter(|number: &u32| (1..=most).contains(number))
        };
        Some(Self {
            memory: below(Self::MOST.memory)?,
            passes: below(Self::MOST.passes)?,
            lanes: below(Self::MOST.lanes)?,
        })
    }
}

/// Why a key file could not be sealed or opened.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeyFileError {
    /// It is not the passphrase that the file was sealed with.
    #[error("the passphrase is wrong")]
    Passphrase,
    /// No key could be derived from the passphrase.
    #[error("no key can be derived from the passphrase: {0}")]
    Derivation(#[from] argon2::Error),
}

/// What the file holds.
#[derive(Debug)]
pub(super) struct KeyFile {
    pub(super) public: PublicKey,
    cost: Cost,
    salt: [u8; 16],
    nonce: [u8; 24],
    sealed: [u8; 48],
}

impl KeyFile {
    /// Seals a private key. Salt and nonce have to be random.
    pub(super) fn seal(
        secret: &SigningKey,
        passphrase: &str,
        cost: Cost,
        salt: [u8; 16],
        nonce: [u8; 24],
    ) -> Result<Self, KeyFileError> {
        let public = PublicKey(secret.verifying_key());
        let mut file = Self { public, cost, salt, nonce, sealed: [0; 48] };
        let head = file.head();
        let payload = Payload { msg: secret.as_bytes(), aad: head.as_bytes() };
        let sealed = file.cipher(passphrase)?.encrypt((&file.nonce).into(), payload).ok();
        file.sealed = sealed
            .and_then(|sealed| sealed.try_into().ok())
            .unwrap_or_else(|| unreachable!("32 bytes are sealed in 48"));
        Ok(file)
    }

    /// The private key.
    pub(super) fn open(&self, passphrase: &str) -> Result<SigningKey, KeyFileError> {
        let head = self.head();
        let payload = Payload { msg: &self.sealed, aad: head.as_bytes() };
        let opened = self.cipher(passphrase)?.decrypt((&self.nonce).into(), payload);
        let opened = Zeroizing::new(opened.map_err(|_| KeyFileError::Passphrase)?);
        SigningKey::try_from(opened.as_slice())
            .ok()
            .filter(|secret| PublicKey(secret.verifying_key()) == self.public)
            .ok_or(KeyFileError::Passphrase)
    }

    /// The file's content.
    pub(super) fn to_text(&self) -> String {
        let body = format!("{} {} {}", self.head(), hex(&self.nonce), hex(&self.sealed));
        let checksum = sha256_hex(&[body.as_bytes()]);
        format!("{body} {checksum}\n")
    }

    /// Reads a key file. Every byte counts: what is not exactly as written is damage.
    pub(super) fn from_bytes(content: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(content).ok()?;
        let mut fields = text.split(' ').skip(1);
        let file = Self {
            public: fields.next()?.parse().ok()?,
            cost: Cost::parse(fields.next()?)?,
            salt: bytes(fields.next()?)?,
            nonce: bytes(fields.next()?)?,
            sealed: bytes(fields.next()?)?,
        };
        (file.to_text() == text).then_some(file)
    }

    /// What anybody may read, and what is bound to the private key.
    fn head(&self) -> String {
        let Cost { memory, passes, lanes } = self.cost;
        let salt = hex(&self.salt);
        format!("{TAG} {} argon2id:{memory}:{passes}:{lanes} {salt}", self.public)
    }

    fn cipher(&self, passphrase: &str) -> Result<XChaCha20Poly1305, argon2::Error> {
        let Cost { memory, passes, lanes } = self.cost;
        let params = Params::new(memory, passes, lanes, Some(32))?;
        // Memory of our own, because the library does not wipe what it takes itself.
        let mut blocks = Zeroizing::new(Vec::new());
        let count = params.block_count();
        blocks.try_reserve_exact(count).map_err(|_| argon2::Error::OutOfMemory)?;
        blocks.resize(count, Block::new());
        let mut key = Zeroizing::new([0; 32]);
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params).hash_password_into_with_memory(
            passphrase.as_bytes(),
            &self.salt,
            &mut *key,
            &mut *blocks,
        )?;
        Ok(XChaCha20Poly1305::new((&*key).into()))
    }
}

fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    unhex(text)?.try_into().ok()
}
