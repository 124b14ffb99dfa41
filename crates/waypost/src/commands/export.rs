//! `waypost export`

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use waypost_core::text::spoken::count;

use clap::Args;
use clap::builder::PossibleValuesParser;
use waypost_app::machine::host::Host;
use waypost_app::share::export::{self, Format};
use waypost_app::view::View;

use super::CommandOutcome;
use crate::ui;

/// Take a session out: whole, for another tool, or for people
///
/// `waypost` is one JSON document with the state, every record byte for byte, and the files beside them: its
/// signatures and hash chain can be verified again elsewhere, and `waypost import` takes it in. The other
/// formats are those of tools that Waypost imports from: a session that came from there goes back with
/// everything that it came with. What a format has no place for is told on standard error. `markdown` and
/// `html` are for people; the page is one file that needs nothing else.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost export 2026-11-15_add --output login.json
  waypost export 2026-11-15_add | jq -r '.records[]'
  waypost export 2026-11-15_add --format html --output login.html
  waypost export 2026-11-15_add --format manifest --output ../other/agents/sessions/2026-11-15_add")]
pub(super) struct ExportArgs {
    /// A session's id, or enough of its beginning
    id: String,
    /// The format
    #[arg(long, short, default_value = "waypost", value_parser = PossibleValuesParser::new(Format::ALL.map(|(name, _)| name)))]
    format: String,
    /// A file that is not there yet, or a folder that is, where it gets the name that it has in that format (for
    /// `manifest`, a folder that is not there yet); without it: standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Give JSON: for other formats than `waypost`, the text and what it has no place for
    #[arg(long)]
    json: bool,
}

impl ExportArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        match Format::named(&self.format) {
            None | Some(Format::Waypost) => self.whole(host, &view),
            Some(format) => self.foreign(host, &view, format),
        }
    }

    fn whole(self, host: &Host, view: &View<'_>) -> CommandOutcome {
        let exported = export::export(view, Some(&self.id))?;
        let Some(path) = self.output else {
            ui::json(&exported)?;
            return Ok(ExitCode::SUCCESS);
        };
        let path = placed(host, &path, &format!("{}.json", exported.session_id));
        let document = ui::json_text(&exported)? + "\n";
        export::write(&host.cwd.join(&path), document.as_bytes())?;
        let records = exported.records.len();
        ui::note(format!(
            "{} with {}: {}",
            exported.session_id,
            count(records, "record"),
            path.display()
        ));
        tell_lost(&exported.left);
        Ok(ExitCode::SUCCESS)
    }

    fn foreign(self, host: &Host, view: &View<'_>, format: Format) -> CommandOutcome {
        let written = match (&self.output, format) {
            (Some(folder), Format::Manifest) => {
                let (written, files) =
                    export::write_folder(view, &host.cwd.join(folder), &self.id)?;
                ui::note(format!("{} in {}", count(files, "file"), folder.display()));
                written
            }
            (Some(path), _) => {
                let written = export::written(view, &self.id, format)?;
                let path = placed(host, path, &written.name);
                export::write(&host.cwd.join(&path), written.text.as_bytes())?;
                ui::note(format!("written: {}", path.display()));
                if path.extension() != Path::new(&written.name).extension() {
                    ui::note(format!("there its file would be called {}", written.name));
                }
                written
            }
            (None, _) => {
                let written = export::written(view, &self.id, format)?;
                if !self.json {
                    ui::document(&written.text);
                }
                written
            }
        };
        if self.json {
            ui::json(&written)?;
        } else {
            tell_lost(&written.lost);
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A file of that name in a folder that is there, else the file itself.
fn placed(host: &Host, path: &Path, name: &str) -> PathBuf {
    if host.cwd.join(path).is_dir() { path.join(name) } else { path.to_owned() }
}

fn tell_lost(lost: &[String]) {
    if !lost.is_empty() {
        ui::note(format!("not in it: {}", lost.join("; ")));
    }
}
