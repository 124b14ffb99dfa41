//! What changing modes and owners would do to Waypost's files. To give their owner what the owner has
//! does nothing to them.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use waypost_core::shell::Attribute;
use waypost_store::look;

/// No more files than this are looked at.
const MAX_LOOKED: usize = 10_000;
const OWNERS: u32 = 0o700;
const OTHERS: u32 = 0o077;
const OTHERS_WRITING: u32 = 0o022;

/// The first file in `place` that would be worse off. `home` belongs to the user.
pub(super) fn harmed(attribute: &Attribute, place: &Path, home: &Path) -> Option<PathBuf> {
    let user = look::at(home).ok().map(|home| home.uid());
    let (mut left, mut looked) = (vec![place.to_owned()], 0);
    while let Some(path) = left.pop() {
        looked += 1;
        let Ok(file) = look::link(&path) else { continue };
        let is_harmless = match attribute {
            _ if file.is_symlink() => true,
            Attribute::Mode(mode) => keeps_mode(mode, &file),
            Attribute::Owner(owner) => keeps_owner(owner, &file, user),
        };
        if looked > MAX_LOOKED || !is_harmless {
            return Some(path);
        }
        if file.is_dir() {
            let entries = look::folder(&path).into_iter().flatten().flatten();
            left.extend(entries.map(|entry| entry.path()));
        }
    }
    None
}

/// Whether the owner keeps every right and nobody else gets one to what is private, or to write.
fn keeps_mode(asked: &str, file: &Metadata) -> bool {
    let old = file.mode();
    let Some(new) = changed(asked, old, file.is_dir()) else { return false };
    let gained = new & !old & OTHERS;
    let was_private = old & OTHERS == 0;
    old & OWNERS & !new == 0 && gained & OTHERS_WRITING == 0 && !(was_private && gained != 0)
}

/// The mode that `chmod` makes of another one; `None` if it cannot be told.
fn changed(asked: &str, old: u32, is_folder: bool) -> Option<u32> {
    if asked.starts_with(|c: char| c.is_ascii_digit()) {
        return u32::from_str_radix(asked, 8).ok();
    }
    asked.split(',').try_fold(old, |mode, clause| clause_changed(clause, mode, is_folder))
}

fn clause_changed(clause: &str, old: u32, is_folder: bool) -> Option<u32> {
    let at = clause.find(['+', '-', '='])?;
    let (who, rest) = clause.split_at(at);
    let mut whom = 0;
    for one in who.chars() {
        whom |= match one {
            'u' => 0o700,
            'g' => 0o070,
            'o' => 0o007,
            'a' => 0o777,
            _ => return None,
        };
    }
    whom = if who.is_empty() { 0o777 } else { whom };
    let (how, rights) = rest.split_at(1);
    let mut given = 0;
    for right in rights.chars() {
        given |= match right {
            'r' => 0o444,
            'w' => 0o222,
            'x' => 0o111,
            'X' if is_folder || old & 0o111 != 0 => 0o111,
            'X' | 's' | 't' => 0,
            _ => return None,
        };
    }
    given &= whom;
    Some(match how {
        "+" => old | given,
        "-" => old & !given,
        _ => (old & !whom) | given,
    })
}

/// Whether the file belongs to whom it is given.
fn keeps_owner(asked: &str, file: &Metadata, user: Option<u32>) -> bool {
    let (owner, group) = asked.split_once([':', '.']).unwrap_or((asked, ""));
    let is_own = user == Some(file.uid());
    let own = |name: &str, variables: &[&str]| {
        is_own && variables.contains(&name.trim_matches(['$', '{', '}']))
    };
    let is_user = owner.is_empty()
        || own(owner, &["USER", "UID", "LOGNAME", "EUID"])
        || owner.parse() == Ok(file.uid());
    let is_group =
        group.is_empty() || own(group, &["USER", "GROUPS"]) || group.parse() == Ok(file.gid());
    is_user && is_group
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_changed_as_chmod_does() {
        for (asked, old, is_folder, new) in [
            ("u+w", 0o644, false, Some(0o644)),
            ("+x", 0o644, false, Some(0o755)),
            ("-x", 0o755, false, Some(0o644)),
            ("755", 0o600, false, Some(0o755)),
            ("u+rwX,go-w", 0o666, false, Some(0o644)),
            ("a+rX", 0o600, true, Some(0o755)),
            ("go=", 0o644, false, Some(0o600)),
            ("u=rw", 0o700, false, Some(0o600)),
            ("g=u", 0o640, false, None),
            ("$MODE", 0o640, false, None),
            ("--reference=a", 0o640, false, None),
        ] {
            assert_eq!(changed(asked, old, is_folder), new, "{asked}");
        }
    }
}
