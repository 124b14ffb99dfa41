//! The days that were played under the framework's own hooks: the same decision here, or a reason that is listed.

use super::player::Player;

const DAYS: &str = include_str!("days.txt");
const LISTED: &str = include_str!("../../../../docs/requirements.md");

/// A day: files, the branch that it begins on, and steps.
#[derive(Debug)]
pub(crate) struct Day<'a> {
    name: &'a str,
    pub(crate) files: Vec<(&'a str, &'a str)>,
    pub(crate) branch: &'a str,
    pub(crate) steps: Vec<Step<'a>>,
}

/// One step, and what was decided about it there, and here where that is meant to differ.
#[derive(Debug)]
pub(crate) struct Step<'a> {
    line: &'a str,
    pub(crate) verb: &'a str,
    pub(crate) session: &'a str,
    pub(crate) args: Vec<&'a str>,
    there: Option<&'a str>,
    differs: Option<(&'a str, &'a str)>,
}

impl<'a> Step<'a> {
    fn of(line: &'a str) -> Self {
        let (what, decided) = line.split_once(" => ").map_or((line, None), |(a, b)| (a, Some(b)));
        let mut parts = what.split(" | ");
        let (verb, session) = parts.next().unwrap().split_once(' ').unwrap_or((what, ""));
        let verb = verb.split(" |").next().unwrap();
        let (there, here) = match decided.map(|decided| decided.split_once("; here ")) {
            Some(Some((there, here))) => (Some(there), here.split_once(" (")),
            Some(None) => (decided, None),
            None => (None, None),
        };
        let differs = here.map(|(here, reason)| (here, reason.trim_end_matches(')')));
        Self { line, verb, session, args: parts.collect(), there, differs }
    }
}

fn all() -> Vec<Day<'static>> {
    DAYS.split("\n#### ").skip(1).map(day).collect()
}

