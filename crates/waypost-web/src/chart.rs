//! Figures as bars, made here as SVG: for eyes, and in words for whoever does not see them. Widths are parts of the room that
//! there is, so that letters stay as large as they are on any screen.

use maud::{Markup, html};
use waypost_core::text::{one_line, shortened};

use crate::parts::text;

/// How high the room for columns is, and for what stands below them.
const HEIGHT: f64 = 170.0;
const BELOW: f64 = 26.0;
/// Where the highest line lies: its number needs room above.
const ABOVE: f64 = 10.0;
/// How many columns share the room at least: one alone is no wall.
const LEAST: usize = 8;
/// How many columns have their names below, at most.
const NAMED: usize = 5;
/// How much higher each of several bars is that lie below each other, and where its parts are.
const STEP: f64 = 42.0;
const LINE: f64 = 14.0;
const THICK: f64 = 12.0;
/// How much of a name leaves room for a number on a small screen, in characters.
const NAME: usize = 30;

/// A bar.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bar {
    /// Its name.
    pub(crate) name: String,
    /// What it is made of: how much, and the class that it is drawn with.
    pub(crate) parts: Vec<(f64, &'static str)>,
    /// How much that is, in words.
    pub(crate) told: String,
}

/// Bars that belong together.
#[derive(Debug)]
pub(crate) struct Chart<'a> {
    /// Its name in the page, of letters.
    pub(crate) id: &'a str,
    /// What it shows, in a sentence.
    pub(crate) title: &'a str,
    /// The bars.
    pub(crate) bars: &'a [Bar],
    /// How a number is told at an axis.
    pub(crate) unit: fn(f64) -> String,
}

impl Bar {
    /// One of a single part.
    pub(crate) fn plain(name: String, value: f64, told: String) -> Self {
        Self { name, parts: vec![(value, "bar")], told }
    }

    fn all(&self) -> f64 {
        self.parts.iter().map(|(value, _)| value).sum()
    }
}

impl Chart<'_> {
    fn most(&self) -> f64 {
        self.bars.iter().map(Bar::all).fold(0.0, f64::max)
    }

    /// What it shows, for whoever does not see it.
    fn words(&self) -> String {
        let (Some(first), Some(last)) = (self.bars.first(), self.bars.last()) else {
            return "There is nothing to show.".to_owned();
        };
        let highest = self.bars.iter().max_by(|one, other| one.all().total_cmp(&other.all()));
        let highest = highest.unwrap_or(first);
        format!(
            "{} bars, from {} to {}. The longest is {}: {}. The table below has all figures.",
            self.bars.len(),
            first.name,
            last.name,
            highest.name,
            highest.told
        )
    }

    fn labels(&self) -> Markup {
        html! {
            title id={ (self.id) "-title" } { (text(self.title)) }
            desc id={ (self.id) "-desc" } { (text(&self.words())) }
        }
    }

    fn labelled(&self) -> String {
        format!("{id}-title {id}-desc", id = self.id)
    }

    /// As columns beside each other, such as days.
    pub(crate) fn columns(&self) -> Markup {
        let top = rounded_up(self.most());
        let lines = [0.0, 0.5, 1.0].map(|part| (HEIGHT - part * (HEIGHT - ABOVE), top * part));
        let total = px(HEIGHT + BELOW);
        html! {
            figure.chart id=(self.id) {
                svg.axis width="56" height=(total) aria-hidden="true" {
                    @for (y, value) in lines {
                        text x="50" y=(px(y + 4.0)) text-anchor="end" { ((self.unit)(value)) }
                    }
                }
                svg width="100%" height=(total) role="img" aria-labelledby=(self.labelled()) {
                    (self.labels())
                    @for (y, _) in lines { line.grid x1="0" x2="100%" y1=(px(y)) y2=(px(y)) {} }
                    @for (place, bar) in self.bars.iter().enumerate() { (self.column(place, bar, top)) }
                }
            }
        }
    }

    fn column(&self, place: usize, bar: &Bar, top: f64) -> Markup {
        let slot = 100.0 / number(self.bars.len().max(LEAST));
        let left = slot * number(place);
        let every = self.bars.len().div_ceil(NAMED).max(1);
        let mut y = HEIGHT;
        let parts = bar.parts.iter().filter(|(value, _)| *value > 0.0).map(|(value, class)| {
            // Whatever is there at all is seen.
            let height = (value / top * (HEIGHT - ABOVE)).max(1.0);
            y -= height;
            (*class, y, height)
        });
        let parts: Vec<(&str, f64, f64)> = parts.collect();
        html! {
            g {
                title { (text(&bar.name)) ": " (text(&bar.told)) }
                @for (class, y, height) in parts {
                    rect class=(class) x=(percent(left + slot * 0.12)) y=(px(y)) width=(percent(slot * 0.76)) height=(px(height)) {}
                }
            }
            @if (self.bars.len() - 1 - place).is_multiple_of(every) {
                @let (x, anchor) = below(left, slot);
                text x=(percent(x)) y=(px(HEIGHT + 18.0)) text-anchor=(anchor) { (text(short(&bar.name))) }
            }
        }
    }

    /// As bars below each other, with names of any length.
    pub(crate) fn rows(&self) -> Markup {
        let most = self.most().max(f64::MIN_POSITIVE);
        let height = px(STEP * number(self.bars.len()));
        html! {
            figure.chart.lying id=(self.id) {
                svg width="100%" height=(height) role="img" aria-labelledby=(self.labelled()) {
                    (self.labels())
                    @for (place, bar) in self.bars.iter().enumerate() { (row(place, bar, most)) }
                }
            }
        }
    }
}

