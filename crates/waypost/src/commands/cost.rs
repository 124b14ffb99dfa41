//! `waypost cost`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use waypost_app::cost::{self, Asked, By, Cost, OfBlock, Row};
use waypost_app::machine::host::Host;
use waypost_app::machine::project;
use waypost_app::machine::since::Since;
use waypost_core::cost::Told;

use super::CommandOutcome;
use super::transcripts::tell_unreadable;
use crate::ui::{self, BOLD, DIM};
use crate::wiring;

/// Tell what conversations used and cost
///
/// Reads the transcripts that clients keep on this machine, whether or not Waypost was there, and changes none. A
/// message counts once, whatever files it stands in; what subagents used counts too. Days are those of the clock here.
/// Prices are built in; `[prices]` of waypost.toml adds and replaces some. Models without a
/// price are named, and their tokens are left out of the dollars.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost cost                                 this project, day by day
  waypost cost --all --by project --since 30d
  waypost cost --by block                      five hours each, and how fast the running one goes
  waypost cost ../shop --since 2026-11-01 --until 2026-11-15 --json")]
pub(super) struct CostArgs {
    /// The folder whose conversations are read; without it: this project
    #[arg(value_name = "DIR", conflicts_with = "all")]
    folder: Option<PathBuf>,
    /// Read the conversations of all projects
    #[arg(long)]
    all: bool,
    /// What it is summed up by
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "day",
        value_parser = PossibleValuesParser::new(By::ALL.map(By::name)).try_map(named),
    )]
    by: By,
    /// Only what was used since: a day (2026-11-01), a time, or how long ago (7d, 12h)
    #[arg(long)]
    since: Option<Since>,
    /// Only what was used until the end of a day, before a time, or so long ago or longer
    #[arg(long)]
    until: Option<Since>,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl CostArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let at = self.folder.as_ref().map_or_else(|| host.cwd.clone(), |at| host.cwd.join(at));
        let root = if self.all { None } else { Some(project::find_or_here(&at)?.root) };
        let now = host.moment();
        let asked = Asked {
            root,
            since: self.since.map(|since| since.begins(now)),
            until: self.until.map(|until| until.ends(now)),
            by: self.by,
        };
        let cost = cost::cost(host, &wiring::transcripts(host), &at, &asked);
        if self.json {
            ui::json(&cost)?;
        } else {
            self.show(&cost);
        }
        Ok(ExitCode::SUCCESS)
    }

    fn show(&self, cost: &Cost) {
        if cost.rows.is_empty() {
            let hint = if self.all { "" } else { "; `waypost cost --all` looks at all projects" };
            ui::note(format!("no client keeps a message that used tokens{hint}"));
            tell_unreadable(cost.unreadable);
            return;
        }
        ui::together(|| table(self.by.name(), cost));
        if let Some(block) =
            cost.rows.iter().find_map(|row| row.block.as_ref().filter(|of| of.running))
        {
            ui::line(format!("\n{}", burning(block)));
        }
        if !cost.unknown_models.is_empty() {
            let names = ui::on_one_line(&cost.unknown_models.join(", "));
            let tokens = grouped(cost.unpriced_tokens);
            ui::warning(format!(
                "price unknown: {names}; {tokens} tokens are left out of the dollars. A price is set in waypost.toml: \
                 [prices.\"MODEL\"] with input = … and output = …"
            ));
        }
        let as_of = cost.prices_as_of.as_ref();
        let of = as_of.map_or_else(String::new, |day| format!(" of {day}"));
        let told =
            format!("US dollars at the list prices{of}; what a plan costs is another matter.");
        ui::line(format!("\n{}", ui::paint(DIM, told)));
        tell_unreadable(cost.unreadable);
    }
}

/// The parser knows no other names.
fn named(name: String) -> Result<By, String> {
    By::named(&name).ok_or(name)
}

fn table(name: &str, cost: &Cost) {
    let keys: Vec<String> = cost.rows.iter().map(key).collect();
    let width = keys.iter().map(|key| key.chars().count()).chain([name.len(), 5]).max();
    let width = width.unwrap_or_default();
    let names = ["input", "output", "cache read", "cache write", "USD"].map(str::to_owned);
    ui::line(ui::paint(DIM, cells(name, width, &names)));
    for (row, key) in cost.rows.iter().zip(&keys) {
        ui::line(cells(key, width, &numbers(&row.tokens, &usd(row))));
    }
    let priced = cost.unpriced_tokens == 0 || cost.total_usd > 0.0;
    let total = if priced { dollars(cost.total_usd, cost.unpriced_tokens) } else { unknown() };
    ui::line(ui::paint(BOLD, cells("total", width, &numbers(&cost.tokens, &total))));
}

/// What a row stands for, as people read it.
fn key(row: &Row) -> String {
    let Some(block) = &row.block else { return ui::on_one_line(&row.key) };
    let running = if block.running { " running" } else { "" };
    format!("{}{running}", ui::moment(block.begins))
}

fn usd(row: &Row) -> String {
    row.usd.map_or_else(unknown, |usd| dollars(usd, row.unpriced_tokens))
}

fn unknown() -> String {
    "price unknown".to_owned()
}

/// An amount; with a `+` if there is more to it that nobody knows.
fn dollars(usd: f64, unpriced: u64) -> String {
    let more = if unpriced > 0 { "+" } else { "" };
    format!("{usd:.2}{more}")
}

fn numbers(tokens: &Told, usd: &str) -> [String; 5] {
    let Told { input, output, cache_read, cache_write } = *tokens;
    let [input, output, read, write] = [input, output, cache_read, cache_write].map(grouped);
    [input, output, read, write, usd.to_owned()]
}

fn cells(first: &str, width: usize, rest: &[String; 5]) -> String {
    let [input, output, read, write, usd] = rest;
    format!("{first:<width$}  {input:>12}  {output:>12}  {read:>15}  {write:>13}  {usd:>13}")
}

/// A number with its digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// How fast the running block goes.
fn burning(block: &OfBlock) -> String {
    let tokens = block.tokens_per_hour.unwrap_or_default();
    let tokens = format!("{tokens:.0}").parse().map_or_else(|_| String::new(), grouped);
    let usd = block.usd_per_hour.map_or_else(unknown, |usd| format!("{usd:.2} USD"));
    format!("The block until {} uses {tokens} tokens an hour: {usd}.", ui::moment(block.ends))
}
