//! A quick look at JSON that tells of nearly all canonical JSON that it is canonical.
//!
//! By hand, because every record that is read goes through it: writing a value again only to compare
//! takes several times as long as all the rest of reading. It accepts only what is canonical beyond
//! doubt; what it does not accept (unusual numbers, escapes and keys) is written again to see.

/// Deeper JSON is left to the slow way, which has its own limit.
const MAX_DEPTH: usize = 32;
/// More digits may be written another way, as a floating-point number would be.
const MAX_DIGITS: usize = 15;

/// Whether `json` is canonical beyond doubt.
pub(super) fn is_plain(json: &str) -> bool {
    let mut rest = Rest(json.as_bytes());
    rest.value(0).is_some() && rest.0.is_empty()
}

/// What was not looked at yet. Every step is `None` where there is any doubt.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn value(&mut self, depth: usize) -> Option<()> {
        match self.0.first()? {
            b'{' if depth < MAX_DEPTH => self.object(depth),
            b'[' if depth < MAX_DEPTH => self.array(depth),
            b'"' => self.string().map(|_| ()),
            b't' => self.take(b"true"),
            b'f' => self.take(b"false"),
            b'n' => self.take(b"null"),
            b'0'..=b'9' => self.number(),
            _ => None,
        }
    }

    fn object(&mut self, depth: usize) -> Option<()> {
        self.take(b"{")?;
        if self.take(b"}").is_some() {
            return Some(());
        }
        let mut last: Option<&[u8]> = None;
        loop {
            let key = self.string()?;
            // Only then bytes are in the order that is asked for, which is the one of UTF-16.
            let simple = key.iter().all(|byte| byte.is_ascii() && *byte != b'\\');
            if !simple || last.is_some_and(|last| last >= key) {
                return None;
            }
            last = Some(key);
            self.take(b":")?;
            self.value(depth + 1)?;
            if self.take(b",").is_none() {
                return self.take(b"}");
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<()> {
        self.take(b"[")?;
        if self.take(b"]").is_some() {
            return Some(());
        }
        loop {
            self.value(depth + 1)?;
            if self.take(b",").is_none() {
                return self.take(b"]");
            }
        }
    }

    /// The text between the quotes, as it is written.
    fn string(&mut self) -> Option<&'a [u8]> {
        let text = self.0.strip_prefix(b"\"")?;
        let mut at = 0;
        loop {
            match text.get(at)? {
                b'"' => break,
                // The escapes that have no other canonical form.
                b'\\' => match text.get(at + 1)? {
                    b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't' => at += 2,
                    _ => return None,
                },
                0..0x20 => return None,
                _ => at += 1,
            }
        }
        self.0 = &text[at + 1..];
        Some(&text[..at])
    }

    fn number(&mut self) -> Option<()> {
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let padded = self.0[0] == b'0' && digits > 1;
        let more = self.0.get(digits).is_some_and(|next| matches!(next, b'.' | b'e' | b'E'));
        if padded || more || digits > MAX_DIGITS {
            return None;
        }
        self.0 = &self.0[digits..];
        Some(())
    }

    fn take(&mut self, expected: &[u8]) -> Option<()> {
        self.0 = self.0.strip_prefix(expected)?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::super::{is_canonical, is_rewritten_the_same, to_string};
    use super::*;

    fn value() -> impl Strategy<Value = Value> {
        let text = "[a-z\"\\\\\n\u{1}/é\u{e000}\u{10000}]{0,4}";
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (0..2000_u64).prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            text.prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(text, inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_canonical(value in value()) {
            // A number beyond what JSON's own numbers hold does not read back as it was written.
            let written = to_string(&value).unwrap();
            let again = to_string(&serde_json::from_str::<Value>(&written).unwrap()).unwrap();
            prop_assert_eq!(is_canonical(&written), written == again);
        }

        #[test]
        fn the_quick_look_accepts_nothing_that_the_slow_one_does_not(
            value in value(),
            at in any::<prop::sample::Index>(),
            with in prop::sample::select(b" \",:0.-eE{}[]\\n/tu1a\n".to_vec()),
            instead in any::<bool>(),
        ) {
            let mut written = to_string(&value).unwrap().into_bytes();
            let place = at.index(written.len());
            if instead {
                written[place] = with;
            } else {
                written.insert(place, with);
            }
            if let Ok(text) = std::str::from_utf8(&written) {
                prop_assert!(!is_plain(text) || is_rewritten_the_same(text), "{text}");
            }
        }
    }

    #[test]
    fn what_records_usually_hold_takes_the_quick_way() {
        for usual in [
            r#"{"kind":"human"}"#,
            r#"{"note_kind":"note","text":"é \"x\"\n","type":"note_added","v":1}"#,
            r#"{"a":[],"b":{},"c":[1,20,null,true,false,"x"]}"#,
        ] {
            assert!(is_plain(usual), "{usual}");
        }
    }

    #[test]
    fn depth_is_left_to_the_slow_way() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(is_plain(&nested(MAX_DEPTH)) && !is_plain(&nested(MAX_DEPTH + 1)));
        assert!(is_canonical(&nested(MAX_DEPTH + 1)));
        assert!(!is_canonical(&nested(1_000_000)));
    }
}
