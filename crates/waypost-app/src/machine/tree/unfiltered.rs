//! The own bytes of files that git converts before it stores them, in a way that no commit tells. What git would
//! store of them need not change when they do.

use std::fs;
use std::path::Path;

use waypost_store::look;

use super::attributes::Suspects;
use super::index::{GITLINK, Index, hex};
use super::part::{Part, inode};
use super::settings::Settings;
use super::shared::Shared;
use super::{cache, git_error};
use crate::machine::git::GitError;

const LINK: u32 = 0o120_000;

impl Part<'_> {
    /// The files whose own bytes are not what git would store, with their mode and the id of those bytes.
    pub(super) fn unfiltered(
        &self,
        settings: &Settings,
        index: &[u8],
        suspects: &Suspects,
    ) -> Result<Vec<(Vec<u8>, u32, String)>, GitError> {
        let Some((stored, _)) = Index::read(index) else { return Ok(Vec::new()) };
        let (mut asked, mut names) = (Vec::new(), Vec::new());
        stored.for_each(|entry| {
            let is_file = entry.mode != GITLINK && entry.mode != LINK && !entry.is_skipped;
            if is_file && suspects.has(entry.name) {
                asked.extend_from_slice(entry.name);
                asked.push(0);
                names.push((entry.name.to_vec(), entry.id.to_vec()));
            }
        });
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let kept = self.shared.generation.folder.join(format!("unfiltered-{}", self.root_hash));
        let bytes = self.scratch("unfiltered");
        let is_linked = cache::link(&kept, &bytes).is_ok();
        let length = stored.id_length();
        if let Err(error) = self.read_unfiltered(settings, &bytes, length, asked.clone()) {
            // What was kept may be damaged.
            if !is_linked || self.shared.trees.deadline.is_over() {
                return Err(error);
            }
            let _ = fs::remove_file(&bytes);
            self.read_unfiltered(settings, &bytes, length, asked)?;
        }
        let problem = |error| git_error(&bytes, &error);
        let read = look::bytes(&bytes).map_err(problem)?;
        if inode(&bytes) != inode(&kept) {
            self.forget_latest(&bytes).map_err(problem)?;
            let _ = fs::rename(&bytes, &kept);
        }
        let mut found = Vec::new();
        let mut names = names.into_iter().peekable();
        if let Some((read, _)) = Index::read(&read) {
            read.for_each(|entry| {
                while names.next_if(|(name, _)| name.as_slice() < entry.name).is_some() {}
                if let Some((name, id)) = names.next_if(|(name, _)| name.as_slice() == entry.name)
                    && id != entry.id
                {
                    found.push((name, entry.mode, hex(entry.id)));
                }
            });
        }
        Ok(found)
    }

    fn read_unfiltered(
        &self,
        settings: &Settings,
        index: &Path,
        id_length: usize,
        asked: Vec<u8>,
    ) -> Result<(), GitError> {
        let Shared { trees, scratch, .. } = self.shared;
        let name = if id_length == 20 { super::PLAIN } else { "plain-sha256.git" };
        let bare = trees.bare_repository(scratch, name)?;
        let mut git = self.place.git(&self.shared.objects());
        git.env("GIT_DIR", bare).env("GIT_INDEX_FILE", index);
        git.env("GIT_ATTR_NOSYSTEM", "1").args(["-c", "core.attributesFile=/dev/null"]);
        for filter in &settings.filters {
            for setting in ["clean=", "process=", "required=false"] {
                git.arg("-c").arg(format!("filter.{filter}.{setting}"));
            }
        }
        for setting in &settings.line_ends {
            git.arg("-c").arg(setting);
        }
        // Only their ids are asked for: they may be large.
        let args = ["update-index", "--add", "--remove", "--info-only", "-z", "--stdin"];
        crate::machine::git::output_of(git, args, asked, self.shared.trees.deadline).map(|_| ())
    }
}
