//! Protocols in other hands than the usual one: nothing that they ask for is lost without a word, and nothing holds
//! somebody who did what they say.

use super::*;

fn only(body: &str) -> Step {
    let mut phases = read("P.md", &phase(body)).phases;
    assert_eq!(phases[0].steps.len(), 1, "{:?}", phases[0].steps);
    phases[0].steps.remove(0)
}

fn known(body: &str) -> Vec<KnownStep> {
    let steps = read("P.md", &phase(body)).phases.remove(0).steps;
    steps.into_iter().filter_map(|step| step.known).collect()
}

#[test]
fn of_commands_that_are_a_choice_any_will_do_and_of_others_each_is_a_step() {
    let choice = ["make test*", "make check*"].map(str::to_owned).to_vec();
    for body in [
        "- MUST run either `make test` or `make check`",
        "- MUST run `make test` (or `make check`)",
        "1. MUST run the tests:\n   ```bash\n   make test\n   # or\n   make check\n   ```",
    ] {
        assert_eq!(known(body), [KnownStep::Run(choice.clone(), None)], "{body}");
    }
    let run = |command: &str| KnownStep::Run(vec![command.to_owned()], None);
    let both = [run("npm test*"), run("npm run lint*")];
    assert_eq!(known("- MUST run `npm test` and `npm run lint`"), both);
    assert_eq!(known("- MUST run `npm test`, then `npm run lint`"), both);
    assert_eq!(known("- MUST run `npm test` before `npm publish` is run"), [run("npm test*")]);
}

#[test]
fn of_files_that_are_a_choice_the_agents_word_counts_and_of_others_each_is_a_step() {
    for body in ["- MUST update `docs/x.md` or `docs/y.md`", "- MUST read `x.md` or `y.md`"] {
        assert_eq!(only(body).known, None, "{body}");
    }
    let change = |file: &str| KnownStep::Change(file.to_owned());
    let both = [change("docs/x.md"), change("docs/y.md")];
    assert_eq!(known("- MUST update `docs/x.md` and `docs/y.md`"), both);
    let one = "- MUST update `docs/x.md` with a link to `docs/y.md`";
    assert_eq!(known(one), [change("docs/x.md")]);
    let keep = |file: &str| KnownStep::Keep(file.to_owned());
    let both = [keep("a/x.md"), keep("a/y.md")];
    assert_eq!(known("- MUST NOT edit `a/x.md` or `a/y.md`"), both);
}

#[test]
fn what_is_forbidden_with_a_way_out_holds_nobody() {
    for body in [
        "- MUST NOT edit `src/api.ts` unless the schema changed",
        "- MUST NOT edit `src/api.ts` without approval",
        "- MUST NOT edit `src/api.ts` (except for typos)",
        "- MUST NOT work on main unless the user says so",
    ] {
        assert!(only(body).condition.is_some(), "{body}");
    }
    assert_eq!(only("- MUST NOT edit `src/api.ts`").condition, None);
}

#[test]
fn what_is_listed_below_a_key_word_is_asked_for_item_by_item() {
    for body in [
        "1. The agent MUST:\n   - read `a.md`\n   - tell the user",
        "The agent MUST:\n\n- read `a.md`\n- tell the user",
        "You MUST do the following:\n\n1. Read `a.md`\n2. Tell the user",
        "Agents MUST complete these steps:\n\n- [ ] Read `a.md`\n- [ ] Tell the user",
    ] {
        let file = read("P.md", &phase(body));
        let found: Vec<&str> = file.phases[0].steps.iter().map(|step| step.name.as_str()).collect();
        assert_eq!(found, ["read_a", "tell_user"], "{body}");
        assert!(file.phases[0].steps.iter().all(|step| step.level == Level::Must));
    }
    let forbidden = only("You MUST NOT:\n\n- edit `src/api.ts`");
    assert_eq!(forbidden.known, Some(KnownStep::Keep("src/api.ts".to_owned())));
    let told = only("You MUST tell the user:\n\n- what changed\n- what is left");
    assert_eq!(told.text, "Tell the user: what changed; what is left");
}

