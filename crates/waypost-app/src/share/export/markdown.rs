//! A session as Markdown that people read.

use std::fmt::Write;

use super::sheet::{Item, Sheet};

pub(super) fn render(sheet: &Sheet) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(sheet, &mut text);
    text
}

fn write(sheet: &Sheet, to: &mut String) -> std::fmt::Result {
    writeln!(to, "# {}\n", inline(&sheet.title))?;
    writeln!(to, "- **Status**: {}", inline(&sheet.status))?;
    for (name, value) in &sheet.facts {
        writeln!(to, "- **{name}**: {}", inline(value))?;
    }
    if !sheet.phases.is_empty() {
        writeln!(to, "\n## Phases\n\n| Phase | Result | When |\n|---|---|---|")?;
        for phase in &sheet.phases {
            writeln!(to, "| {} | {} | {} |", cell(&phase.name), phase.mark, phase.times)?;
        }
    }
    for section in &sheet.sections {
        writeln!(to, "\n## {}\n", section.title)?;
        for item in &section.items {
            writeln!(to, "- {}", entry(item))?;
        }
    }
    for (name, text) in &sheet.files {
        let fence = fence(text);
        writeln!(to, "\n## {}\n\n{fence}\n{}\n{fence}", inline(name), text.trim_end())?;
    }
    writeln!(to, "\n---\n{}", sheet.foot)
}

fn entry(item: &Item) -> String {
    let head: Vec<&str> = [&item.when, &item.label]
        .into_iter()
        .map(String::as_str)
        .filter(|one| !one.is_empty())
        .collect();
    let text = inline(&item.text).replace('\n', "\n  ");
    if head.is_empty() { text } else { format!("{}: {text}", inline(&head.join(", "))) }
}

/// Text that is nothing but text: what Markdown would take for markup is escaped.
fn inline(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

fn cell(text: &str) -> String {
    inline(text).replace('\n', " ")
}

/// A fence that nothing in the text closes.
fn fence(text: &str) -> String {
    let longest = text
        .lines()
        .map(|line| line.trim_start().chars().take_while(|c| *c == '`').count())
        .max()
        .unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}
