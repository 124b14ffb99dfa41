//! Questions on a terminal of the test's own, answered by a thread that plays the human.

use super::*;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::os::unix::fs::OpenOptionsExt;

type Answer = Result<Zeroizing<String>, AppError>;

/// What the human's side of the terminal saw, and what came of the question.
struct Seen {
    shown: String,
    answer: Answer,
}

/// Asks on a new terminal; each of `typed` is typed once another question stands there.
fn conversation(ask: impl FnOnce(&File) -> Answer, typed: &[&[u8]]) -> Seen {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let human = openpt(flags).unwrap();
    grantpt(&human).unwrap();
    unlockpt(&human).unwrap();
    let path = ptsname(&human, Vec::new()).unwrap().into_string().unwrap();
    let no_control = i32::try_from(rustix::fs::OFlags::NOCTTY.bits()).unwrap();
    let mut options = OpenOptions::new();
    let terminal = options.read(true).write(true).custom_flags(no_control).open(path).unwrap();
    let before = tcgetattr(&terminal).unwrap();
    assert!(before.local_modes.contains(LocalModes::ECHO | LocalModes::ISIG));

    let mut human = File::from(human);
    let (shown, answer) = std::thread::scope(|scope| {
        let (human, terminal) = (&mut human, &terminal);
        let playing = scope.spawn(move || {
            let mut shown = String::new();
            for (asked, typed) in typed.iter().enumerate() {
                while shown.matches(": ").count() <= asked {
                    shown.push_str(&some_of(human));
                }
                let during = tcgetattr(terminal).unwrap().local_modes;
                assert!(!during.intersects(LocalModes::ECHO | LocalModes::ISIG));
                human.write_all(typed).unwrap();
            }
            while shown.matches("\r\n").count() < typed.len() {
                shown.push_str(&some_of(human));
            }
            shown
        });
        let answer = ask(terminal);
        (playing.join().unwrap(), answer)
    });

    let after = tcgetattr(&terminal).unwrap();
    assert_eq!(after.local_modes, before.local_modes);
    assert_eq!(after.input_modes, before.input_modes);
    for code in [SpecialCodeIndex::VEOL, SpecialCodeIndex::VEOL2, SpecialCodeIndex::VINTR] {
        assert_eq!(after.special_codes[code], before.special_codes[code]);
    }
    Seen { shown, answer }
}

fn some_of(human: &mut File) -> String {
    let mut bytes = [0; 256];
    let read = human.read(&mut bytes).unwrap();
    String::from_utf8(bytes[..read].to_vec()).unwrap()
}

fn asked(typed: &[u8]) -> Seen {
    conversation(|terminal| ask_on(terminal, "Passphrase"), &[typed])
}

#[test]
fn a_passphrase_is_read_as_typed_and_never_shown() {
    let seen = asked("  hunter2 is ä \n".as_bytes());
    assert_eq!(*seen.answer.unwrap(), "  hunter2 is ä ");
    assert_eq!(seen.shown, "Passphrase: \r\n");
}

#[test]
fn a_line_can_be_corrected_and_ended_with_return() {
    assert_eq!(*asked(b"wrong\x15huntex\x7fr2\r").answer.unwrap(), "hunter2");
}

#[test]
fn interrupting_is_a_refusal_and_leaves_the_terminal_as_it_was() {
    for typed in [&b"hunter\x03"[..], b"\x03", b"hunter\x1c", b"\x04"] {
        let error = asked(typed).answer.unwrap_err();
        assert_eq!(error.message, "no passphrase was given", "{typed:?}");
    }
}

#[test]
fn a_line_of_1_kb_is_taken_and_a_longer_one_refused() {
    let mut line = vec![b'x'; MAX_BYTES];
    line.push(b'\n');
    assert_eq!(asked(&line).answer.unwrap().len(), MAX_BYTES);
    line.insert(0, b'x');
    assert_eq!(
        asked(&line).answer.unwrap_err().message,
        "the passphrase is longer than 1024 bytes"
    );
}

#[test]
fn an_arrow_key_or_broken_text_is_refused() {
    for typed in [&b"hunter\x1b[D2\n"[..], b"hunter\xff\n"] {
        let error = asked(typed).answer.unwrap_err();
        assert_eq!(error.message, "what was typed holds more than text");
    }
}

#[test]
fn a_new_passphrase_is_asked_for_twice_and_has_to_be_long_enough() {
    let twice = |typed: &[&[u8]]| {
        conversation(|terminal| ask_twice_on(terminal, "New passphrase"), typed).answer
    };
    assert_eq!(*twice(&[b"long enough\n", b"long enough\n"]).unwrap(), "long enough");
    let error = twice(&[b"long enough\n", b"long enouhg\n"]).unwrap_err();
    assert_eq!(error.message, "the two passphrases are not the same");
    let error = twice(&[b"short\n"]).unwrap_err();
    assert_eq!(error.message, "the passphrase has 5 characters; at least 8 are needed");
}
