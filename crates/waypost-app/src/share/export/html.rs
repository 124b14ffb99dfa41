//! A session as one page that a team mate can open: no script, nothing that is fetched, light and dark.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::sheet::{Item, PhaseLine, Sheet};

const STYLE: &str = "
:root{color-scheme:light dark;--line:#8884;--dim:#767676;--good:#2a7d46;--bad:#b3372f;--run:#2f6fb3}
body{font:16px/1.55 system-ui,sans-serif;max-width:56rem;margin:2.5rem auto;padding:0 1.25rem}
h1{font-size:1.6rem;line-height:1.25;margin:.2rem 0}h2{font-size:1.1rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line);padding-bottom:.25rem}
.status{display:inline-block;border:1px solid currentColor;border-radius:1rem;padding:0 .7rem;font-size:.85rem}
.completed{color:var(--good)}.failed{color:var(--bad)}.active{color:var(--run)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:1rem 0}dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}
ol.phases{list-style:none;padding:0;display:flex;gap:.35rem;flex-wrap:wrap}
ol.phases li{flex:1 1 8rem;border-top:.35rem solid var(--line);padding:.35rem 0;font-size:.9rem}
ol.phases .passed{border-color:var(--good)}ol.phases .failed{border-color:var(--bad);color:inherit}ol.phases .under{border-color:var(--run)}
small,.when{color:var(--dim)}ul{padding-left:1.2rem}li{overflow-wrap:anywhere;margin:.25rem 0}li p{margin:0;white-space:pre-wrap}
pre{overflow:auto;background:#8881;padding:1rem;border-radius:.4rem;font-size:.85rem;white-space:pre-wrap}
summary{cursor:pointer}footer{margin-top:3rem;color:var(--dim);font-size:.8rem;overflow-wrap:anywhere}
@media print{details{display:none}}";

pub(super) fn render(sheet: &Sheet) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                // Nothing in it may run or fetch anything, whatever somebody wrote.
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                title { (sheet.title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                span class={ "status " (sheet.status) } { (sheet.status) }
                h1 { (sheet.title) }
                dl { @for (name, value) in &sheet.facts { dt { (name) } dd { (value) } } }
                @if !sheet.phases.is_empty() {
                    h2 { "Phases" }
                    ol.phases { @for phase in &sheet.phases { (phase_item(phase)) } }
                }
                @for section in &sheet.sections {
                    h2 { (section.title) }
                    ul { @for one in &section.items { (item(one)) } }
                }
                @for (name, text) in &sheet.files {
                    h2 { (name) }
                    details { summary { "Show" } pre { (text) } }
                }
                footer { (sheet.foot) }
            }
        }
    };
    page.into_string() + "\n"
}

fn phase_item(phase: &PhaseLine) -> Markup {
    // What took longer is wider.
    let width = (phase.active_ms / 60_000).clamp(1, 240);
    let class = phase.mark.split(' ').next().unwrap_or_default();
    html! {
        li class=(class) style={ "flex-grow:" (width) } {
            strong { (phase.name) } " " span { (phase.mark) }
            @if !phase.times.is_empty() { br; small { (phase.times) } }
        }
    }
}

fn item(item: &Item) -> Markup {
    html! {
        li {
            @if !item.when.is_empty() { span.when { (item.when) } " " }
            @if !item.label.is_empty() { strong { (item.label) } " " }
            p { (item.text) }
        }
    }
}
