//! What lies in a session's folder besides spec and plan: research, debugging, notes; listed, and each shown.

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::documents::beside::{self, Beside, Content};
use waypost_app::error::AppError;

use super::head::Head;
use super::seen::Seen;
use crate::asked::{Asked, segment};
use crate::markdown::{Marks, render};
use crate::parts::{code, nothing, text};

#[derive(Debug, Serialize)]
pub(super) struct Told {
    folder: String,
    files: Vec<Beside>,
    /// The one that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<File>,
}

#[derive(Debug, Serialize)]
struct File {
    path: String,
    content: Content,
}

pub(super) fn look(seen: &Seen<'_>, asked: &Asked) -> Result<Told, AppError> {
    let (view, id) = (&seen.view, seen.id());
    let file = asked.get("file").map(|path| {
        Ok::<_, AppError>(File { path: path.to_owned(), content: beside::read(view, id, path)? })
    });
    let folder = waypost_app::view::copy::folder_of(view, id);
    Ok(Told {
        folder: folder.display().to_string(),
        files: beside::list(view, id),
        file: file.transpose()?,
    })
}

pub(super) fn show(told: &Told, head: &Head, asked: &Asked) -> Markup {
    if told.files.is_empty() && told.file.is_none() {
        return nothing(
            "No files lie beside this session.",
            html! {
                p { "What agents find out goes to " (code(&format!("{}/research", told.folder))) ", what they look into to " (code(&format!("{}/debug", told.folder))) "." }
            },
        );
    }
    let here = asked.get("file");
    html! {
        div.beside {
            nav.listed aria-label="Files" {
                @for (title, files) in grouped(&told.files) {
                    h2 { (text(title)) }
                    ul {
                        @for file in files {
                            li data-row {
                                a href={ (head.address) "?tab=files&file=" (segment(&file.path)) } data-open
                                    aria-current=[(here == Some(file.path.as_str())).then_some("true")] {
                                    (text(below(&file.path)))
                                }
                                " " span.dim { (size(file.bytes)) }
                            }
                        }
                    }
                }
            }
            @if let Some(file) = &told.file {
                article.document id="file" {
                    h2 { (code(&file.path)) }
                    (content(file))
                }
            } @else {
                p.dim { "Choose a file." }
            }
        }
    }
}

fn content(file: &File) -> Markup {
    match &file.content {
        Content::Text(said) if file.path.to_lowercase().ends_with(".md") => {
            render(said, &Marks::default())
        }
        Content::Text(said) => html! { pre tabindex="0" { (text(said)) } },
        Content::Binary => nothing("This file is no text.", html! {}),
        Content::TooLong => nothing("This file is too long to be shown here.", html! {}),
    }
}

/// Files by their top folder.
fn grouped(files: &[Beside]) -> Vec<(&str, Vec<&Beside>)> {
    let mut groups: Vec<(&str, Vec<&Beside>)> = Vec::new();
    for file in files {
        let folder = file.path.split_once('/').map_or("Beside them", |(folder, _)| folder);
        match groups.iter_mut().find(|(known, _)| *known == folder) {
            Some((_, group)) => group.push(file),
            None => groups.push((folder, vec![file])),
        }
    }
    // Folders first.
    groups.sort_by_key(|(folder, _)| *folder == "Beside them");
    groups
}

fn below(path: &str) -> &str {
    path.split_once('/').map_or(path, |(_, below)| below)
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KB", bytes / 1024),
        _ => format!("{} MB", bytes / 1_048_576),
    }
}
