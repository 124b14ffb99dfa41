//! The keys that sign records and state, and the message authentication codes made with them.
//!
//! A MAC tells damage and casual edits apart from what Waypost wrote. It is no protection against
//! somebody who can read the key file, such as another program of the same user.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// The shortest secret that is accepted from the environment, in characters.
pub const MIN_SECRET_CHARS: usize = 32;

const FILE_TAG: &str = "waypost-key-v1";

/// How long a key's id is.
const ID_CHARS: usize = 16;

/// A secret with the id that is derived from it.
#[derive(Clone)]
pub struct Key {
    id: String,
    secret: Vec<u8>,
}

/// What is wrong with a key or a key file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// A secret given by a person is too short.
    #[error("the secret has {found} characters; at least {MIN_SECRET_CHARS} are needed")]
    TooShort {
        /// How many characters it has.
        found: usize,
    },
    /// The key file holds no key.
    #[error("the key file is empty")]
    Empty,
    /// A line of the key file is not what Waypost wrote.
    #[error("line {line} of the key file is damaged")]
    Damaged {
        /// Which line, from 1.
        line: usize,
    },
}

impl Key {
    /// The key for a secret that a person chose.
    pub fn from_secret(secret: &str) -> Result<Self, KeyError> {
        let found = secret.chars().count();
        if found < MIN_SECRET_CHARS {
            return Err(KeyError::TooShort { found });
        }
        Ok(Self::from_bytes(secret.as_bytes().to_vec()))
    }

    /// The key for random bytes.
    pub fn from_bytes(secret: Vec<u8>) -> Self {
        let digest =
            Sha256::new().chain_update(b"waypost-key-id\0").chain_update(&secret).finalize();
        Self { id: hex(&digest[..ID_CHARS / 2]), secret }
    }

    /// A short name for the key that says nothing about the secret.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Signs `parts` for one purpose: `hmac-sha256:<key id>:<hex>`.
    pub fn sign(&self, purpose: &str, parts: &[&[u8]]) -> String {
        let code = self.mac(purpose, parts).finalize().into_bytes();
        format!("hmac-sha256:{}:{}", self.id, hex(&code))
    }

    fn mac(&self, purpose: &str, parts: &[&[u8]]) -> Hmac<Sha256> {
        // HMAC takes keys of any length, so this cannot fail; an empty key would only be weak.
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.secret)
            .unwrap_or_else(|_| unreachable!("HMAC accepts keys of every length"));
        mac.update(purpose.as_bytes());
        mac.update(b"\0");
        mac.update(self.id.as_bytes());
        for part in parts {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac
    }

    fn to_line(&self) -> String {
        format!("{FILE_TAG} {} {}\n", self.id, hex(&self.secret))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.id)
    }
}

/// Why a signature was not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// It is not of the form `hmac-sha256:<key id>:<hex>`.
    #[error("the signature is not of the form hmac-sha256:<key id>:<hex>")]
    Malformed,
    /// It was made with a key that is not in the keyring.
    #[error("it is signed with key {0}, which is not in the keyring")]
    UnknownKey(String),
    /// It does not fit what it signs.
    #[error("the signature does not fit the content")]
    Wrong,
}

/// All keys that signatures are accepted from; the first one signs.
#[derive(Debug, Clone)]
pub struct Keyring {
    keys: Vec<Key>,
}

impl Keyring {
    /// A keyring of one key.
    pub fn new(current: Key) -> Self {
        Self { keys: vec![current] }
    }

    /// Puts `key` in front, so that it signs from now on; the others still verify.
    pub fn make_current(&mut self, key: Key) {
        self.keys.retain(|known| known.id != key.id);
        self.keys.insert(0, key);
    }

    /// Adds a key that signatures are accepted from; it signs nothing. Whether it was new.
    pub fn accept(&mut self, key: Key) -> bool {
        let new = self.keys.iter().all(|known| known.id != key.id);
        if new {
            self.keys.push(key);
        }
        new
    }

    /// All keys, the one that signs first.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// The key that signs.
    pub fn current(&self) -> &Key {
        &self.keys[0]
    }

    /// Checks a signature made by [`Key::sign`], in constant time.
    pub fn verify(
        &self,
        signature: &str,
        purpose: &str,
        parts: &[&[u8]],
    ) -> Result<(), SignatureError> {
        let (id, code) = signature
            .strip_prefix("hmac-sha256:")
            .and_then(|rest| rest.split_once(':'))
            .ok_or(SignatureError::Malformed)?;
        let code = unhex(code).ok_or(SignatureError::Malformed)?;
        let key = self.keys.iter().find(|key| key.id == id).ok_or_else(|| Self::without(id))?;
        key.mac(purpose, parts).verify_slice(&code).map_err(|_| SignatureError::Wrong)
    }

