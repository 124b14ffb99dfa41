//! What evaluating an expression can cost at most, told from the sizes of the facts beforehand.
//!
//! The evaluator cannot be stopped, and macros multiply: `["aa"].map(a, a + a).map(b, b + b)…` makes
//! gigabytes of a source of 2 KB. So each value's size is followed through the syntax tree, every
//! node visited once, taking the worst wherever it depends on values. Nothing is evaluated here.

use std::collections::BTreeMap;

use ::cel::IdedExpr;
use ::cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, LiteralValue, operators};
use serde_json::Value as Json;

use super::{fact, names};

/// Steps are nodes evaluated and pieces of values copied or compared; one takes 20 to 40 ns.
const MAX_STEPS: u64 = 100_000;
/// A piece of a fact is allocated, hashed and freed when it is taken over: dearer than a step.
const STEPS_TO_TAKE_OVER: u64 = 5;
/// So many bytes of text count as one piece.
const PIECE: usize = 16;

/// How large a value can be.
#[derive(Debug, Clone, Copy, Default)]
struct Bound {
    /// How many items iterating it can give.
    items: u64,
    /// The size of the largest of them.
    item: u64,
    /// All that it holds, in pieces.
    size: u64,
    /// Whether it, or something inside it, can be a map, whose items have no order.
    map: bool,
    map_inside: bool,
}

impl Bound {
    const SCALAR: Self = Self { items: 0, item: 0, size: 1, map: false, map_inside: false };

    fn text(text: &str) -> Self {
        Self { size: 1 + pieces(text), ..Self::SCALAR }
    }

    /// Anything that is found inside of it.
    fn inside(self, size: u64) -> Self {
        Self { items: size, item: size, size, map: self.map_inside, map_inside: self.map_inside }
    }

    fn or(self, other: Self) -> Self {
        Self {
            items: self.items.max(other.items),
            item: self.item.max(other.item),
            size: self.size.max(other.size),
            map: self.map || other.map,
            map_inside: self.map_inside || other.map_inside,
        }
    }

    fn with(self, other: Self) -> Self {
        Self {
            items: self.items.saturating_add(other.items),
            size: self.size.saturating_add(other.size),
            ..self.or(other)
        }
    }

    fn push(&mut self, item: Self) {
        self.items = self.items.saturating_add(1);
        self.item = self.item.max(item.size);
        self.size = self.size.saturating_add(item.size);
        self.map_inside |= item.map || item.map_inside;
    }

    fn of(fact: &Json) -> Self {
        match fact {
            Json::String(text) => Self::text(text),
            Json::Array(items) => items.iter().fold(Self::SCALAR, |mut list, item| {
                list.push(Self::of(item));
                list
            }),
            Json::Object(fields) => {
                let map = Self { map: true, ..Self::SCALAR };
                fields.iter().fold(map, |mut map, (key, field)| {
                    map.push(Self::text(key));
                    let field = Self::of(field);
                    map.size = map.size.saturating_add(field.size);
                    map.map_inside |= field.map || field.map_inside;
                    map
                })
            }
            _ => Self::SCALAR,
        }
    }
}

fn pieces(text: &str) -> u64 {
    u64::try_from(text.len() / PIECE).unwrap_or(u64::MAX)
}

/// Refuses an expression that could take too long with these facts, the outermost of which are taken
/// over whole.
pub(super) fn check<'a>(
    tree: &IdedExpr,
    facts: &Json,
    roots: impl IntoIterator<Item = &'a str>,
) -> Result<(), String> {
    let mut estimate = Estimate {
        facts,
        known: BTreeMap::new(),
        bound: Vec::new(),
        times: 1,
        steps: 0,
        refusal: None,
    };
    for root in roots {
        let fact = facts.get(root).map(Bound::of).unwrap_or_default();
        estimate.charge(fact.size.saturating_mul(STEPS_TO_TAKE_OVER));
    }
    estimate.visit(tree);
    if let Some(refusal) = estimate.refusal {
        return Err(refusal.to_owned());
    }
    if estimate.steps > MAX_STEPS {
        return Err(format!(
            "the expression could take {} steps with these facts, {MAX_STEPS} are the most",
            if estimate.steps == u64::MAX {
                "countless".to_owned()
            } else {
                estimate.steps.to_string()
            },
        ));
    }
    Ok(())
}

struct Estimate<'a> {
    facts: &'a Json,
    /// Facts that were measured, by their dotted names.
    known: BTreeMap<String, Bound>,
    /// What macros have bound to a name.
    bound: Vec<(&'a str, Bound)>,
    /// How often the node at hand is evaluated.
    times: u64,
    steps: u64,
    refusal: Option<&'static str>,
}

