//! The shapes that other tools read: every field of their examples is there, or is in the one list of
//! what differs on purpose, which is the table in `docs/compatibility.md`.

mod manifest;
mod orchestration;
mod others;
mod protocol;
mod shapes;
mod workflow;

use shapes::Compared;

#[test]
fn every_field_of_the_shapes_that_other_tools_read_is_there_or_listed() {
    let mut compared = Compared::with_the_list();
    protocol::compare(&mut compared);
    workflow::compare(&mut compared);
    orchestration::compare(&mut compared);
    others::compare(&mut compared);
    manifest::compare(&mut compared);
    compared.finish();
}
