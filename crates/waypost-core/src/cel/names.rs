//! The facts that an expression names, found in its syntax tree; and what the tree must not hold.

use std::collections::BTreeSet;

use ::cel::IdedExpr;
use ::cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, SelectExpr};

use super::CelError;
use super::scan::{FUNCTIONS, Source};

/// The deepest syntax tree: macros make more levels of it than the source shows.
const MAX_DEPTH: usize = 128;

/// The dotted names of facts.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    used: BTreeSet<String>,
    /// Those asked for with `has`, which need not be there.
    tested: BTreeSet<String>,
}

impl Names {
    pub(super) fn of(source: &Source<'_>, tree: &IdedExpr) -> Result<Self, CelError> {
        let mut walk = Walk { source, names: Self::default(), bound: Vec::new() };
        walk.visit(tree, 0)?;
        Ok(walk.names)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        let tested = self.tested.iter().filter(|name| !self.used.contains(*name));
        self.used.iter().chain(tested).map(String::as_str)
    }

    /// Names of the outermost objects, which facts are taken over by.
    pub(super) fn roots(&self) -> BTreeSet<&str> {
        self.all().map(|name| name.split('.').next().unwrap_or(name)).collect()
    }

    /// Those that must be there: neither asked for with `has`, nor inside of what was.
    pub(super) fn required(&self) -> impl Iterator<Item = &str> {
        let is_tested = |name: &str| {
            let mut ends = name.match_indices('.').map(|(end, _)| end).chain([name.len()]);
            ends.any(|end| self.tested.contains(&name[..end]))
        };
        self.used.iter().map(String::as_str).filter(move |name| !is_tested(name))
    }
}

/// The fields of a name that is spelt out, the outermost first.
pub(super) fn path(expr: &IdedExpr) -> Option<Vec<&str>> {
    let mut fields = Vec::new();
    let mut expr = expr;
    loop {
        match &expr.expr {
            Expr::Ident(name) => {
                fields.push(name.as_str());
                fields.reverse();
                return Some(fields);
            }
            Expr::Select(select) if !select.test => {
                fields.push(select.field.as_str());
                expr = &select.operand;
            }
            _ => return None,
        }
    }
}

struct Walk<'a, 's> {
    source: &'s Source<'s>,
    names: Names,
    /// Names that a macro binds to the items of a list.
    bound: Vec<&'a str>,
}

impl<'a> Walk<'a, '_> {
    fn visit(&mut self, expr: &'a IdedExpr, depth: usize) -> Result<(), CelError> {
        if depth > MAX_DEPTH {
            let message = format!("the expression nests deeper than {MAX_DEPTH} levels");
            return Err(CelError::new(1, message));
        }
        let depth = depth + 1;
        match &expr.expr {
            Expr::Literal(_) => Ok(()),
            Expr::Ident(name) => {
                self.name(&[name]);
                Ok(())
            }
            Expr::Select(select) => self.visit_select(expr, select, depth),
            Expr::Call(call) => {
                self.check_call(call)?;
                let parts = call.target.as_deref().into_iter().chain(&call.args);
                self.visit_all(parts, depth)
            }
            Expr::List(list) => self.visit_all(&list.elements, depth),
            Expr::Map(map) => map.entries.iter().try_for_each(|entry| match &entry.expr {
                EntryExpr::MapEntry(entry) => self.visit_all([&entry.key, &entry.value], depth),
                EntryExpr::StructField(_) => Err(not_supported()),
            }),
            Expr::Comprehension(comprehension) => self.visit_comprehension(comprehension, depth),
            Expr::Struct(_) | Expr::Unspecified => Err(not_supported()),
        }
    }

    fn visit_all(
        &mut self,
        parts: impl IntoIterator<Item = &'a IdedExpr>,
        depth: usize,
    ) -> Result<(), CelError> {
        parts.into_iter().try_for_each(|part| self.visit(part, depth))
    }

    fn visit_select(
        &mut self,
        expr: &'a IdedExpr,
        select: &'a SelectExpr,
        depth: usize,
    ) -> Result<(), CelError> {
        let Some(mut fields) = path(if select.test { &select.operand } else { expr }) else {
            return self.visit(&select.operand, depth);
        };
        let is_fact = self.name(&fields);
        if is_fact && select.test {
            fields.push(&select.field);
            self.names.tested.insert(fields.join("."));
        }
        Ok(())
    }

    fn visit_comprehension(
        &mut self,
        comprehension: &'a ComprehensionExpr,
        depth: usize,
    ) -> Result<(), CelError> {
        self.visit_all([&comprehension.iter_range, &comprehension.accu_init], depth)?;
        self.bound.extend([comprehension.iter_var.as_str(), comprehension.accu_var.as_str()]);
        let body = [&comprehension.loop_cond, &comprehension.loop_step, &comprehension.result];
        let visited = self.visit_all(body, depth);
        self.bound.truncate(self.bound.len() - 2);
        visited
    }

    /// Notes a name, and tells whether it is a fact's.
    fn name(&mut self, fields: &[&str]) -> bool {
        let is_fact = fields.first().is_some_and(|root| !self.bound.contains(root));
        if is_fact {
            self.names.used.insert(fields.join("."));
        }
        is_fact
    }

    /// A macro that was called in another way than it can be is left as a call.
    fn check_call(&self, call: &CallExpr) -> Result<(), CelError> {
        let name = call.func_name.as_str();
        let Some((_, usage)) = FUNCTIONS.iter().find(|(known, _)| *known == name) else {
            return Ok(());
        };
        let is_well_called = matches!(
            (name, call.target.is_some(), call.args.len()),
            ("size", true, 0)
                | ("contains" | "startsWith" | "endsWith", true, 1)
                | ("size" | "bool" | "double" | "int" | "string" | "uint", false, 1)
        );
        if is_well_called {
            return Ok(());
        }
        Err(self.source.error_at_call(name, format!("`{name}` is written `{usage}`")))
    }
}

fn not_supported() -> CelError {
    CelError::new(1, "the expression makes something else than values, lists and maps")
}
