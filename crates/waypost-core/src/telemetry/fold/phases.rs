//! Phases as spans: those of a session's workflow, and those of the protocol of a conversation.

use super::super::signal::{Place, Signal, Span, SpanId, Status};
use super::super::told::Scene;
use super::{Begun, Phase, Tracing, ended};
use crate::id::ConversationId;
use crate::track::TrackStarted;

impl Tracing {
    pub(super) fn begin_track(&mut self, scene: Scene<'_>, track: &TrackStarted) -> Vec<Signal> {
        let whose = track.conversation.as_ref();
        let told = self.leave(scene, whose, Status::Unset);
        let first = || track.definition.phases.first().map(|phase| phase.name.clone());
        if let Some(name) = track.at.clone().or_else(first) {
            self.put(whose, Phase { name, begun: Begun::of(scene.record) });
        }
        told
    }

    /// Leaves the phase that was in, and begins another.
    pub(super) fn enter(
        &mut self,
        scene: Scene<'_>,
        whose: Option<&ConversationId>,
        to: &str,
        status: Status,
    ) -> Vec<Signal> {
        let told = self.leave(scene, whose, status);
        self.put(whose, Phase { name: to.to_owned(), begun: Begun::of(scene.record) });
        told
    }

    pub(super) fn leave(
        &mut self,
        scene: Scene<'_>,
        whose: Option<&ConversationId>,
        status: Status,
    ) -> Vec<Signal> {
        let left = match whose {
            None => self.phase.take(),
            Some(id) => self.conversations.get_mut(id).and_then(|known| known.phase.take()),
        };
        let Some(left) = left else { return Vec::new() };
        let Place { trace, span: parent } = self.place(whose);
        let mut attributes = scene.common();
        attributes.push(("waypost.phase", left.name.as_str().into()));
        let of = if whose.is_some() { "protocol" } else { "workflow" };
        attributes.push(("waypost.phase.of", of.into()));
        let span = SpanId::of(&self.root, "phase", left.begun.seq);
        vec![ended(Span {
            place: Place { trace, span },
            parent: Some(parent),
            link: None,
            name: format!("phase {}", left.name),
            start: left.begun.time,
            end: scene.record.time,
            attributes,
            status,
        })]
    }

    fn put(&mut self, whose: Option<&ConversationId>, phase: Phase) {
        match whose {
            None => self.phase = Some(phase),
            Some(id) => {
                if let Some(known) = self.conversations.get_mut(id) {
                    known.phase = Some(phase);
                }
            }
        }
    }
}
