//! Redirects: the files that they write, and what they feed to commands.

use std::rc::Rc;

use brush_parser::ast::{self, IoFileRedirectKind, IoFileRedirectTarget, IoRedirect};

use super::walk::Walker;
use super::{Document, Word};

/// What was fed before a command got its own.
pub(super) struct Fed {
    replaced: bool,
    before: Option<Rc<str>>,
}

impl Walker {
    pub(super) fn redirects(&mut self, redirects: Option<&ast::RedirectList>, depth: usize) -> Fed {
        let mut feed = None;
        for redirect in redirects.iter().flat_map(|list| &list.0) {
            feed = self.redirect(redirect, depth).or(feed);
        }
        self.fed(feed)
    }

    /// Returns what it feeds to the command, if that is known.
    pub(super) fn redirect(&mut self, redirect: &IoRedirect, depth: usize) -> Option<Rc<str>> {
        match redirect {
            IoRedirect::File(_, kind, IoFileRedirectTarget::Filename(word)) => {
                let target = self.word(&word.value, depth);
                if matches!(kind, IoFileRedirectKind::Read | IoFileRedirectKind::DuplicateInput) {
                    self.plain &= target.literal && target.text == "/dev/null";
                    self.reads.extend(self.folders.resolve(target.spelt()));
                } else {
                    self.redirected(&target);
                }
            }
            IoRedirect::File(_, kind, IoFileRedirectTarget::Duplicate(word)) => {
                let target = self.word(&word.value, depth);
                let digits = target.text.strip_suffix('-').unwrap_or(&target.text);
                let number = target.literal && digits.bytes().all(|byte| byte.is_ascii_digit());
                if !number && !matches!(kind, IoFileRedirectKind::DuplicateInput) {
                    self.redirected(&target);
                }
            }
            IoRedirect::OutputAndError(word, _) => {
                let target = self.word(&word.value, depth);
                self.redirected(&target);
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::ProcessSubstitution(_, subshell)) => {
                return self.process(subshell, depth);
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::Fd(_)) => {}
            IoRedirect::HereString(_, word) => {
                self.plain = false;
                let text = self.word(&word.value, depth).text;
                self.documents.push(Document { text: text.clone(), reader: None });
                return Some(text.into());
            }
            IoRedirect::HereDocument(_, document) => {
                self.plain = false;
                let text = if document.requires_expansion {
                    self.here_document(&document.doc.value, depth).text
                } else {
                    document.doc.value.clone()
                };
                self.documents.push(Document { text: text.clone(), reader: None });
                return Some(text.into());
            }
        }
        None
    }

    fn redirected(&mut self, target: &Word) {
        let before = self.writes.len();
        self.write(target.spelt());
        self.plain &= self.writes.len() == before && !self.writes_unknown;
    }

    /// Lets the command at hand read `feed`, if there is any.
    pub(super) fn fed(&mut self, feed: Option<Rc<str>>) -> Fed {
        let replaced = feed.is_some();
        Fed { replaced, before: feed.and_then(|feed| self.feed.replace(feed)) }
    }

    /// Lets what follows read what was fed before.
    pub(super) fn unfeed(&mut self, fed: Fed) {
        if fed.replaced {
            self.feed = fed.before;
        }
    }
}