    /// What is wrong with a signature whose key is not there. What no key can be called is damage, and no key
    /// that somebody could bring.
    fn without(id: &str) -> SignatureError {
        if id.len() == ID_CHARS && unhex(id).is_some() {
            return SignatureError::UnknownKey(id.to_owned());
        }
        SignatureError::Malformed
    }

    /// The key file's content.
    pub fn to_file(&self) -> String {
        self.keys.iter().map(Key::to_line).collect()
    }

    /// Reads a key file. Every byte counts: what is not exactly as written is damage.
    pub fn from_file(content: &[u8]) -> Result<Self, KeyError> {
        let mut keys = Vec::new();
        for (index, line) in content.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let damaged = KeyError::Damaged { line: index + 1 };
            let text = std::str::from_utf8(line).map_err(|_| damaged.clone())?;
            let secret = text
                .rsplit_once(' ')
                .and_then(|(_, secret)| unhex(secret.trim_end()))
                .ok_or(damaged)?;
            let key = Key::from_bytes(secret);
            if key.to_line() != text {
                return Err(KeyError::Damaged { line: index + 1 });
            }
            keys.push(key);
        }
        if keys.is_empty() {
            return Err(KeyError::Empty);
        }
        Ok(Self { keys })
    }
}

/// Whether a text is the HMAC-SHA256 of a message with a secret, in hexadecimal digits. Compared in constant time.
pub fn verify_hmac_hex(secret: &[u8], message: &[u8], told: &str) -> bool {
    let (Ok(mut mac), Some(told)) = (Hmac::<Sha256>::new_from_slice(secret), unhex(told)) else {
        return false;
    };
    mac.update(message);
    mac.verify_slice(&told).is_ok()
}

/// SHA-256 of the parts, one after the other, in lower-case hex.
pub fn sha256_hex(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hex(&hasher.finalize())
}

/// Lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

/// Reads lower-case hex; anything else is `None`.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    fn digit(byte: u8) -> Option<u8> {
        match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        }
    }
    let bytes = text.as_bytes();
    if !bytes.len().is_multiple_of(2) {
        return None;
    }
    bytes.chunks_exact(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring() -> Keyring {
        let mut ring = Keyring::new(Key::from_bytes(vec![7; 32]));
        ring.make_current(Key::from_bytes(vec![9; 32]));
        ring
    }

    #[test]
    fn a_key_file_reads_back_and_every_flipped_bit_is_noticed() {
        let file = ring().to_file();
        assert_eq!(Keyring::from_file(file.as_bytes()).unwrap().to_file(), file);
        for byte in 0..file.len() {
            for bit in 0..8 {
                let mut flipped = file.clone().into_bytes();
                flipped[byte] ^= 1 << bit;
                assert!(Keyring::from_file(&flipped).is_err(), "byte {byte} bit {bit}");
            }
        }
    }

    #[test]
    fn an_older_key_still_verifies_and_a_foreign_one_does_not() {
        let old = Key::from_bytes(vec![7; 32]).sign("test", &[b"content"]);
        assert_eq!(ring().verify(&old, "test", &[b"content"]), Ok(()));
        assert_eq!(ring().verify(&old, "other", &[b"content"]), Err(SignatureError::Wrong));
        assert_eq!(ring().verify(&old, "test", &[b"con", b"tent"]), Err(SignatureError::Wrong));
        let foreign = Key::from_bytes(vec![1; 32]).sign("test", &[b"content"]);
        assert!(matches!(
            ring().verify(&foreign, "test", &[b"content"]),
            Err(SignatureError::UnknownKey(_))
        ));
        let id = Key::from_bytes(vec![7; 32]).id().to_owned();
        for broken in ["", "x", &id[1..], &id.replace(&id[..1], "'"), &id.to_uppercase()] {
            let signature = old.replace(&id, broken);
            let found = ring().verify(&signature, "test", &[b"content"]);
            assert_eq!(found, Err(SignatureError::Malformed), "`{broken}` is no key's id");
        }
    }

    #[test]
    fn a_secret_of_31_characters_is_refused() {
        assert_eq!(
            Key::from_secret(&"x".repeat(31)).unwrap_err(),
            KeyError::TooShort { found: 31 }
        );
        assert!(Key::from_secret(&"ä".repeat(32)).is_ok());
    }
}
