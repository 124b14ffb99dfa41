//! Specs as people and agents write them, and templates that nobody filled in.

use super::*;

const SPEC: &str = "\
# Dark mode

## 1. Goals

### High-Level Goals

- User can toggle
  between light and dark
  - a detail

### Mid-Level Goals

1. **Theme provider** wraps the application
2. `toggle` persists

### Detailed Goals

*Specific behaviours - added as conversation progresses.*

## Non-Goals

- Nothing of this

## Open Questions (still)

- [ ] Should we support accent colours?
- [x] Per-device (phone → desktop)? → Per-device
- [x] ~~Which format?~~
  → **JSON**
- [ ] ~~What about print?~~ → Deferred
- [ ] *Questions still needing answers*
- [ ]
- [x] Settled
- And without a box?

```
- [ ] not a question
```

## Key Decisions

*Capture the WHY.*

<!-- ### [Decision Title]

**Rationale**: [Why]
-->

### 2. Use CSS variables: all of them
**Rationale**: More flexible
**Made**: 2026-02-14

### Sync on save
**Rationale**:
- first
- second

Then more.
**Made**: 2026-02-16

## Notes

- [ ] nothing
";

#[test]
fn goals_questions_and_decisions_are_found() {
    let spec = read(SPEC);
    let goals: Vec<(&str, Vec<&str>)> = spec
        .goals
        .iter()
        .map(|level| (level.level.as_str(), level.goals.iter().map(String::as_str).collect()))
        .collect();
    assert_eq!(
        goals,
        [
            ("High-Level", vec!["User can toggle between light and dark"]),
            ("Mid-Level", vec!["Theme provider wraps the application", "toggle persists"]),
        ]
    );
    assert_eq!(spec.open_questions, ["Should we support accent colours?", "And without a box?"]);
    let answered: Vec<(&str, &str)> =
        spec.answered.iter().map(|(one, two)| (one.as_str(), two.as_str())).collect();
    assert_eq!(
        answered,
        [
            ("Per-device (phone → desktop)?", "Per-device"),
            ("Which format?", "JSON"),
            ("What about print?", "Deferred"),
            ("Settled", ""),
        ]
    );
    let decision = |title: &str, rationale: &str, made: &str| Decision {
        title: title.into(),
        rationale: Some(rationale.into()),
        made: Some(made.into()),
    };
    assert_eq!(
        spec.decisions,
        [
            decision("Use CSS variables: all of them", "More flexible", "2026-02-14"),
            decision("Sync on save", "first second Then more.", "2026-02-16"),
        ]
    );
}

#[test]
fn decisions_may_be_a_table_or_a_list() {
    let spec = read(
        "## Decisions\n\n| Decision | Rationale | Date |\n|--|--|--|\n| One `file` | Simple | 2025-12-28 |\n\n\
         1. **Two files**\n   - Rationale: Safer\n   - Made: today\n2. Three\n",
    );
    let told: Vec<String> = spec
        .decisions
        .iter()
        .map(|one| format!("{} / {:?} / {:?}", one.title, one.rationale, one.made))
        .collect();
    assert_eq!(
        told,
        [
            r#"One file / Some("Simple") / Some("2025-12-28")"#,
            r#"Two files / Some("Safer") / Some("today")"#,
            "Three / None / None",
        ]
    );
}

#[test]
fn a_template_and_odd_text_say_nothing() {
    let template = "# {{TOPIC}}\n\n## Goals\n\n### High-Level Goals\n\n*The north star.*\n\n\
        ## Key Decisions\n\n<!-- Add:\n\n### [Decision]\n**Rationale**: [Why]\n\n-->\n\n\
        ## Open Questions\n\n- [ ] *Questions still needing answers*\n- [ ] {{QUESTION}}\n-\n";
    assert_eq!(read(template), Spec::default());
    for odd in ["", "\u{0}", "#", "## Open Questions", "- [ ] alone", "<!--", "```\n## Goals\n- x"]
    {
        assert_eq!(read(odd), Spec::default(), "{odd:?}");
    }
    let deep = format!("## Goals\n\n{}x\n", "- ".repeat(5_000));
    assert!(read(&deep).goals.len() <= 1);
    assert!(
        read(&format!("## Open Questions\n\n{}", "- [ ] more?\n".repeat(5_000)))
            .open_questions
            .len()
            <= MAX_FOUND
    );
    let sentence = read("## Goals\n\nOne sentence,\nin two lines.\n");
    assert_eq!(sentence.goals[0].goals, ["One sentence, in two lines."]);
}

#[test]
fn open_questions_block_where_they_are_marked_in_whatever_form() {
    for (text, blocking) in [
        ("## Open Questions\n- [ ] [blocking] Which store?\n- [ ] Which colour?\n", 1),
        ("## Open Questions\n- [x] [blocking] Which store? → SQLite\n", 0),
        ("## Open Questions\n- [ ] ~~(blocking) Which store?~~\n", 0),
        (
            "## Open Questions\n- [ ] Which store?\n  - Blocking: yes\n- [ ] Which colour?\n  - Blocking: no\n",
            1,
        ),
        ("## Open Questions\n- [ ] Which store? (blocking)\n  - Answer: SQLite\n", 0),
        ("## Open Questions\n- [ ] Which store? (blocking)\n  - Answer: TBD\n", 1),
        (
            "## Open Questions\n\n### Blocking\n- Which store?\n- Which port? (non-blocking)\n\n### Later\n- Which colour?\n",
            1,
        ),
        ("## Blocking Questions\n\n1. Which store?\n2. Which port?\n", 2),
        ("## Blockers\n\n- None\n", 0),
        ("## Open Questions\n\n### Q1: Which store? [blocking]\n\nNobody knows.\n", 1),
        ("## Open Questions\n\n### Q1: Which store? [blocking]\n\nAnswer: SQLite\n", 0),
        ("## Open Questions\n\nWhich store? BLOCKING\n", 1),
        (
            "## Open Questions\n\n| Question | Blocking? |\n|---|---|\n| Which store? | yes |\n| Which colour? | no |\n",
            1,
        ),
        (
            "## Open Questions\n\n| # | Question | Blocking | Status |\n|---|---|---|---|\n| 1 | Which store? | yes | resolved |\n",
            0,
        ),
        ("## Requirements\n- [ ] (blocking) Which store is it?\n- [ ] Calls are (blocking)\n", 1),
        ("## Design\n\nCalls are blocking.\n\n- Blocking: reads\n", 0),
    ] {
        assert_eq!(read(text).blocking.len(), blocking, "{text}: {:?}", read(text).blocking);
    }
}
