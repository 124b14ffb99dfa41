//! Conversations as spans: in the trace of the client that held them, where it named one.

use super::super::signal::{Place, Signal, Span, SpanId, Status, TraceId};
use super::super::told::{Scene, clean, tokens};
use super::super::traceparent::TraceParent;
use super::{Begun, Conversation, MAX_OPEN, Tracing, ended};
use crate::event::{ConversationAttached, UsageCounted};
use crate::id::ConversationId;

impl Conversation {
    pub(super) fn place(&self, root: &str) -> Place {
        let trace = self.joins.as_ref().map(|joined| joined.trace.clone());
        let span = SpanId::of(root, "conversation", self.begun.seq);
        Place { trace: trace.unwrap_or_else(|| TraceId::of(root)), span }
    }

    pub(super) fn use_up(&mut self, counted: &UsageCounted) {
        for one in &counted.used {
            let (all, more) = (&mut self.used, one.tokens);
            all.input = all.input.saturating_add(more.input);
            all.output = all.output.saturating_add(more.output);
            all.cache_read = all.cache_read.saturating_add(more.cache_read);
            all.cache_write_5m = all.cache_write_5m.saturating_add(more.cache_write_5m);
            all.cache_write_1h = all.cache_write_1h.saturating_add(more.cache_write_1h);
        }
    }
}

impl Tracing {
    pub(super) fn attach(
        &mut self,
        scene: Scene<'_>,
        attached: &ConversationAttached,
    ) -> Vec<Signal> {
        let id = &attached.conversation;
        let joins: Option<TraceParent> =
            attached.traceparent.as_deref().and_then(|text| text.parse().ok());
        let mut told = Vec::new();
        if let Some(known) = self.conversations.get(id) {
            // Begun anew within another trace, it is another span.
            if joins.is_none() || known.joins == joins {
                return told;
            }
            told.extend(self.detach(scene, id, "resumed"));
        }
        let oldest = self.conversations.iter().min_by_key(|(_, known)| known.begun.seq);
        if let Some(oldest) = oldest.map(|(id, _)| id.clone())
            && self.conversations.len() >= MAX_OPEN
        {
            told.extend(self.detach(scene, &oldest, "unfinished"));
        }
        let (begun, harness) = (Begun::of(scene.record), attached.harness.clone());
        let conversation = Conversation {
            begun,
            harness,
            joins,
            phase: None,
            used: crate::cost::Tokens::default(),
        };
        self.conversations.insert(id.clone(), conversation);
        told
    }

    pub(super) fn detach(
        &mut self,
        scene: Scene<'_>,
        id: &ConversationId,
        reason: &str,
    ) -> Vec<Signal> {
        let mut told = self.lose_agents(scene, id);
        told.extend(self.leave(scene, Some(id), Status::Unset));
        let Some(known) = self.conversations.remove(id) else { return told };
        let session = self.session_place();
        let joined = known.joins.clone();
        let mut attributes = scene.common();
        attributes
            .retain(|(name, _)| !matches!(*name, "waypost.harness" | "gen_ai.conversation.id"));
        attributes.push(("waypost.harness", known.harness.as_str().into()));
        attributes.push(("gen_ai.conversation.id", id.as_str().into()));
        attributes.push(("waypost.conversation.ended_by", clean(reason).into()));
        if known.used.all() > 0 {
            attributes.extend(tokens(known.used));
        }
        let (parent, link) = match joined {
            Some(joined) => (joined.span, Some(session)),
            None => (session.span, None),
        };
        told.push(ended(Span {
            place: known.place(&self.root),
            parent: Some(parent),
            link,
            name: format!("conversation {}", known.harness),
            start: known.begun.time,
            end: scene.record.time,
            attributes,
            status: Status::Unset,
        }));
        told
    }
}
