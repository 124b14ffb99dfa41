//! A lambda read by Python's grammar, as far as expressions can say the same.

use std::collections::BTreeSet;

use super::Meaning;
use super::part::{Kind, Parsed, Part, calculated, comparison, join, literal, text, truth};
use super::tokens::Token;

/// Nobody nests deeper by hand.
const MAX_DEPTH: usize = 24;

pub(super) struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    meaning: Meaning<'a>,
    subject: String,
    parameters: Vec<String>,
    names: BTreeSet<String>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(tokens: Vec<Token>, meaning: Meaning<'a>) -> Self {
        let (subject, parameters, names) = (String::new(), Vec::new(), BTreeSet::new());
        Self { tokens, at: 0, depth: 0, meaning, subject, parameters, names }
    }

    /// The whole lambda, and the fields that it names.
    pub(super) fn lambda(mut self) -> Parsed<(String, BTreeSet<String>)> {
        self.word("lambda");
        self.subject = self.name()?;
        while self.sign(",") {
            let name = self.name()?;
            self.parameters.push(name);
        }
        self.expect(":")?;
        let body = self.either()?;
        if let Some(rest) = self.tokens.get(self.at) {
            return Err(format!("{} stands in it", shown(rest)));
        }
        Ok((truth(&body)?, self.names))
    }

    fn either(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("it is nested too deeply".to_owned());
        }
        let parts = self.joined("or", Self::both)?;
        self.depth -= 1;
        Ok(join(parts, " || "))
    }

    fn both(&mut self) -> Parsed {
        let parts = self.joined("and", Self::negated)?;
        Ok(join(parts, " && "))
    }

    /// Parts with a word between them, each as a condition where there are several.
    fn joined(&mut self, word: &str, part: fn(&mut Self) -> Parsed) -> Parsed<Vec<Part>> {
        let mut parts = vec![part(self)?];
        while self.word(word) {
            parts.push(part(self)?);
        }
        if parts.len() == 1 {
            return Ok(parts);
        }
        let exact = parts.iter().all(|part| part.kind == Kind::Bool);
        let kind = if exact { Kind::Bool } else { Kind::Truth };
        parts.iter().map(|part| Ok(Part::new(truth(part)?, kind))).collect()
    }

    fn negated(&mut self) -> Parsed {
        let mut times = 0;
        while self.word("not") {
            times += 1;
        }
        let part = self.compared()?;
        if times == 0 {
            return Ok(part);
        }
        let held = truth(&part)?;
        let text = if times % 2 == 1 { format!("!({held})") } else { held };
        Ok(Part::new(text, Kind::Bool))
    }

    fn compared(&mut self) -> Parsed {
        let mut left = self.sum()?;
        let mut conditions = Vec::new();
        while let Some(operator) = self.operator() {
            let right = self.sum()?;
            conditions.push(comparison(&left, operator, &right)?);
            left = right;
        }
        match conditions.len() {
            0 => Ok(left),
            1 => Ok(Part::new(conditions.remove(0), Kind::Bool)),
            _ => Ok(Part::new(format!("({})", conditions.join(" && ")), Kind::Bool)),
        }
    }

    fn operator(&mut self) -> Option<&'static str> {
        for operator in ["<=", ">=", "==", "!=", "<", ">"] {
            if self.sign(operator) {
                return Some(operator);
            }
        }
        let after_not = self.tokens.get(self.at + 1) == Some(&Token::Name("in".to_owned()));
        if after_not && self.word("not") {
            self.at += 1;
            return Some("not in");
        }
        if self.word("in") {
            return Some("in");
        }
        if self.word("is") {
            return Some(if self.word("not") { "is not" } else { "is" });
        }
        None
    }

    fn sum(&mut self) -> Parsed {
        let mut left = self.product()?;
        while let Some(operator) = ["+", "-"].into_iter().find(|sign| self.sign(sign)) {
            let right = self.product()?;
            left = calculated(&left, operator, &right)?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Parsed {
        let mut left = self.signed()?;
        while self.sign("*") {
            let right = self.signed()?;
            left = calculated(&left, "*", &right)?;
        }
        Ok(left)
    }

    fn signed(&mut self) -> Parsed {
        if self.sign("-") {
            let part = self.member()?;
            return match part.kind {
                Kind::Int | Kind::Float => Ok(Part::new(format!("(-{})", part.text), part.kind)),
                _ => Err("`-` stands before what is no number".to_owned()),
            };
        }
        self.member()
    }

    /// A value with what is asked of it: `e['a']`, `e.get('a', 0)`, `x.startswith('a')`.
    fn member(&mut self) -> Parsed {
        let mut part = self.value()?;
        loop {
            if self.sign("[") {
                let Some(Token::Text(key)) = self.next() else {
                    return Err("it takes a part by something other than a name".to_owned());
                };
                self.expect("]")?;
                part = self.item(&part, &key)?;
            } else if self.sign(".") {
                let method = self.name()?;
                self.expect("(")?;
                part = self.method(&part, &method)?;
            } else {
                return Ok(part);
            }
        }
    }

    fn item(&mut self, of: &Part, key: &str) -> Parsed {
        match of.kind {
            Kind::Evidence => {
                self.names.insert(key.to_owned());
                Ok(Part::new(format!("fields[{}]", text(key)), self.kind_of(key)))
            }
            Kind::Map => Ok(Part::new(format!("{}[{}]", of.text, text(key)), Kind::Any)),
            _ => Err(format!("it takes `{key}` of what is no map")),
        }
    }

    fn method(&mut self, of: &Part, method: &str) -> Parsed {
        let called = match (of.kind, method) {
            (Kind::Evidence, "get") => return self.get(),
            (Kind::Text, "startswith") => "startsWith",
            (Kind::Text, "endswith") => "endsWith",
            _ => return Err(format!("it calls `.{method}()`")),
        };
        let Some(Token::Text(given)) = self.next() else {
            return Err(format!("it calls `.{method}()` with something other than a text"));
        };
        self.expect(")")?;
        Ok(Part::new(format!("{}.{called}({})", of.text, text(&given)), Kind::Bool))
    }

    /// What follows `e.get(`.
    fn get(&mut self) -> Parsed {
        let Some(Token::Text(key)) = self.next() else {
            return Err("it calls `.get()` with something other than a name".to_owned());
        };
        self.names.insert(key.clone());
        let (name, kind) = (text(&key), self.kind_of(&key));
        let field = format!("fields[{name}]");
        if !self.sign(",") {
            self.expect(")")?;
            return Ok(Part { maybe: Some(key), ..Part::new(field, kind) });
        }
        let otherwise = self.sum()?;
        self.expect(")")?;
        let kind = if kind == otherwise.kind { kind } else { Kind::Any };
        Ok(Part::new(format!("({name} in fields ? {field} : {})", otherwise.text), kind))
    }

    fn value(&mut self) -> Parsed {
        match self.next() {
            Some(Token::Int(number)) => Ok(Part::new(number.to_string(), Kind::Int)),
            Some(Token::Float(number)) => Ok(Part::new(number, Kind::Float)),
            Some(Token::Text(value)) => Ok(Part::new(text(&value), Kind::Text)),
            Some(Token::Sign("(")) => {
                let part = self.either()?;
                self.expect(")")?;
                Ok(Part { text: format!("({})", part.text), ..part })
            }
            Some(Token::Sign("[")) => self.list(),
            Some(Token::Name(name)) => self.named(&name),
            Some(other) => Err(format!("{} stands in it", shown(&other))),
            None => Err("it has no end".to_owned()),
        }
    }

    fn list(&mut self) -> Parsed {
        let mut items = Vec::new();
        while !self.sign("]") {
            items.push(self.sum()?.text);
            if !self.sign(",") && self.tokens.get(self.at) != Some(&Token::Sign("]")) {
                return Err("a list in it is no plain one".to_owned());
            }
        }
        Ok(Part::new(format!("[{}]", items.join(", ")), Kind::List))
    }

    fn named(&mut self, name: &str) -> Parsed {
        match name {
            "True" => return Ok(Part::new("true", Kind::Bool)),
            "False" => return Ok(Part::new("false", Kind::Bool)),
            "None" => return Ok(Part::new("null", Kind::Any)),
            "len" => return self.length(),
            _ => {}
        }
        if name == self.subject {
            return Ok(match self.meaning {
                Meaning::Field(of, _) => Part::new("value", Kind::of(of)),
                Meaning::Evidence(_) => Part::new("fields", Kind::Evidence),
            });
        }
        if !self.parameters.iter().any(|known| known == name) {
            let calls = self.tokens.get(self.at) == Some(&Token::Sign("("));
            return Err(format!("it {} `{name}`", if calls { "calls" } else { "names" }));
        }
        let Meaning::Field(_, given) = self.meaning else {
            return Err(format!("its second name `{name}` stands for nothing"));
        };
        match given.get(name) {
            Some(value) => {
                literal(value).ok_or_else(|| format!("its parameter `{name}` is no plain value"))
            }
            None => Err(format!("`validator_params` does not say what its parameter `{name}` is")),
        }
    }

    fn length(&mut self) -> Parsed {
        self.expect("(")?;
        let part = self.sum()?;
        self.expect(")")?;
        match part.kind {
            Kind::Text | Kind::List | Kind::Map => {
                Ok(Part::new(format!("size({})", part.text), Kind::Int))
            }
            _ => Err("it asks for the length of what has none".to_owned()),
        }
    }

    fn kind_of(&self, field: &str) -> Kind {
        let Meaning::Evidence(known) = self.meaning else { return Kind::Any };
        known.iter().find(|(name, _)| name == field).map_or(Kind::Any, |(_, of)| Kind::of(*of))
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }

    fn is_next(&mut self, wanted: &Token) -> bool {
        let found = self.tokens.get(self.at) == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn sign(&mut self, sign: &'static str) -> bool {
        self.is_next(&Token::Sign(sign))
    }

    fn word(&mut self, word: &str) -> bool {
        self.is_next(&Token::Name(word.to_owned()))
    }

    fn expect(&mut self, sign: &'static str) -> Parsed<()> {
        if self.sign(sign) {
            return Ok(());
        }
        match self.tokens.get(self.at) {
            Some(other) => Err(format!("{} stands in it", shown(other))),
            None => Err("it has no end".to_owned()),
        }
    }

    fn name(&mut self) -> Parsed<String> {
        match self.next() {
            Some(Token::Name(name)) => Ok(name),
            Some(other) => Err(format!("{} stands in it", shown(&other))),
            None => Err("it has no end".to_owned()),
        }
    }
}

fn shown(token: &Token) -> String {
    match token {
        Token::Name(name) => format!("`{name}`"),
        Token::Int(number) => format!("`{number}`"),
        Token::Float(number) => format!("`{number}`"),
        Token::Text(_) => "a text".to_owned(),
        Token::Sign(sign) => format!("`{sign}`"),
    }
}
