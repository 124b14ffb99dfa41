//! Harnesses that run the hooks of another one's settings, too: whose event it is, is known by what is sent. It is answered in
//! the sender's own form, recorded as the sender's, and left to the sender's own registration where there is one.

use waypost_app::harness::Harness;
use waypost_hook::harnesses;

use crate::matrix::payload;
use crate::world::World;

/// Those that run the hooks of the first harness.
const FOREIGN: [&str; 2] = ["copilot", "cursor"];

fn named(name: &str) -> &'static dyn Harness {
    *harnesses::ALL.iter().find(|one| one.facts().name == name).unwrap()
}

#[test]
fn what_another_sends_is_answered_in_its_own_form_and_recorded_as_its_own() {
    let first = harnesses::ALL[0];
    for name in FOREIGN {
        let (sender, borrowed, own) = (named(name), World::new(), World::new());
        for step in ["start", "before an edit", "before a forbidden edit"] {
            let told = borrowed.ask(first, &payload(sender, step, &borrowed).unwrap());
            let usual = own.ask(sender, &payload(sender, step, &own).unwrap());
            let spelt = |world: &World, text: &str| {
                text.replace(&world.root().display().to_string(), "{root}")
            };
            if step == "start" {
                assert!(!told.stdout.is_empty(), "{name}");
                continue;
            }
            let (told, usual) = (spelt(&borrowed, &told.stdout), spelt(&own, &usual.stdout));
            assert_eq!(told, usual, "{name}: {step}");
        }
        let found = borrowed.conversations();
        assert!(found.iter().all(|harness| harness == name) && !found.is_empty(), "{found:?}");
    }
}

#[test]
fn it_is_left_to_the_senders_own_registration_where_there_is_one() {
    let first = harnesses::ALL[0];
    for name in FOREIGN {
        let world = World::with(&[first.facts().name, name]);
        let sender = named(name);
        let silent = world.ask(first, &payload(sender, "before a command", &world).unwrap());
        for step in ["start", "before a forbidden edit", "stop"] {
            let told = world.ask(first, &payload(sender, step, &world).unwrap());
            assert_eq!(told, silent, "{name}: {step}");
        }
        assert!(world.conversations().is_empty(), "{name} is not counted by the borrowed hook");
        world.ask(sender, &payload(sender, "start", &world).unwrap());
        assert_eq!(world.conversations(), [name]);
        let denied =
            world.ask(sender, &payload(sender, "before a forbidden edit", &world).unwrap());
        assert!(sender.is_denial(&denied.stdout), "{name}: {denied:?}");
    }
}

#[test]
fn nobody_takes_the_events_of_another_for_its_own() {
    let world = World::new();
    for sender in harnesses::ALL {
        for step in ["start", "before an edit", "stop"] {
            let Some(text) = payload(*sender, step, &world) else { continue };
            for called in harnesses::ALL {
                let (input, _) = called.read(text.as_bytes());
                let takers = harnesses::ALL.iter().filter(|one| one.sent(&input));
                let takers: Vec<_> = takers.map(|one| one.facts().name).collect();
                let is_own = takers.iter().all(|name| *name == sender.facts().name);
                assert!(is_own, "{} sent {step}, and {takers:?} take it", sender.facts().name);
            }
        }
    }
}
