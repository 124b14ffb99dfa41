//! `waypost up`

use clap::Args;
use waypost_app::error::AppError;
use waypost_app::index;
use waypost_app::machine::host::Host;
use waypost_app::machine::project;

use super::CommandOutcome;
use super::init::InitArgs;
use super::onboard::bar;
use super::serve::ServeArgs;
use crate::ui::{self, BOLD};
use crate::wiring;

/// Set up what is missing, read what happened, and serve the dashboard
///
/// In the folder of a repository that has no waypost.toml yet, it asks whether to do what `waypost init` does; where there
/// is no terminal, it says so and goes on, unless you give --yes. Then the index is brought up to date, and `waypost serve`
/// begins: it prints one link that carries the token.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost up                           set up, index, serve at http://127.0.0.1:4646
  waypost up --yes                     without asking, as in a script
  waypost up --bind 127.0.0.1:0        at any port that is free; the line with the link says which")]
pub(super) struct UpArgs {
    /// Set the project up without asking
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    serve: ServeArgs,
}

impl UpArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        set_up(host, self.yes)?;
        scan(host);
        self.serve.run(host)
    }
}

/// Does what `init` does, where there is a project that it was not done for, and somebody wants it.
fn set_up(host: &Host, yes: bool) -> Result<(), AppError> {
    let Some(project) = project::find(&host.cwd)?.filter(|project| !project.is_initialised())
    else {
        return Ok(());
    };
    let root = project.root.display();
    let what =
        "waypost.toml, a key, and the hooks and the MCP server in the settings of the clients";
    let wanted = yes
        || (ui::can_ask()
            && ui::ask(&format!("Set Waypost up in {root}: {what} (yes or no)?"), "yes")
                .is_some_and(|answer| ui::is_yes(&answer)));
    if !wanted {
        ui::note(format!(
            "{root} is not set up, so nothing is enforced there: {} would write {what}",
            ui::paint(BOLD, "waypost up --yes")
        ));
        return Ok(());
    }
    InitArgs::usual().run(host).map(drop)
}

/// Brings the index up to date. What cannot be read is told by the pages, and keeps nobody from looking at the rest.
fn scan(host: &Host) {
    let bar = bar();
    let kept = wiring::transcripts(host);
    let found = index::scan(host, &kept, &mut |done, _, what| bar.show(done, what));
    bar.clear();
    match found {
        Ok(report) => ui::warnings(&report.warnings),
        Err(error) => ui::warning(format!("the index is not up to date: {}", error.message)),
    }
}
