//! Whoever subscribed is told of everything that is appended, once it is kept, and of nothing else.

use std::sync::{Arc, Mutex};

use waypost_app::machine::host::{Appended, Host, Subscriber};
use waypost_app::sessions::begin::Begin;
use waypost_app::sessions::{note, resume, start};
use waypost_app::setup::project_record;
use waypost_app::share::publish;
use waypost_app::tracks::build;
use waypost_app::view::View;
use waypost_core::id::StreamId;

use crate::world::World;

/// Keeps what it is told: the stream, how many events, and how many records were there by then.
#[derive(Debug, Default)]
struct Heard(Mutex<Vec<(StreamId, usize, usize)>>);

impl Subscriber for Heard {
    fn appended(&self, appended: &Appended<'_>) -> Option<Vec<String>> {
        let Appended { host, project, ring, stream, events } = *appended;
        let view = View::with(host, project.clone(), ring.clone());
        let records = view.log.records(stream).unwrap().len();
        self.0.lock().unwrap().push((stream.clone(), events.len(), records));
        None
    }
}

impl Heard {
    fn take(&self) -> Vec<(StreamId, usize, usize)> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// A host without publishing, and what its subscriber hears.
fn listening(world: &World) -> (Host, Arc<Heard>) {
    let heard = Arc::<Heard>::default();
    let host = Host { subscribers: Vec::new(), ..world.host() };
    (host.telling(Arc::clone(&heard) as Arc<dyn Subscriber>), heard)
}

on_each_store!(every_write_is_told_once_it_is_kept);
fn every_write_is_told_once_it_is_kept(world: &World) {
    let (host, heard) = listening(world);
    let view = View::open(&host).unwrap();
    project_record::record(&view, None).unwrap();
    assert!(heard.take().iter().all(|(stream, ..)| *stream == StreamId::Project));
    let begin = Begin { objective: Some("Add login"), workflow: Some("quick"), ..Begin::default() };
    let session = start::start(&view, &begin).unwrap().session;
    let stream = StreamId::Session(session.clone());
    // That it is current now is the project's news.
    let (project, told): (Vec<_>, Vec<_>) =
        heard.take().into_iter().partition(|(told, ..)| *told == StreamId::Project);
    assert_eq!(project.len(), 1, "{project:?}");
    let [(told, events, records)] = <[_; 1]>::try_from(told).unwrap();
    assert_eq!((told, events > 0, events), (stream.clone(), true, records), "told as one");
    note::add(&view, None, "note", "x").unwrap();
    assert_eq!(heard.take(), [(stream.clone(), 1, records + 1)]);
    assert!(build::start_checkpoint(&view, None, 1).is_err());
    assert_eq!(heard.take(), [], "what is refused is told to nobody");
    publish::publish(&view, &session).unwrap();
    heard.take();
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "publish"]);
    world.git(&["clone", "-q", ".", "../clone"]);
    let there = Host { cwd: world.path("clone"), ..host };
    resume::resume(&View::open(&there).unwrap(), Some(session.as_str())).unwrap();
    assert!(heard.take().iter().any(|(told, ..)| *told == stream), "what comes from elsewhere too");
}
