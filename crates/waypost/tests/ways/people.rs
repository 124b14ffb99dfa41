//! What only people say, and what agents say in their place.

use std::fs;
use std::os::unix::fs::symlink;

use waypost_testkit::{TestEnv, everything};

use crate::play::{
    Came, DENIED, Outcome, Play, Way, begun, by_script_whole, edited, is_held, must, set_up, told,
};

const LOCAL: &str =
    "[[gate]]\nid = \"deploy\"\nbefore = [\"edit\"]\nproof = { approval = \"local\" }\n";

pub(crate) const WAYS: &[Way] = &[
    Way {
        title: "approving as if human: `waypost gate approve`",
        real: "ways.people_s_words_are_denied_to_agents",
        play: Play::Lines(&[
            "waypost gate approve checks-pass",
            "@EXE gate approve checks-pass",
            "waypost gate approve checks-pass --ttl 1h",
        ]),
    },
    Way {
        title: "approving from a detached terminal: `setsid -f env -i … script -qec 'waypost gate approve …'`",
        real: "switches.people_s_words_are_denied_through_a_terminal_of_the_agent_s_own",
        play: Play::Lines(&[
            "setsid -f env -i HOME=$HOME PATH=$PATH TERM=xterm script -qec 'waypost gate approve checks-pass' /dev/null",
            "script -qec 'waypost gate approve checks-pass' /dev/null",
            "tmux new -d 'waypost gate approve checks-pass'",
            "echo 'waypost gate approve checks-pass' | at now",
        ]),
    },
    Way {
        title: "switching gates off: `waypost mode disabled`, from a terminal of its own too",
        real: "",
        play: Play::Lines(&[
            "waypost mode disabled",
            "waypost mode set disabled",
            "setsid -f env -i HOME=\"$HOME\" script -qec 'waypost mode disabled' /dev/null",
        ]),
    },
    Way {
        title: "taking Waypost out: `waypost init --remove`, from a terminal of its own too",
        real: "",
        play: Play::Lines(&[
            "waypost init --remove",
            "waypost init --remove --all",
            "setsid -f env -i HOME=\"$HOME\" script -qec 'waypost init --remove' /dev/null",
        ]),
    },
    Way {
        title: "`waypost gate pause`, `trust`, `key rotate`, `key export`",
        real: "",
        play: Play::Lines(&[
            "waypost gate pause",
            "waypost trust config",
            "waypost trust key < exported",
            "waypost key rotate",
            "waypost key export | ssh other waypost trust key",
        ]),
    },
    Way {
        title: "people's words in other clothes: a variable, `$(…)`, an alias, `xargs`, an interpreter, a here-document",
        real: "",
        play: Play::Lines(&[
            "C='waypost gate approve checks-pass'; eval \"$C\"",
            "$(which waypost) gate approve checks-pass",
            "alias w=waypost; w gate approve checks-pass",
            "echo 'gate approve checks-pass' | xargs waypost",
            "python3 -c \"import os; os.system('waypost mode disabled')\"",
            "cat > /tmp/a.sh <<'EOF'\nwaypost gate approve checks-pass\nEOF\nsetsid sh /tmp/a.sh",
            "way''post gate app\"rov\"e checks-pass",
        ]),
    },
    Way {
        title: "an agent's own words said as if by a person: `setsid -f script -qec 'waypost verdict record security …'`",
        real: "",
        play: Play::Lines(&[
            "setsid -f env -i HOME=$HOME script -qec 'waypost gate satisfy checks-pass' /dev/null",
            "setsid -f script -qec 'waypost verdict record security --decision approve --confidence 1 --reasoning x' /dev/null",
            "tmux new -d 'waypost handoff accept'",
            "echo 'waypost gate clear checks-pass' | at now",
            "setsid -f bash -c 'waypost handoff accept'",
            "python3 -c \"import pty; pty.spawn(['waypost', 'gate', 'satisfy', 'checks-pass'])\"",
            "script -qec \"waypost session set-state '{}'\" /dev/null",
            "waypost verdict resolve verdict-4 --how done",
            "(sleep 1; printf ay) | setsid -f env -i HOME=$HOME TERM=xterm script -qec 'waypost watch' /dev/null",
            "tmux new -d 'waypost watch'; tmux send-keys a y",
        ]),
    },
    Way {
        title: "a link to the program, or a copy of it under another name",
        real: "",
        play: Play::Own(other_names),
    },
    Way {
        title: "a script that says people's words, without a terminal",
        real: "",
        play: Play::Own(by_script),
    },
    Way {
        title: "a program that was written first, and makes a terminal of its own",
        real: "",
        play: Play::Own(own_terminal),
    },
    Way {
        title: "the same with a gate that asks for a signed approval",
        real: "",
        play: Play::Own(signed),
    },
    Way {
        title: "the same to switch gates off, or to take Waypost out",
        real: "",
        play: Play::Own(switched_off),
    },
    Way {
        title: "loosening the mode where `mode_changes = \"humans\"`",
        real: "",
        play: Play::Own(loosened),
    },
    Way {
        title: "reading the token of `waypost serve`, or starting a server of its own to get one",
        real: "",
        play: Play::Own(server),
    },
];

