//! Whether git calls Waypost, and what `--remove` leaves of that.

use super::*;
use waypost_app::setup::init::GitHooks;
use waypost_app::setup::init::git_hooks::{self, Installation};

fn hooked(world: &World) -> InitOutcome {
    world.try_init(&Options { git_hooks: GitHooks::Asking, ..Options::default() }).unwrap()
}

fn states(world: &World) -> Vec<(Installation, bool)> {
    let found = git_hooks::state(&world.project()).unwrap();
    found.into_iter().map(|found| (found.state, found.wanted)).collect()
}

#[test]
fn everything_is_as_before_the_folder_included() {
    for there in [None, Some("#!/bin/sh\nexit 0\n")] {
        let world = World::new();
        if let Some(content) = there {
            world.write(".git/hooks/pre-push", content);
        }
        let before = world.snapshot();
        hooked(&world);
        let once = world.snapshot();
        hooked(&world);
        world.init();
        assert_eq!(world.snapshot(), once);
        world.remove();
        assert_eq!(world.snapshot(), before);
    }
}

#[test]
fn it_is_known_whether_git_calls_waypost() {
    let world = World::new();
    let program = Installation::Installed("/opt/bin/waypost".into());
    assert_eq!(states(&world), [(Installation::Missing, false), (Installation::Missing, false)]);
    hooked(&world);
    assert_eq!(states(&world), [(program.clone(), true), (program.clone(), true)]);
    let hook = world.path(".git/hooks/pre-commit");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(world.path(".git/hooks/pre-push"), "#!/bin/sh\n").unwrap();
    assert_eq!(
        states(&world),
        [(Installation::NotExecutable, true), (Installation::Replaced, true)]
    );
    fs::remove_file(hook).unwrap();
    assert_eq!(states(&world)[0], (Installation::Missing, true));
    hooked(&world);
    assert_eq!(states(&world), [(program.clone(), true), (program, true)]);
}

#[test]
fn a_plain_folder_has_no_hooks() {
    let world = World::new();
    fs::remove_dir_all(world.path(".git")).unwrap();
    let options = Options { git_hooks: GitHooks::Asking, ..Options::default() };
    assert!(world.try_init(&options).unwrap_err().message.contains("no git repository"));
    assert_eq!(git_hooks::state(&world.project()).unwrap(), []);
}
