//! What a tool call is evidence of, as far as gates ask for it.

use waypost_core::evidence::Sort;
use waypost_core::gate::policy::Watched;
use waypost_core::gate::proof::skill::SkillProof;
use waypost_core::glob;

use super::Call;
use super::seen_call::relative;
use crate::harness::{Does, Tool};
use crate::view::View;

/// Something that a call is evidence of.
pub(super) struct Witnessed {
    pub(super) sort: Sort,
    /// Which one.
    pub(super) subject: String,
    /// The gates' name for it.
    pub(super) wanted: String,
}

impl Witnessed {
    fn of(sort: Sort, subject: &str, wanted: &str) -> Self {
        Self { sort, subject: subject.to_owned(), wanted: wanted.to_owned() }
    }
}

/// What a call is evidence of: its sort, which one, and the gates' name
/// for it. Whoever reads a file with some tool has called that tool, too.
pub(super) fn subjects(
    view: &View<'_>,
    call: &Call,
    tool: &Tool,
    watched: &Watched,
) -> Vec<Witnessed> {
    let done = match &tool.does {
        Does::Read(path) => {
            // A name that is not a whole path may also be meant from the project's top folder.
            let root = path.is_relative().then(|| view.place().project.root.join(path));
            let mut files = [Some(call.cwd.join(path)), root].into_iter().flatten();
            let file = files.find_map(|path| {
                let file = relative(view, &path);
                watched.read.contains(&file).then_some(file)
            });
            file.map(|file| Witnessed::of(Sort::Read, &file, &file))
        }
        Does::Skill(used) => {
            let mut names = watched.skill.iter();
            let wanted = names.find(|name| SkillProof::new(*name).is(used));
            wanted.map(|wanted| Witnessed::of(Sort::Skill, used, wanted))
        }
        _ => None,
    };
    let called = watched.called.iter().find(|pattern| glob::matches(pattern, &tool.name));
    let called = called.map(|wanted| Witnessed::of(Sort::Called, &tool.name, wanted));
    done.into_iter().chain(called).collect()
}
