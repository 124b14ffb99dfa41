//! Keys that are made, used, damaged and taken for others.

use super::*;
use crate::error::Kind;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

const PASSPHRASE: &str = "correct horse battery";
const CHEAP: Cost = Cost { memory: 8, passes: 1, lanes: 1 };

/// A folder with a key that is quick to open.
fn with_key() -> (tempfile::TempDir, PathBuf, PublicKey) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/approval-key");
    let public = create_at_cost(&path, PASSPHRASE, CHEAP).unwrap();
    (folder, path, public)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn what_is_signed_verifies_and_nothing_else_does() {
    let (_folder, path, key) = with_key();
    let signature = sign(&path, PASSPHRASE, b"approve it").unwrap();
    assert!(signature.starts_with(&format!("ed25519:{key}:")));
    assert_eq!(verify(&key, b"approve it", &signature), Ok(()));
    assert_eq!(verify(&key, b"approve is", &signature), Err(SigningError::Wrong));
    assert_eq!(verify(&key, b"", &signature), Err(SigningError::Wrong));
    for byte in 0..signature.len() {
        for bit in 0..8 {
            let mut flipped = signature.clone().into_bytes();
            flipped[byte] ^= 1 << bit;
            let Ok(flipped) = String::from_utf8(flipped) else { continue };
            assert!(verify(&key, b"approve it", &flipped).is_err(), "byte {byte} bit {bit}");
        }
    }
}

#[test]
fn another_keys_signature_is_not_accepted_under_either_name() {
    let (_folder, path, key) = with_key();
    let (_other_folder, other_path, other) = with_key();
    assert_ne!(key, other);
    let foreign = sign(&other_path, PASSPHRASE, b"approve it").unwrap();
    let refused = Err(SigningError::OtherKey(other.to_string()));
    assert_eq!(verify(&key, b"approve it", &foreign), refused);
    let renamed = foreign.replace(&other.to_string(), &key.to_string());
    assert_eq!(verify(&key, b"approve it", &renamed), Err(SigningError::Wrong));
    let own = sign(&path, PASSPHRASE, b"approve it").unwrap();
    for malformed in ["", "ed25519:", &own[8..], &own.to_uppercase(), &format!("{own}\n")] {
        assert_eq!(verify(&key, b"approve it", malformed), Err(SigningError::Malformed));
    }
}

#[test]
fn a_wrong_passphrase_signs_nothing() {
    let (_folder, path, _) = with_key();
    for wrong in ["correct horse batterz", "correct horse battery ", ""] {
        let error = sign(&path, wrong, b"approve it").unwrap_err();
        assert_eq!(error.kind, Kind::Refused);
        assert!(error.message.ends_with("the passphrase is wrong"), "{error}");
    }
}

#[test]
fn a_short_passphrase_makes_no_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    let error = create(&path, "sevench").unwrap_err();
    assert_eq!(error.message, "the passphrase has 7 characters; at least 8 are needed");
    assert!(!path.exists());
    assert!(create_at_cost(&path, "äöüäöüäö", CHEAP).is_ok(), "characters count, not bytes");
}

