//! Git's own hooks: which of them are wanted, and taking out those that are not wanted any more.

use std::path::Path;

use super::super::git_hooks::{self, GitHook};
use super::super::items::Item;
use super::super::{GitHooks, InitOutcome, hooks_folder, ref_hook};
use super::Setup;
use crate::error::AppError;

impl Setup<'_> {
    /// Lets git itself call Waypost.
    pub(super) fn git_hooks(
        &mut self,
        wanted: GitHooks,
        outcome: &mut InitOutcome,
    ) -> Result<(), AppError> {
        match wanted {
            GitHooks::Declined => self.manifest.declined = true,
            GitHooks::Asking => {
                self.manifest.declined = false;
                self.hooks = git_hooks::plans(self.project, self.exe, outcome)?;
            }
            GitHooks::Telling if self.manifest.declined => outcome.note(
                "git does not call Waypost, as --no-git-hooks said; --git-hooks changes that",
            ),
            GitHooks::Telling => {}
        }
        if !self.manifest.declined {
            let entry = self.manifest.entry(self.project, Item::ReferenceTransaction);
            self.ref_hook = ref_hook::plan(self.project, self.exe, entry, outcome)?;
        }
        Ok(())
    }

    /// Takes out hooks of git's that an earlier run put in, and that are not wanted any more.
    pub(super) fn decline(&mut self, outcome: &mut InitOutcome) -> Result<(), AppError> {
        let entry = self.manifest.entry(self.project, Item::ReferenceTransaction);
        let own = ref_hook::Own { exe: Path::new(self.exe), entry };
        ref_hook::take_out(self.project, own, outcome)?;
        self.manifest.drop_entry(self.project, Item::ReferenceTransaction);
        if let Some(folder) = hooks_folder::folder(self.project).ok().flatten() {
            for hook in GitHook::ALL {
                let entry = self.manifest.entry(self.project, hook.item());
                git_hooks::take_out(&folder.join(hook.name()), entry, outcome)?;
                self.manifest.drop_entry(self.project, hook.item());
            }
        }
        Ok(())
    }
}
