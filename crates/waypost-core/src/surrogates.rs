//! JSON text in which half of a character is left over.
//!
//! JavaScript cuts texts between the two halves of an emoji and writes the half that is left as an
//! escape, such as `\ud83d`. That is JSON by its grammar, but stands for no character, so readers refuse
//! the whole text because of it.

use std::borrow::Cow;

/// How long an escape is: `\uXXXX`.
const ESCAPE: usize = 6;

/// The text with U+FFFD in place of every half that stands alone, and nothing else changed. Text that
/// holds no surrogates at all, which is nearly every one, is only searched for them.
pub fn mended(json: &str) -> Cow<'_, str> {
    if json.contains("\\ud") || json.contains("\\uD") { mend(json) } else { Cow::Borrowed(json) }
}

fn mend(json: &str) -> Cow<'_, str> {
    let lone = lone_halves(json.as_bytes());
    if lone.is_empty() {
        return Cow::Borrowed(json);
    }
    let mut mended = String::with_capacity(json.len());
    let mut rest = 0;
    for start in lone {
        mended.push_str(&json[rest..start]);
        mended.push_str("\\ufffd");
        rest = start + ESCAPE;
    }
    mended.push_str(&json[rest..]);
    Cow::Owned(mended)
}

/// Where the escapes begin that stand for half a character. Outside of strings JSON has no
/// backslashes, so they alone are looked at.
fn lone_halves(json: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(backslash) = json[at..].iter().position(|byte| *byte == b'\\') {
        let start = at + backslash;
        at = match (escaped(json, start), escaped(json, start + ESCAPE)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => start + 2 * ESCAPE,
            (Some(0xd800..=0xdfff), _) => {
                found.push(start);
                start + ESCAPE
            }
            // The character after a backslash may be a backslash too.
            _ => json.len().min(start + 2),
        };
    }
    found
}

/// The UTF-16 unit that an escape at this place stands for.
fn escaped(json: &[u8], start: usize) -> Option<u16> {
    let digits = json.get(start..start + ESCAPE)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_half_that_stands_alone_becomes_the_replacement_character() {
        for (json, expected) in [
            (r#""cut \ud83d""#, r#""cut \ufffd""#),
            (r#""\ude00 cut""#, r#""\ufffd cut""#),
            (r#""\uD83D\n""#, r#""\ufffd\n""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#),
            (r#""\ud83d\u0041""#, r#""\ufffd\u0041""#),
            (r#""\\\ud83d""#, r#""\\\ufffd""#),
            (r#""é\ud83dé""#, r#""é\ufffdé""#),
        ] {
            assert_eq!(mended(json), expected, "{json}");
        }
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        for json in [
            "",
            "{}",
            r#""\ud83d\ude00""#,
            r#""\uD83D\uDE00""#,
            r#""\\ud83d""#,
            r#""\\\\ud83d""#,
            r#""\ud7ff\ue000""#,
            r#""\ud8"#,
            r#""\udxyz""#,
            r#""\ud83é""#,
            "\\",
            "\\ud83",
        ] {
            assert!(matches!(mended(json), Cow::Borrowed(same) if same == json), "{json}");
        }
    }

    proptest! {
        #[test]
        fn whatever_javascript_writes_can_be_read(units in prop::collection::vec(any::<u16>(), 0..20)) {
            let escapes: Vec<String> = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let json = format!("\"{}\"", escapes.concat());
            let read: String = serde_json::from_str(&mended(&json)).unwrap();
            prop_assert_eq!(read, String::from_utf16_lossy(&units));
        }
    }
}