fn day(text: &'static str) -> Day<'static> {
    let (name, rest) = text.split_once('\n').unwrap();
    let mut day = Day { name, files: Vec::new(), branch: "feature/auth", steps: Vec::new() };
    for section in rest.split("== ").skip(1) {
        let (head, body) = section.split_once('\n').unwrap();
        if head == "steps" {
            let lines =
                body.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
            day.steps = lines.map(Step::of).collect();
        } else if let Some(branch) = head.strip_prefix("branch ") {
            day.branch = branch;
        } else {
            day.files.push((head, body));
        }
    }
    day
}

fn play(name: &str) {
    let days = all();
    let day = days.iter().find(|day| day.name == name).unwrap();
    let decided = Player::play(day);
    for (number, (step, here)) in day.steps.iter().zip(decided).enumerate() {
        let expected = step.differs.map(|(here, _)| here).or(step.there);
        assert_eq!(here, expected, "step {}: {}", number + 1, step.line);
    }
}

#[test]
fn every_difference_is_in_the_one_list_and_every_line_of_it_that_decides_is_seen() {
    for day in all() {
        for (here, reason) in day.steps.iter().filter_map(|step| step.differs) {
            assert!(LISTED.contains(&format!("**{reason}**")), "{}: {here} ({reason})", day.name);
        }
    }
}

macro_rules! days {
    ($($test:ident: $name:literal,)*) => {
        $(#[test]
        fn $test() {
            play($name);
        })*

        #[test]
        fn every_day_is_played() {
            let played = [$($name,)*];
            let names: Vec<&str> = all().iter().map(|day| day.name).collect();
            assert_eq!(names, played);
            let count = all().iter().flat_map(|day| &day.steps).filter(|step| step.there.is_some()).count();
            assert!(count >= 250, "{count}");
        }
    };
}

days! {
    a_single_planning_session: "a single planning session",
    plan_then_implement: "plan, then implement",
    plan_long_before_the_end_then_implement: "plan long before the end, then implement",
    a_plan_that_is_not_carried_over: "a plan that is not carried over",
    what_was_satisfied_ends_with_its_conversation: "what was satisfied ends with its conversation",
    clearing_one_conversations_leaves_the_others: "clearing one conversation's leaves the other's",
    a_review_before_each_commit: "a review before each commit",
    the_text_of_a_line_is_searched_whatever_it_means_there: "the text of a line is searched, whatever it means there",
    the_day_that_tests_the_framework: "the day that tests the framework",
    protected_branches: "protected branches",
    branches_that_are_named: "branches that are named",
    one_conversation_at_a_time: "one conversation at a time",
    a_branch_that_grows: "a branch that grows",
    guards_and_the_end_of_a_turn: "guards and the end of a turn",
    a_small_branch_at_the_end_of_a_turn: "a small branch at the end of a turn",
    only_the_end_of_a_turn_asks_for_it: "only the end of a turn asks for it",
    turns_that_change_nothing: "turns that change nothing",
    which_scopes_the_end_of_a_turn_asks_for: "which scopes the end of a turn asks for",
    the_end_of_a_turn_asks_for_nothing: "the end of a turn asks for nothing",
    gates_rest: "gates rest",
    requirements_are_switched_off: "requirements are switched off",
    files_lie_over_each_other: "files lie over each other",
    a_project_with_its_own_requirements_alone: "a project with its own requirements alone",
    nothing_is_enabled: "nothing is enabled",
    without_a_file_of_the_project: "without a file of the project",
    bad_ones_among_good_ones: "bad ones among good ones",
    a_requirement_that_is_no_map: "a requirement that is no map",
    a_file_that_is_no_yaml: "a file that is no YAML",
    files_of_plans: "files of plans",
    leaving_plan_mode: "leaving plan mode",
    subagents: "subagents",
    subagents_use_what_the_conversation_did: "subagents use what the conversation did",
    names_of_skills: "names of skills",
    a_plan_that_goes_out_of_date: "a plan that goes out of date",
    a_plan_that_has_to_be_there: "a plan that has to be there",
    a_plan_that_is_gone_when_the_turn_ends: "a plan that is gone when the turn ends",
    once_for_a_branch_once_for_all: "once for a branch, once for all",
    taken_back_by_hand: "taken back by hand",
    for_one_use_before_changes_of_files: "for one use, before changes of files",
    for_one_use_before_changes_of_files_and_a_command: "for one use, before changes of files and a command",
    tools_of_every_kind: "tools of every kind",
    what_is_on_disk_may_change_in_other_ways: "what is on disk may change in other ways",
    from_a_folder_below: "from a folder below",
    from_branch_to_branch: "from branch to branch",
    without_a_branch: "without a branch",
    strict_projects: "strict projects",
    the_strict_check_is_switched_off: "the strict check is switched off",
    what_is_tightened_or_loosened_in_the_middle_of_a_turn: "what is tightened or loosened in the middle of a turn",
    agents_and_the_files_of_requirements: "agents and the files of requirements",
    several_at_once_of_every_scope: "several at once, of every scope",
    a_skill_for_a_branch_used_in_one_conversation: "a skill for a branch, used in one conversation",
    an_approval_does_not_go_out_of_date_with_the_plan: "an approval does not go out of date with the plan",
    an_approval_of_the_size_ends: "an approval of the size ends",
    a_guard_that_only_the_end_of_a_turn_asks_for: "a guard that only the end of a turn asks for",
    a_guard_that_is_approved_for_a_branch: "a guard that is approved for a branch",
    a_guard_that_is_approved_for_good: "a guard that is approved for good",
    a_guard_with_a_skill: "a guard with a skill",
    a_size_with_a_skill: "a size with a skill",
    skills_before_and_after_what_only_the_end_of_a_turn_asks_for: "skills before and after what only the end of a turn asks for",
    what_a_command_used_up_is_not_asked_for_at_the_end_of_the_turn: "what a command used up is not asked for at the end of the turn",
    a_plan_that_is_carried_over_for_a_minute: "a plan that is carried over for a minute",
    no_scope_is_carried_over: "no scope is carried over",
    what_is_for_one_use_is_not_carried_over: "what is for one use is not carried over",
    conversations_that_are_compacted_and_resumed: "conversations that are compacted and resumed",
    what_a_person_said_is_carried_over: "what a person said is carried over",
    the_end_of_a_turn_uses_nothing_up: "the end of a turn uses nothing up",
    one_review_for_the_plan_and_the_change: "one review for the plan and the change",
    sets_of_characters_are_those_of_python: "sets of characters are those of Python",
    anchors_merge_keys_and_names_of_every_kind: "anchors, merge keys, and names of every kind",
    numbers_that_are_texts: "numbers that are texts",
    numbers_as_yaml_writes_them: "numbers as YAML writes them",
    a_checkout_that_says_nothing_of_requirements: "a checkout that says nothing of requirements",
    a_text_that_says_false: "a text that says false",
    a_checkout_whose_file_is_a_list: "a checkout whose file is a list",
    fields_of_one_requirement_from_three_files: "fields of one requirement from three files",
    tabs_between_a_key_and_its_value: "tabs between a key and its value",
    two_documents_in_a_file: "two documents in a file",
    keys_that_are_there_twice: "keys that are there twice",
    an_empty_file_of_the_project: "an empty file of the project",
    command_lines_that_speak_of_skipping_and_pausing: "command lines that speak of skipping and pausing",
    two_conversations_at_a_time: "two conversations at a time",
    a_scope_that_is_not_written_cleared_at_the_end: "a scope that is not written, cleared at the end",
    expressions_as_python_writes_them: "expressions as Python writes them",
    a_conversation_beside_another_takes_over_what_is_young: "a conversation beside another takes over what is young",
    an_approval_that_is_taken_over_lasts_no_longer: "an approval that is taken over lasts no longer",
}