impl<'a> Estimate<'a> {
    fn charge(&mut self, steps: u64) {
        self.steps = self.steps.saturating_add(self.times.saturating_mul(steps.saturating_add(1)));
    }

    fn visit(&mut self, expr: &'a IdedExpr) -> Bound {
        match &expr.expr {
            Expr::Literal(literal) => {
                self.charge(0);
                match literal {
                    LiteralValue::String(text) => Bound::text(text.inner()),
                    _ => Bound::SCALAR,
                }
            }
            Expr::Ident(_) => self.name(expr).unwrap_or_default(),
            Expr::Select(select) => {
                let named = if select.test { None } else { self.name(expr) };
                named.unwrap_or_else(|| {
                    let operand = self.visit(&select.operand);
                    self.charge(operand.size);
                    if select.test { Bound::SCALAR } else { operand.inside(operand.size) }
                })
            }
            Expr::Call(call) => self.call(call),
            Expr::List(list) => {
                let mut bound = Bound::SCALAR;
                for element in &list.elements {
                    bound.push(self.visit(element));
                }
                self.charge(bound.size);
                bound
            }
            Expr::Map(map) => {
                let mut bound = Bound { map: true, ..Bound::SCALAR };
                for entry in &map.entries {
                    if let EntryExpr::MapEntry(entry) = &entry.expr {
                        bound.push(self.visit(&entry.key));
                        let value = self.visit(&entry.value);
                        bound.size = bound.size.saturating_add(value.size);
                        bound.map_inside |= value.map || value.map_inside;
                    }
                }
                self.charge(bound.size.saturating_mul(2));
                bound
            }
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::Struct(_) | Expr::Unspecified => Bound::SCALAR,
        }
    }

    /// A name that is spelt out: nothing is copied for it.
    fn name(&mut self, expr: &'a IdedExpr) -> Option<Bound> {
        let fields = names::path(expr)?;
        self.charge(u64::try_from(fields.len()).unwrap_or(u64::MAX));
        if let Some((_, bound)) = self.bound.iter().rev().find(|(name, _)| *name == fields[0]) {
            return Some(if fields.len() == 1 { *bound } else { bound.inside(bound.size) });
        }
        let name = fields.join(".");
        let facts = self.facts;
        let measure = || fact(facts, &name).map(Bound::of).unwrap_or_default();
        Some(*self.known.entry(name.clone()).or_insert_with(measure))
    }

    fn call(&mut self, call: &'a CallExpr) -> Bound {
        let parts: Vec<Bound> = call
            .target
            .as_deref()
            .into_iter()
            .chain(&call.args)
            .map(|part| self.visit(part))
            .collect();
        let all = parts.iter().fold(0_u64, |all, part| all.saturating_add(part.size));
        self.charge(all);
        match (call.func_name.as_str(), parts.as_slice()) {
            (operators::ADD, [left, right]) => left.with(*right),
            (operators::CONDITIONAL, [_, yes, no]) => yes.or(*no),
            (operators::INDEX, [whole, _]) => {
                whole.inside(if whole.map { whole.size } else { whole.item.max(1) })
            }
            // The longest number, 1e308, has 309 digits.
            ("string", [value]) => Bound { size: value.size.saturating_add(20), ..Bound::SCALAR },
            _ => Bound::SCALAR,
        }
    }

    fn comprehension(&mut self, comprehension: &'a ComprehensionExpr) -> Bound {
        let range = self.visit(&comprehension.iter_range);
        self.visit(&comprehension.accu_init);
        let makes_list = matches!(comprehension.accu_init.expr, Expr::List(_));
        if makes_list && range.map {
            self.refusal =
                Some("`map` and `filter` need a list: the fields of a map have no order");
        }
        let outside = self.times;
        self.times = outside.saturating_mul(range.items);
        self.charge(range.item);
        self.bound.push((&comprehension.iter_var, range.inside(range.item)));
        // A step adds to what was gathered, or counts, or tells true from false; so what it makes
        // of nothing is what it adds.
        self.bound.push((&comprehension.accu_var, Bound::default()));
        self.visit(&comprehension.loop_cond);
        let step = self.visit(&comprehension.loop_step);
        self.times = outside;
        self.visit(&comprehension.result);
        self.bound.truncate(self.bound.len() - 2);
        if !makes_list {
            return Bound::SCALAR;
        }
        let gathered = Bound {
            items: range.items,
            item: step.item,
            size: range.items.saturating_mul(step.size).saturating_add(1),
            map: false,
            map_inside: step.map_inside,
        };
        self.charge(gathered.size);
        gathered
    }
}
