//! Front matter of notes. Notes that were written twice have two blocks of it, one after the other, and lines that were
//! put together by hand are not always YAML: each line is read by itself.

/// No more lines of front matter than this are read in a block.
const MAX_LINES: usize = 200;
/// No more blocks than this are read.
const MAX_BLOCKS: usize = 3;
/// What the second block has one of, at least: else it is text between two rules.
const USUAL: &[&str] = &["title", "type", "status", "permalink", "date", "tags", "created"];

/// The front matter of a note, and what follows.
#[derive(Debug, Default)]
pub(super) struct Matter<'t> {
    fields: Vec<(String, String)>,
    /// What follows.
    pub(super) body: &'t str,
}

impl<'t> Matter<'t> {
    /// Takes a text apart; one without front matter is all body.
    pub(super) fn of(text: &'t str) -> Self {
        let mut matter = Self { fields: Vec::new(), body: text };
        for block in 0..MAX_BLOCKS {
            let Some((fields, body)) = read_block(matter.body, block > 0) else { break };
            let is_usual = fields.iter().any(|(key, _)| USUAL.contains(&key.as_str()));
            if block > 0 && !is_usual {
                break;
            }
            matter.fields.extend(fields);
            matter.body = body;
        }
        matter
    }

    /// Whether there is any.
    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// All values of a field, the first block's first.
    pub(super) fn all(&self, key: &str) -> impl Iterator<Item = &str> {
        let own = self.fields.iter().filter(move |(known, _)| known == key);
        own.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// The first value of a field of one of these names.
    pub(super) fn get(&self, keys: &[&str]) -> Option<&str> {
        keys.iter().find_map(|key| self.all(key).next())
    }
}

/// The first block. A `strict` one is not taken where a line of it is a sentence: that is text between two rules.
fn read_block(text: &str, strict: bool) -> Option<(Vec<(String, String)>, &str)> {
    let rest = text.trim_start();
    let first = rest.lines().next()?;
    if first.trim_end() != "---" {
        return None;
    }
    let start = rest.find('\n')? + 1;
    let mut fields = Vec::new();
    let mut read = start;
    for line in rest[start..].split_inclusive('\n').take(MAX_LINES) {
        read += line.len();
        let line = line.trim_end();
        if line == "---" {
            return Some((fields, &rest[read..]));
        }
        let is_field = !line.starts_with([' ', '\t', '-', '#', '|', '>', '*']);
        match line.split_once(':').filter(|_| is_field) {
            Some((key, value)) if !strict || !key.contains(' ') => {
                fields.push((key.trim().to_lowercase(), plain(value)));
            }
            _ if strict && is_field && !line.is_empty() => return None,
            _ => {}
        }
    }
    None
}

fn plain(value: &str) -> String {
    let value = value.trim();
    let value = value.split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']);
    if matches!(value, "null" | "~") { String::new() } else { value.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_follow_each_other_are_one() {
        let text = "---\npermalink: a\ntype: note\n---\r\n\r\n---\n\ntitle: T\n\nstatus: 'PAUSED' # so\ntags:\n\n- a\n---\n\n# X\n";
        let matter = Matter::of(text);
        assert_eq!(matter.get(&["status"]), Some("PAUSED"));
        assert_eq!(matter.body, "\n# X\n");
        assert_eq!(Matter::of("# X\n").body, "# X\n");
        assert!(Matter::of("---\nno end: 1\n").is_empty());
        let ruled = Matter::of("---\na: b\n---\n---\nSome text here.\n---\n");
        assert_eq!(ruled.body, "---\nSome text here.\n---\n");
        let ruled = Matter::of("---\na: b\n---\n---\nobjective: x\n---\n");
        assert_eq!(ruled.body, "---\nobjective: x\n---\n");
    }
}
