//! What one conversation used, by the rows of the index, for whoever looks at it alone.

use std::collections::BTreeMap;

use serde::Serialize;
use waypost_core::cost::{PriceList, Sum, Tokens};
use waypost_core::tables::{Cell, TranscriptRow, UsageCountedRow, UsageQuarterRow};
use waypost_core::time::Timestamp;

use super::own;
use crate::error::AppError;
use crate::index::{Ask, Rows};
use crate::machine::host::Host;
use crate::transcripts::Kept;
use crate::usage::{UNKNOWN, prices};

/// What a conversation used.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Used {
    /// In US dollars; none where no price is known.
    pub usd: Option<f64>,
    /// All tokens.
    pub tokens: u64,
    /// How many of them have no known price.
    pub unpriced_tokens: u64,
    /// By model, that of which most was used first.
    pub models: Vec<UsedOf>,
    /// When something was used first.
    pub first: Option<Timestamp>,
}

/// What was used of a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UsedOf {
    /// The model.
    pub name: String,
    /// In US dollars; none where no price is known.
    pub usd: Option<f64>,
    /// Its tokens.
    pub tokens: u64,
    /// What went in that no cache had.
    pub input: u64,
    /// What came out.
    pub output: u64,
}

/// What a conversation used: by its transcripts, and where there are none any more, by the records of its sessions.
pub fn of_conversation(
    host: &Host,
    kept: &[Kept],
    rows: &Rows,
    id: &str,
    transcripts: &[TranscriptRow],
) -> Result<Used, AppError> {
    let folder = transcripts.iter().find_map(|row| row.folder.as_deref());
    let (usual, _) = prices::built_in(kept.iter().map(|kept| kept.reader));
    let at = folder.map_or_else(|| host.cwd.clone(), std::path::PathBuf::from);
    let list = PriceList { own: own(&at), usual };
    let mut sums = Sums { list, of_model: BTreeMap::new(), first: None };
    for file in transcripts {
        let with = [("file", Cell::Int(file.file))];
        for row in rows.of::<UsageQuarterRow>(Ask { with: &with, ..Ask::default() })? {
            sums.add(&row.model, row.tokens(), row.first);
        }
    }
    if transcripts.is_empty() {
        let with = [("conversation", Cell::Text(id.to_owned()))];
        for row in rows.of::<UsageCountedRow>(Ask { with: &with, ..Ask::default() })? {
            let tokens = Tokens {
                input: row.input,
                output: row.output,
                cache_read: row.cache_read,
                cache_write_5m: row.cache_write_5m,
                cache_write_1h: row.cache_write_1h,
            };
            sums.add(&row.model, tokens, Some(row.time));
        }
    }
    Ok(sums.told())
}

struct Sums {
    list: PriceList,
    of_model: BTreeMap<String, Sum>,
    first: Option<Timestamp>,
}

impl Sums {
    fn add(&mut self, model: &str, tokens: Tokens, time: Option<Timestamp>) {
        let model = if model.is_empty() { UNKNOWN } else { model };
        let price = self.list.price(model, time);
        self.of_model.entry(model.to_owned()).or_default().add(tokens, price);
        self.first = [self.first, time].into_iter().flatten().min();
    }

    fn told(self) -> Used {
        let mut told = Used { first: self.first, ..Used::default() };
        for (name, sum) in self.of_model {
            let (tokens, cost) = (sum.tokens.all(), sum.usd());
            told.usd = [told.usd, cost].into_iter().flatten().reduce(|one, other| one + other);
            told.tokens = told.tokens.saturating_add(tokens);
            told.unpriced_tokens = told.unpriced_tokens.saturating_add(sum.unpriced);
            let (input, output) = (sum.tokens.input, sum.tokens.output);
            told.models.push(UsedOf { name, usd: cost, tokens, input, output });
        }
        told.models.retain(|model| model.tokens > 0);
        told.models.sort_by_key(|model| std::cmp::Reverse(model.tokens));
        told
    }
}
