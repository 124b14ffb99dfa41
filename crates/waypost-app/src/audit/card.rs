//! The figures of an audit as a picture: one file, no script, nothing from elsewhere.

use waypost_core::text::spoken::count;

use super::{Audit, Counts};

/// What a bar consists of: how many, which colour, which words.
pub(super) fn parts(counts: &Counts) -> [(u64, &'static str, &'static str); 5] {
    [
        (counts.verified, "#2e7d32", "verified"),
        (counts.stale, "#f9a825", "stale"),
        (counts.failed, "#c62828", "failed"),
        (counts.never_ran, "#6a1b9a", "never ran"),
        (counts.not_seen, "#9e9e9e", "not seen"),
    ]
}

/// How many of a hundred claims were verified, of those that can be known.
pub(super) fn verified_percent(counts: &Counts) -> Option<u64> {
    let known = counts.claims - counts.not_seen;
    (known > 0).then(|| (counts.verified * 100 + known / 2) / known)
}

/// The picture.
pub fn card(audit: &Audit) -> String {
    const WIDTH: u64 = 520;
    let counts = &audit.counts;
    let title = match verified_percent(counts) {
        Some(percent) => format!("{percent}% of “done” was verified"),
        None => "no claims that can be judged".to_owned(),
    };
    let (mut bars, mut legend, mut x) = (String::new(), String::new(), 40);
    for (at, (number, colour, name)) in (0_u64..).zip(parts(counts)) {
        let width = (number * WIDTH).checked_div(counts.claims).unwrap_or(0);
        bars.push_str(&format!(
            "<rect x=\"{x}\" y=\"96\" width=\"{width}\" height=\"28\" fill=\"{colour}\"/>"
        ));
        x += width;
        let at = 40 + at * 106;
        legend.push_str(&format!(
            "<rect x=\"{at}\" y=\"144\" width=\"12\" height=\"12\" fill=\"{colour}\"/>\
             <text x=\"{}\" y=\"154\" font-size=\"13\">{number} {name}</text>",
            at + 18
        ));
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"600\" height=\"190\" viewBox=\"0 0 600 190\" \
         role=\"img\" font-family=\"system-ui, sans-serif\" fill=\"#222\">\
         <title>{title}</title><rect width=\"600\" height=\"190\" rx=\"10\" fill=\"#fff\" stroke=\"#ddd\"/>\
         <text x=\"40\" y=\"50\" font-size=\"24\" font-weight=\"600\">{title}</text>\
         <text x=\"40\" y=\"78\" font-size=\"14\" fill=\"#666\">{} in {}, by their transcripts</text>\
         {bars}{legend}\
         <text x=\"40\" y=\"178\" font-size=\"11\" fill=\"#888\">made by Waypost</text></svg>\n",
        count(counts.claims, "claim"),
        count(counts.turns, "turn")
    )
}
