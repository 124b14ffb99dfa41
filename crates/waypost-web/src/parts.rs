//! The small things that pages are made of: times, marks, gates, ids.

use maud::{Markup, html};
use waypost_app::machine::local_time::Zone;
use waypost_core::text::printable;
use waypost_core::time::Timestamp;

/// What pages are shown with: the time, the zone of clocks here, and what forms carry along.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    zone: Zone,
    now: Timestamp,
    form: &'a str,
}

/// How a thing stands, by colour; the word for it always stands beside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Done, met, verified.
    Good,
    /// Somebody has to see to it.
    Bad,
    /// It may become bad.
    Warn,
    /// Something is at work.
    Busy,
    /// Nothing of these.
    Calm,
}

impl Tone {
    fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Warn => "warn",
            Self::Busy => "busy",
            Self::Calm => "calm",
        }
    }
}

impl<'a> Parts<'a> {
    /// What pages are shown with at this time.
    pub(crate) fn new(now: Timestamp, form: &'a str) -> Self {
        Self { zone: Zone::here(), now, form }
    }

    /// What every form carries along: nothing is done that no page of ours asked for.
    pub(crate) fn carried(&self) -> Markup {
        html! { input type="hidden" name="form" value=(self.form); }
    }

    /// A time: how long ago, and exactly on hovering. Where scripts run it is kept up.
    pub(crate) fn ago(&self, time: Timestamp) -> Markup {
        html! { time datetime=(time) title=(self.exact(time)) data-ago { (self.since(time)) } }
    }

    /// A time, exactly.
    pub(crate) fn at(&self, time: Timestamp) -> Markup {
        html! { time datetime=(time) { (self.exact(time)) } }
    }

    /// A time of day, and the date where it is another day.
    pub(crate) fn clock(&self, time: Timestamp) -> Markup {
        let (exact, today) = (self.exact(time), self.exact(self.now));
        let shown = if exact[..10] == today[..10] { &exact[11..16] } else { &exact[5..16] };
        html! { time datetime=(time) title=(exact) { (shown) } }
    }

    /// `2026-11-19 14:02:11` on clocks here.
    pub(crate) fn exact(&self, time: Timestamp) -> String {
        let offset = i64::from(self.zone.offset(time)) * 1000;
        let here = Timestamp::saturating_from_millis(time.as_millis().saturating_add(offset));
        here.to_string().replace('T', " ").chars().take(19).collect()
    }

    fn since(&self, time: Timestamp) -> String {
        let seconds = (self.now.as_millis() - time.as_millis()).max(0) / 1000;
        match seconds {
            0..60 => "just now".to_owned(),
            60..3600 => format!("{} min ago", seconds / 60),
            3600..86_400 => format!("{} h ago", seconds / 3600),
            86_400..172_800 => "yesterday".to_owned(),
            _ => format!("{} days ago", seconds / 86_400),
        }
    }
}

/// A word with a mark before it.
pub(crate) fn mark(tone: Tone, word: &str) -> Markup {
    html! { span class={ "mark " (tone.class()) } { (word) } }
}

/// What somebody wrote, with nothing that steers or hides.
pub(crate) fn text(text: &str) -> Markup {
    // Of a long page most is such a text, and looking at each character takes longer than anything else.
    let is_plain = text.bytes().all(|byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~'));
    if is_plain {
        html! { (text) }
    } else {
        html! { (printable(text)) }
    }
}

/// Something that is typed or named by machines.
pub(crate) fn code(text: &str) -> Markup {
    html! { code { (self::text(text)) } }
}

/// Where there is nothing to show: what that means, and what to do.
#[expect(clippy::needless_pass_by_value, reason = "it is made for this")]
pub(crate) fn nothing(what: &str, next: Markup) -> Markup {
    html! { div.nothing { p { (what) } div { (next) } } }
}

/// An amount of money.
pub(crate) fn usd(amount: f64) -> String {
    if amount > 0.0 && amount < 0.01 { "< $0.01".to_owned() } else { format!("${amount:.2}") }
}

/// A number that people read: `12 345`, `1.2 M`.
pub(crate) fn many(number: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "it is shown with two digits")]
    let short = |unit: u64| number as f64 / unit as f64;
    match number {
        0..10_000 => number.to_string(),
        10_000..1_000_000 => format!("{:.0} k", short(1_000)),
        1_000_000..1_000_000_000 => format!("{:.1} M", short(1_000_000)),
        _ => format!("{:.1} G", short(1_000_000_000)),
    }
}