#[test]
fn a_key_is_for_its_owner_only_and_never_replaced() {
    let (_folder, path, key) = with_key();
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    let before = fs::read(&path).unwrap();
    assert_eq!(create(&path, PASSPHRASE).unwrap_err().kind, Kind::Refused);
    assert_eq!(fs::read(&path).unwrap(), before);

    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    for error in [public(&path).unwrap_err(), sign(&path, PASSPHRASE, b"x").unwrap_err()] {
        assert!(error.message.contains("can be read or changed by others"), "{error}");
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(public(&path).unwrap(), Some(key));

    let link = path.with_file_name("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert!(public(&link).is_err(), "no link is followed");
    let dangling = path.with_file_name("dangling");
    std::os::unix::fs::symlink("/nowhere/at/all", &dangling).unwrap();
    assert!(create_at_cost(&dangling, PASSPHRASE, CHEAP).is_err(), "a link is not replaced either");
}

#[test]
fn without_a_file_there_is_no_key_and_nothing_is_signed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none/key");
    assert_eq!(public(&path).unwrap(), None);
    assert!(sign(&path, PASSPHRASE, b"x").unwrap_err().message.contains("no approval key"));
}

#[test]
fn every_flipped_bit_and_every_cut_of_the_file_is_damage_without_the_passphrase() {
    let (_folder, path, _) = with_key();
    let good = fs::read(&path).unwrap();
    let is_damage = |content: &[u8]| KeyFile::from_bytes(content).is_none();
    for byte in 0..good.len() {
        assert!(is_damage(&good[..byte]), "cut at {byte}");
        for bit in 0..8 {
            let mut flipped = good.clone();
            flipped[byte] ^= 1 << bit;
            assert!(is_damage(&flipped), "byte {byte} bit {bit}");
        }
    }
    assert!(is_damage(&[&good[..], b"\n"].concat()));
    assert!(!is_damage(&good));

    fs::write(&path, &good[1..]).unwrap();
    assert_eq!(public(&path).unwrap_err().kind, Kind::Integrity);
    assert_eq!(sign(&path, PASSPHRASE, b"x").unwrap_err().kind, Kind::Integrity);
}

#[test]
fn a_file_whose_parts_were_exchanged_with_a_fitting_checksum_does_not_open() {
    let (_folder, path, key) = with_key();
    let (_other_folder, other_path, other) = with_key();
    let forged = |from: &str, to: &str| {
        let text = fs::read_to_string(&path).unwrap().replace(from, to);
        let (body, _) = text.rsplit_once(' ').unwrap();
        let sum = waypost_core::key::sha256_hex(&[body.as_bytes()]);
        fs::write(&other_path, format!("{body} {sum}\n")).unwrap();
        sign(&other_path, PASSPHRASE, b"x").unwrap_err()
    };
    let exchanged = forged(&key.to_string(), &other.to_string());
    assert!(exchanged.message.ends_with("the passphrase is wrong"), "{exchanged}");
    let cheaper = forged("argon2id:8:1:1", "argon2id:9:1:1");
    assert!(cheaper.message.ends_with("the passphrase is wrong"), "{cheaper}");
    for greedy in ["argon2id:4194304:1:1", "argon2id:8:4000000:1", "argon2id:8:0:1"] {
        assert_eq!(forged("argon2id:8:1:1", greedy).kind, Kind::Integrity, "{greedy}");
    }
}

#[test]
fn the_file_names_the_usual_cost_and_holds_no_secret_in_the_clear() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    let key = create(&path, PASSPHRASE).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with(&format!("waypost-approval-key-v1 {key} argon2id:65536:3:1 ")));
    let secret = KeyFile::from_bytes(text.as_bytes()).unwrap().open(PASSPHRASE).unwrap();
    assert!(!text.contains(&hex(secret.as_bytes())) && !text.contains(PASSPHRASE));
}

#[test]
fn a_file_of_version_1_still_opens_and_signs_the_same() {
    let text = include_str!("../../../../../testdata/v1/approval-key");
    let file = KeyFile::from_bytes(text.as_bytes()).unwrap();
    // The first test vector of RFC 8032: the key, and its signature of nothing.
    let public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
    let signature = "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33\
                     bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b";
    assert_eq!(file.public.to_string(), public);
    let secret = file.open(PASSPHRASE).unwrap();
    assert_eq!(hex(&secret.sign(b"").to_bytes()), signature);
    let signature = format!("ed25519:{public}:{signature}");
    assert_eq!(verify(&file.public, b"", &signature), Ok(()));
    let again = KeyFile::seal(&secret, PASSPHRASE, CHEAP, [1; 16], [2; 24]).unwrap();
    assert_eq!(again.to_text(), text);
}

#[test]
fn weak_keys_and_second_names_of_keys_are_no_public_keys() {
    let zero = "00".repeat(32);
    let one = format!("01{}", "00".repeat(31));
    // The number p + 3 stands for 3, which has a name of its own.
    let unreduced = format!("f0{}7f", "ff".repeat(30));
    for text in ["", "xyz", &zero, &one, &unreduced, &"D7".repeat(32)] {
        assert_eq!(text.parse::<PublicKey>(), Err(SigningError::NoKey), "{text}");
    }
}