fn row(place: usize, bar: &Bar, most: f64) -> Markup {
    let y = STEP * number(place);
    let mut left = 0.0;
    let parts = bar.parts.iter().filter(|(value, _)| *value > 0.0).map(|(value, class)| {
        let width = (value / most * 100.0).max(0.2);
        left += width;
        (*class, left - width, width)
    });
    let parts: Vec<(&str, f64, f64)> = parts.collect();
    html! {
        g {
            text.name x="0" y=(px(y + LINE)) { (shortened(&one_line(&bar.name), NAME)) }
            text x="100%" y=(px(y + LINE)) text-anchor="end" { (text(&bar.told)) }
            rect.ground x="0" y=(px(y + LINE + 5.0)) width="100%" height=(px(THICK)) {}
            @for (class, left, width) in parts {
                rect class=(class) x=(percent(left)) y=(px(y + LINE + 5.0)) width=(percent(width)) height=(px(THICK)) {}
            }
        }
    }
}

/// Where a name stands below its column: no name leaves the room at its sides.
fn below(left: f64, slot: f64) -> (f64, &'static str) {
    match left + slot / 2.0 {
        ..6.0 => (left, "start"),
        94.0.. => (left + slot, "end"),
        middle => (middle, "middle"),
    }
}

/// A day without its year.
fn short(name: &str) -> &str {
    match name.split_once('-') {
        Some((year, day)) if year.len() == 4 && day.len() >= 5 => day,
        _ => name,
    }
}

#[expect(clippy::cast_precision_loss, reason = "there are not so many bars")]
fn number(count: usize) -> f64 {
    count as f64
}

/// The next of a few plain numbers, with any number of zeros, so that people read at once where an axis ends.
fn rounded_up(most: f64) -> f64 {
    if most <= 0.0 || !most.is_finite() {
        return 1.0;
    }
    let unit = 10_f64.powf(most.log10().floor());
    let steps = [1.0, 1.2, 1.6, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0].map(|step| step * unit);
    steps.into_iter().find(|step| *step >= most * 0.999_999).unwrap_or(most)
}

fn px(value: f64) -> String {
    format!("{value:.1}")
}

fn percent(value: f64) -> String {
    format!("{value:.2}%")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(bars: &[Bar]) -> Chart<'_> {
        Chart { id: "c", title: "What it cost", bars, unit: |value| format!("${value}") }
    }

    fn bar(name: &str, value: f64) -> Bar {
        Bar::plain(name.to_owned(), value, format!("${value}"))
    }

    #[test]
    fn an_axis_ends_with_a_plain_number() {
        let found = [0.0, 0.03, 1.0, 1.1, 2.2, 4.0, 7.0, 43.0, 120_000.0].map(rounded_up);
        for (found, expected) in
            found.into_iter().zip([1.0, 0.03, 1.0, 1.2, 3.0, 4.0, 8.0, 60.0, 120_000.0])
        {
            assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
        }
    }

    #[test]
    fn it_is_told_in_words() {
        let bars = [bar("2026-11-17", 1.0), bar("2026-11-18", 4.0)];
        let shown = chart(&bars).columns().into_string();
        assert!(shown.contains("role=\"img\" aria-labelledby=\"c-title c-desc\""), "{shown}");
        assert!(shown.contains("The longest is 2026-11-18: $4."), "{shown}");
        assert!(!shown.contains("style="), "{shown}");
        assert!(shown.contains(">11-17</text>"), "{shown}");
    }

    #[test]
    fn what_is_there_is_seen_and_what_is_not_is_not() {
        let bars = [bar("a", 0.000_1), bar("b", 0.0), bar("c", 100.0)];
        for shown in [chart(&bars).columns(), chart(&bars).rows()] {
            assert_eq!(shown.into_string().matches("class=\"bar\"").count(), 2);
        }
    }

    #[test]
    fn names_do_nothing_but_stand_there() {
        let bars = [bar("<script>alert(1)</script>\u{202e}", 1.0)];
        for shown in [chart(&bars).columns(), chart(&bars).rows()] {
            let shown = shown.into_string();
            assert!(!shown.contains("<script") && !shown.contains('\u{202e}'), "{shown}");
        }
        assert!(chart(&[]).columns().into_string().contains("nothing to show"));
    }
}