#[test]
fn a_protocol_in_small_letters_is_followed_and_beside_large_ones_nothing_is_lost() {
    let small = "1. The agent must read `a.md`\n2. You must tell the user\n3. You should rest";
    let file = read("P.md", &phase(small));
    let levels: Vec<Level> = file.phases[0].steps.iter().map(|step| step.level).collect();
    assert_eq!(levels, [Level::Must, Level::Must, Level::Should]);
    let file = read("P.md", &phase(&format!("{small}\n4. You MUST rest")));
    let found: Vec<&str> = file.phases[0].steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(found, ["read_a", "rest"]);
    let outside: Vec<&str> = file.outside.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(outside, ["tell the user", "rest"]);
}

#[test]
fn tables_with_other_columns_say_what_they_ask_for() {
    let table = "| # | What to do | Importance | Owner |\n|-|-|-|-|\n| 1 | Call Ann | Must | me |\n\
                 | 2 | Sing | Optional | me |\n\n| Task | Mandatory? |\n|-|-|\n| Push it | Yes |\n| Rest | no |";
    let file = read("P.md", &phase(table));
    let steps = file.phases[0].steps.iter();
    let found: Vec<(&str, Level)> = steps.map(|step| (step.name.as_str(), step.level)).collect();
    assert_eq!(found, [("call_ann", Level::Must), ("sing", Level::May), ("push_it", Level::Must)]);
    assert_eq!(names(&phase("| Step | Required |\n|-|-|\n| Rest | - |\n\n- MUST go")), ["go"]);
}

#[test]
fn a_phase_that_insists_and_asks_for_nothing_that_can_be_read_is_told() {
    let file = read("P.md", &phase("Be good, and look after `everything`.\n\n- Kindness"));
    assert_eq!(file.problems.len(), 1, "{:?}", file.problems);
    assert_eq!(file.problems[0].line, 5);
    assert!(file.problems[0].message.contains("nothing in this phase"));
}

#[test]
fn short_words_tell_steps_apart_and_what_is_struck_out_is_none() {
    let body = "- MUST ask QA\n- MUST ask HR\n- ~~MUST read `old.md`~~";
    assert_eq!(names(&phase(body)), ["ask_qa", "ask_hr"]);
}

#[test]
fn keeping_something_up_to_date_is_no_reason_to_leave_it_alone() {
    for body in [
        "- MUST keep `README.md` up to date",
        "- MUST leave `README.md` better than it was before",
        "- MUST preserve the tone of `docs/style.md`",
    ] {
        assert_eq!(only(body).known, None, "{body}");
    }
    for body in [
        "- MUST preserve `a/x.md` (read-only)",
        "- MUST leave `a/x.md` unchanged",
        "- MUST never edit `a/x.md`",
        "- MUST not edit `a/x.md`",
    ] {
        assert_eq!(only(body).known, Some(KnownStep::Keep("a/x.md".to_owned())), "{body}");
    }
}

#[test]
fn what_only_has_a_name_in_common_is_not_taken_for_it() {
    for body in ["- MUST get QA data", "- MUST route traffic through the QA proxy"] {
        assert_eq!(only(body).known, None, "{body}");
    }
    assert_eq!(only("- MUST route to the QA agent").known, Some(KnownStep::Report));
    let release = only("- MUST update the version in `package.json` when releasing");
    assert_eq!(release.condition.as_deref(), Some("when releasing"));
    let there = only("- MUST read `CLAUDE.md` (if it exists)");
    assert_eq!(there.condition, None);
    let run = |command: &str| KnownStep::Run(vec![command.to_owned()], None);
    let both = [run("npm run build*"), run("npm test*")];
    assert_eq!(known("- MUST run `npm run build && npm test`"), both);
}

#[test]
fn decorated_headings_and_items_count_and_quotations_too() {
    let text = "# P\n\n## Session Start\n\n### 🚀 Phase 1: A (blocking)\n\n- ✅ MUST read `a.md`\n\n\
                > [!IMPORTANT]\n> You MUST read `b.md`.\n>\n> ```\n> make\n> ```\n\n### Phase: B (BLOCKING)\n\n- MUST go\n";
    let file = read("P.md", text);
    assert_eq!(file.phases.len(), 1);
    assert!(file.phases[0].blocking);
    let found: Vec<&str> = file.phases[0].steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(found, ["read_a", "read_b"]);
    let told: Vec<usize> = file.problems.iter().map(|problem| problem.line).collect();
    assert_eq!(told, [16], "{:?}", file.problems);
    assert_eq!(file.outside.len(), 1, "what stands below it is told");
}
