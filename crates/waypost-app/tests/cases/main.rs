//! The use cases as surfaces call them, each on every store.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]
#![expect(clippy::disallowed_methods, reason = "tests look at what they made")]

/// Makes two tests of a function that takes a world: one in files, one in memory.
macro_rules! on_each_store {
    ($($name:ident)*) => {$(
        mod $name {
            use crate::world::World;

            #[test]
            fn in_files() {
                super::$name(&World::new(waypost_store::InFiles));
            }

            #[test]
            fn in_memory() {
                super::$name(&World::new(waypost_store::InMemory::default()));
            }
        }
    )*};
}

mod announcing;
mod day;
mod index;
mod once;
mod outbox;
mod publish;
mod work;
mod world;