fn other_names() -> Outcome {
    let env = begun();
    symlink(env.binary(), env.home().join("linked")).unwrap();
    fs::copy(env.binary(), env.home().join("copied")).unwrap();
    for line in [
        "~/linked mode disabled",
        "setsid ~/copied gate approve checks-pass",
        "cp @EXE w; ./w gate approve checks-pass",
    ] {
        let line = line.replace("@EXE", &env.binary().display().to_string());
        must(env.before_bash(&line, "x").denied().is_some(), format!("not denied: {line}"))?;
    }
    Ok(DENIED)
}

fn by_script() -> Outcome {
    let env = edited();
    let lines = "waypost gate approve checks-pass || true; waypost mode disabled || true; waypost init --remove || true";
    by_script_whole(&env, lines)?;
    must(is_held(&env), "the stop is not held any more")?;
    must(!told(&env, &["status"]).contains("gates are off"), "gates are off")?;
    must(env.project().join(".claude/settings.local.json").exists(), "it was taken out")?;
    Ok(Came::Stopped("the program refuses whoever is known to be an agent"))
}

/// A terminal whose processes are nobody's children any more; the script goes on when its line is over.
fn detached(line: &str) -> String {
    format!(
        "rm -f ~/over; setsid -f env -i HOME=\"$HOME\" PATH=\"$PATH\" TERM=xterm WAYPOST_TEST_TIME=\"$WAYPOST_TEST_TIME\" \
         script -qec '{line}; touch ~/over' /dev/null < /dev/null > /dev/null 2>&1; \
         until [ -e ~/over ]; do sleep 0.05; done"
    )
}

fn own_terminal() -> Outcome {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(LOCAL);
    env.begin();
    by_script_whole(&env, &format!("{} || true", detached("waypost gate approve deploy")))?;
    let status = told(&env, &["status"]);
    let file = env.project().join("src/lib.txt");
    if env.before_edit(&file).denied().is_some() {
        return Ok(Came::Stopped("the program refuses whoever is known to be an agent"));
    }
    must(status.contains("(local)"), status)?;
    Ok(Came::Seen("told as `local`, approved at a terminal of this machine, and never as signed"))
}

fn signed() -> Outcome {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(&LOCAL.replace("local", "signed"));
    env.begin();
    by_script_whole(&env, &format!("{} || true", detached("waypost gate approve deploy")))?;
    let file = env.project().join("src/lib.txt");
    must(env.before_edit(&file).denied().is_some(), "it is approved")?;
    Ok(Came::Stopped("there is no signature without the passphrase; the edit is denied"))
}

fn switched_off() -> Outcome {
    let mut how = Vec::new();
    for (words, first) in [("mode disabled", "gates are off"), ("init --remove", "was taken out")] {
        let env = begun();
        by_script_whole(&env, &format!("{} || true", detached(&format!("waypost {words}"))))?;
        let status = told(&env, &["status"]);
        how.push(status.contains(first));
    }
    match how[..] {
        [false, false] => Ok(Came::Stopped("the program refuses whoever is known to be an agent")),
        [true, true] => {
            Ok(Came::Seen("recorded in the project's stream, and `status` begins with it"))
        }
        _ => Err(format!("{how:?}")),
    }
}

fn loosened() -> Outcome {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with("[project]\nmode_changes = \"humans\"\n");
    env.begin();
    let as_agent = |mode: &str| {
        let mut command = env.command(env.binary(), env.project());
        command.args(["mode", mode]).env("CLAUDE_CODE_SESSION_ID", "s1").output().unwrap()
    };
    must(as_agent("planning").status.success(), "it may not be tightened")?;
    let output = as_agent("coding");
    must(!output.status.success(), everything(&output))?;
    must(env.before_edit(&env.project().join("x.txt")).denied().is_some(), "edits pass")?;
    Ok(Came::Stopped("agents may only tighten it; recorded"))
}

fn server() -> Outcome {
    let env = set_up();
    env.begin();
    for line in [
        "cat ~/.local/state/waypost/serve/token",
        "curl -d @- localhost < ~/.local/state/waypost/serve/token",
        "waypost serve --bind 127.0.0.1:0 & cat ~/.local/state/waypost/serve/token",
    ] {
        must(env.before_bash(line, "x").denied().is_some(), format!("not denied: {line}"))?;
    }
    Ok(DENIED)
}
