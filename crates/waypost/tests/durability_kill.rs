//! Writers that are killed at any moment: nothing that was acknowledged is lost, nothing is there
//! twice, and the stream goes on.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::collections::HashMap;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use waypost_testkit::process::Watch;
use waypost_testkit::{TestEnv, everything};

const WRITERS: u64 = 8;
/// How many kills, unless the environment asks for more.
const KILLS: usize = 500;

/// Small and seeded, so that a failing run can be made again.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }
}

/// What became of a writer's notes.
#[derive(Default)]
struct Written {
    acknowledged: Vec<String>,
    killed: Vec<String>,
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Writes notes, one process each, and kills most of them somewhere between start and end.
fn write(
    env: &TestEnv,
    session: &str,
    writer: u64,
    mut random: Random,
    left: &AtomicUsize,
) -> Written {
    let mut written = Written::default();
    let folders = [env.store().join("locks"), env.store().join("sessions").join(session)];
    // What was done around a whole note lately, by all the writers: the kill falls within it, or
    // just behind. Only the machine decides what this writer itself is at by then.
    let mut usual = 40;
    for count in 0.. {
        let filling = usize::try_from(random.below(2_000)).unwrap();
        let text = format!("{writer}-{count} {}", "x".repeat(filling));
        let watch = Watch::on(&folders);
        let mut child = env
            .command(env!("CARGO_BIN_EXE_waypost"), env.project())
            .args(["note", "add", &text, "--session", session])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let spared = random.below(8) == 0;
        let moment = if spared { u64::MAX } else { random.below(usual * 5 / 4) };
        let seen = watch.wait(usize::try_from(moment).unwrap(), &child);
        if !spared {
            child.kill().unwrap();
        }
        let output = child.wait_with_output().unwrap();
        match output.status.code() {
            Some(0) => {
                usual = (usual * 3 + u64::try_from(seen).unwrap()) / 4;
                written.acknowledged.push(text);
            }
            None => {
                usual += usual / 50 + 1;
                written.killed.push(text);
                let taken =
                    left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
                if taken.is_err() {
                    break;
                }
            }
            Some(_) => assert!(output.status.success(), "{}", everything(&output)),
        }
        if left.load(Ordering::SeqCst) == 0 {
            break;
        }
    }
    written
}

#[test]
fn nothing_acknowledged_is_lost_when_writers_are_killed_at_any_moment() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init();
    let session = env.start("Survive");
    let kills = number("WAYPOST_TEST_KILLS").map_or(KILLS, |n| usize::try_from(n).unwrap());
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = number("WAYPOST_TEST_SEED").unwrap_or_else(|| u64::from(clock.subsec_nanos()) | 1);
    // Shown when the test fails.
    println!("WAYPOST_TEST_SEED={seed} WAYPOST_TEST_KILLS={kills}");

    let left = AtomicUsize::new(kills);
    let written: Vec<Written> = std::thread::scope(|scope| {
        let writers: Vec<_> = (1..=WRITERS)
            .map(|writer| {
                let random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(writer));
                let (env, session, left) = (&env, session.as_str(), &left);
                scope.spawn(move || write(env, session, writer, random, left))
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });

    let mut found: HashMap<String, usize> = HashMap::new();
    for text in env.notes(&session) {
        *found.entry(text).or_default() += 1;
    }
    let (mut acknowledged, mut killed, mut survived) = (0, 0, 0);
    for Written { acknowledged: safe, killed: ended } in &written {
        for text in safe {
            assert_eq!(found.remove(text), Some(1), "acknowledged: {text:.20}");
        }
        for text in ended {
            let times = found.remove(text).unwrap_or(0);
            assert!(times <= 1, "killed, and there {times} times: {text:.20}");
            survived += times;
        }
        acknowledged += safe.len();
        killed += ended.len();
    }
    println!("{acknowledged} acknowledged; {killed} killed, of which {survived} were on disk");
    assert!(found.is_empty(), "nobody wrote these: {:.200}", format!("{found:?}"));
    assert!(killed >= kills, "{killed} kills");
    assert!(acknowledged > 0 && survived > 0, "the kills fell at every stage of a write");

    env.ok(&["verify", "--all"]);
    env.ok(&["note", "add", "still here", "--session", &session]);
    assert_eq!(env.notes(&session).last().unwrap(), "still here");
    env.ok(&["verify", "--all"]);
}
