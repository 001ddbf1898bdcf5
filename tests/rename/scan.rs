//! The names of a Luau text with what each is used as: a global, a key of a table, a field that is read, a string.

use std::collections::{HashMap, HashSet};

use full_moon::ast::luau::{TypeDeclaration, TypeFieldKey};
use full_moon::ast::{
    Block, Call, Expression, Field, FunctionArgs, FunctionBody, FunctionCall, FunctionDeclaration,
    GenericFor, Index, LocalAssignment, LocalFunction, NumericFor, Parameter, Prefix, Return,
    Suffix, TableConstructor, Var, VarExpression,
};
use full_moon::node::Node;
use full_moon::tokenizer::{Token, TokenReference, TokenType};
use full_moon::visitors::Visitor;

/// What a name is used as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A variable that no local declares.
    Global,
    /// A local, a parameter or a loop variable: where it is declared or used.
    Local,
    /// A key of a table constructor: `{ name = … }`.
    Key,
    /// A field that is read or written: `base.name`.
    Index,
    /// A method: `base:name()`.
    Method,
    /// A field of a type: `{ name: T }`.
    TypeKey,
    /// The name of a type.
    TypeName,
    /// A string that is the name.
    Str,
    /// A mark in a string: `{name}`.
    Mark,
    /// A string of Rust, or code in a sentence of a page, that is nothing but the name.
    Bare,
    /// A key of a TOML file.
    Toml,
}

impl Role {
    /// As the table writes it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Local => "local",
            Self::Key => "key",
            Self::Index => "index",
            Self::Method => "method",
            Self::TypeKey => "typekey",
            Self::TypeName => "typename",
            Self::Str => "str",
            Self::Mark => "mark",
            Self::Bare => "bare",
            Self::Toml => "toml",
        }
    }
}

/// One use of a name.
#[derive(Clone, Debug)]
pub struct Use {
    /// The name.
    pub name: String,
    /// Its first byte in the text.
    pub at: usize,
    /// What it is used as.
    pub role: Role,
    /// Where it stands: calls, keys and functions from the outside in, joined by `/`.
    pub path: String,
    /// Of a key: all keys of its table. Of a field of a type: likewise.
    pub keys: Vec<String>,
    /// Of a field: the expression before it, without spaces.
    pub base: String,
    /// Of a field: what its first variable was declared with.
    pub origin: String,
    /// Of a global: the locals in sight, one of which would hide a new name.
    pub locals: Vec<String>,
    /// Of a global: the field that is read of it, `name.then`.
    pub then: String,
}

/// Reads a text. None if it is no Luau.
pub fn uses(text: &str) -> Option<Vec<Use>> {
    let ast = full_moon::parse(text).ok()?;
    let mut scan = Scan { scopes: vec![HashMap::new()], ..Scan::default() };
    scan.visit_ast(&ast);
    Some(scan.found)
}

#[derive(Default)]
struct Scan {
    scopes: Vec<HashMap<String, String>>,
    path: Vec<String>,
    tables: Vec<Vec<String>>,
    /// What the tokens of known roles are, by their first byte.
    roles: HashMap<usize, (Role, Vec<String>, String, String)>,
    /// The fields that are read of variables, by the first byte of the variable.
    then: HashMap<usize, String>,
    seen: HashSet<usize>,
    found: Vec<Use>,
}

fn at(token: &TokenReference) -> usize {
    token.token().start_position().bytes()
}

fn name(token: &TokenReference) -> String {
    token.token().to_string()
}

/// The code of a node without comments and spaces.
fn squeezed(node: &impl Node) -> String {
    node.tokens().map(|token| token.token().to_string()).collect()
}

/// The first 80 characters of it.
fn short(node: &impl Node) -> String {
    squeezed(node).chars().take(80).collect()
}

impl Scan {
    fn declare(&mut self, token: &TokenReference, origin: String) {
        self.role(token, Role::Local, Vec::new(), String::new());
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name(token), origin);
        }
    }

    fn origin(&self, name: &str) -> Option<String> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name).cloned())
    }

    fn role(&mut self, token: &TokenReference, role: Role, keys: Vec<String>, base: String) {
        let root: String = base.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let origin = self.origin(&root).unwrap_or_else(|| "global".to_owned());
        self.roles.insert(at(token), (role, keys, base, origin));
    }

    fn variable(&mut self, token: &TokenReference) {
        let role = if self.origin(&name(token)).is_some() { Role::Local } else { Role::Global };
        self.role(token, role, Vec::new(), String::new());
    }

    fn suffixes<'a>(&mut self, prefix: &Prefix, suffixes: impl Iterator<Item = &'a Suffix>) {
        let mut base = match prefix {
            Prefix::Name(token) => {
                self.variable(token);
                name(token)
            }
            other => short(other),
        };
        let mut first = match prefix {
            Prefix::Name(token) => Some(at(token)),
            _ => None,
        };
        for suffix in suffixes {
            if let (Some(at), Suffix::Index(Index::Dot { name: token, .. })) =
                (first.take(), suffix)
            {
                self.then.insert(at, name(token));
            }
            match suffix {
                Suffix::Index(Index::Dot { name: token, .. }) => {
                    self.role(token, Role::Index, Vec::new(), base.clone());
                }
                Suffix::Call(Call::MethodCall(call)) => {
                    self.role(call.name(), Role::Method, Vec::new(), base.clone());
                }
                _ => {}
            }
            base.push_str(&short(suffix));
        }
    }

    fn opened(&mut self, body: &FunctionBody) {
        self.scopes.push(HashMap::new());
        let names = body
            .parameters()
            .iter()
            .zip(body.type_specifiers().map(Some).chain(std::iter::repeat(None)));
        for (n, (parameter, ty)) in names.enumerate() {
            if let Parameter::Name(token) = parameter {
                let ty = ty.flatten().map(short).unwrap_or_default();
                let origin = format!("parameter {} {ty} of {}", n + 1, self.path.join("/"));
                self.declare(token, origin);
            }
        }
    }
}

fn keys_of(table: &TableConstructor) -> Vec<String> {
    let key = |field: &Field| match field {
        Field::NameKey { key, .. } => Some(name(key)),
        _ => None,
    };
    table.fields().iter().filter_map(key).collect()
}

impl Visitor for Scan {
    fn visit_block(&mut self, _: &Block) {
        self.scopes.push(HashMap::new());
    }

    fn visit_block_end(&mut self, _: &Block) {
        self.scopes.pop();
    }

    fn visit_function_body(&mut self, body: &FunctionBody) {
        self.path.push("()".to_owned());
        self.opened(body);
    }

    fn visit_function_body_end(&mut self, _: &FunctionBody) {
        self.path.pop();
        self.scopes.pop();
    }

    fn visit_local_function(&mut self, function: &LocalFunction) {
        self.declare(function.name(), "function".to_owned());
        self.path.push(format!("fn:{}", name(function.name())));
    }

    fn visit_local_function_end(&mut self, _: &LocalFunction) {
        self.path.pop();
    }

    fn visit_function_declaration(&mut self, function: &FunctionDeclaration) {
        let names: Vec<_> = function.name().names().iter().collect();
        if let Some(first) = names.first() {
            self.variable(first);
        }
        let base = squeezed(function.name());
        let mut before = String::new();
        for (n, token) in names.iter().enumerate() {
            if n > 0 {
                self.role(token, Role::Index, Vec::new(), before.clone());
                before.push('.');
            }
            before.push_str(&name(token));
        }
        self.path.push(format!("fn:{base}"));
    }

    fn visit_function_declaration_end(&mut self, _: &FunctionDeclaration) {
        self.path.pop();
    }

    fn visit_local_assignment(&mut self, local: &LocalAssignment) {
        let names: Vec<_> = local.names().iter().map(name).collect();
        for token in local.names() {
            self.role(token, Role::Local, Vec::new(), String::new());
        }
        self.path.push(format!("local:{}", names.join(",")));
    }

    fn visit_local_assignment_end(&mut self, local: &LocalAssignment) {
        self.path.pop();
        let mut types = local.type_specifiers();
        let values: Vec<String> = local.expressions().iter().map(short).collect();
        for (n, token) in local.names().iter().enumerate() {
            let ty = types.next().flatten().map(short).unwrap_or_default();
            let value = values.get(n).or(values.last()).cloned().unwrap_or_default();
            self.declare(token, format!("{ty}={value}"));
        }
    }

    fn visit_numeric_for(&mut self, each: &NumericFor) {
        self.scopes.push(HashMap::new());
        self.declare(each.index_variable(), "for number".to_owned());
    }

    fn visit_numeric_for_end(&mut self, _: &NumericFor) {
        self.scopes.pop();
    }

    fn visit_generic_for(&mut self, each: &GenericFor) {
        self.scopes.push(HashMap::new());
        let over: Vec<String> = each.expressions().iter().map(short).collect();
        for (n, token) in each.names().iter().enumerate() {
            self.declare(token, format!("for {} in {}", n + 1, over.join(",")));
        }
    }

    fn visit_generic_for_end(&mut self, _: &GenericFor) {
        self.scopes.pop();
    }

    fn visit_function_call(&mut self, call: &FunctionCall) {
        self.suffixes(call.prefix(), call.suffixes());
        let mut callee = match call.prefix() {
            Prefix::Name(token) => name(token),
            other => short(other),
        };
        for suffix in call.suffixes() {
            match suffix {
                Suffix::Index(Index::Dot { name: token, .. }) => {
                    callee.push('.');
                    callee.push_str(&name(token));
                }
                Suffix::Index(Index::Brackets { .. }) => callee.push_str("[]"),
                Suffix::Call(Call::AnonymousCall(args)) => match &**args {
                    FunctionArgs::String(_) => {}
                    FunctionArgs::Parentheses { arguments, .. } if arguments.len() == 1 => {}
                    _ => {}
                },
                _ => {}
            }
        }
        self.path.push(format!("{callee}!"));
    }

    fn visit_function_call_end(&mut self, _: &FunctionCall) {
        self.path.pop();
    }

    fn visit_var_expression(&mut self, var: &VarExpression) {
        self.suffixes(var.prefix(), var.suffixes());
    }

    fn visit_var(&mut self, var: &Var) {
        if let Var::Name(token) = var {
            self.variable(token);
        }
    }

    fn visit_expression(&mut self, expression: &Expression) {
        if let Expression::Var(Var::Name(token)) = expression {
            self.variable(token);
        }
    }

    fn visit_assignment(&mut self, assignment: &full_moon::ast::Assignment) {
        let left: Vec<String> = assignment.variables().iter().map(short).collect();
        self.path.push(format!("set:{}", left.join(",")));
    }

    fn visit_assignment_end(&mut self, _: &full_moon::ast::Assignment) {
        self.path.pop();
    }

    fn visit_return(&mut self, _: &Return) {
        self.path.push("return".to_owned());
    }

    fn visit_return_end(&mut self, _: &Return) {
        self.path.pop();
    }

    fn visit_table_constructor(&mut self, table: &TableConstructor) {
        self.tables.push(keys_of(table));
        self.path.push("{".to_owned());
    }

    fn visit_table_constructor_end(&mut self, _: &TableConstructor) {
        self.tables.pop();
        self.path.pop();
    }

    fn visit_field(&mut self, field: &Field) {
        let step = match field {
            Field::NameKey { key, .. } => {
                let keys = self.tables.last().cloned().unwrap_or_default();
                self.role(key, Role::Key, keys, String::new());
                // Where the key itself stands is without it.
                let path = self.path.join("/");
                self.push(key, &path);
                name(key)
            }
            Field::ExpressionKey { key, .. } => format!("[{}]", short(&**key)),
            _ => "#".to_owned(),
        };
        self.path.push(step);
    }

    fn visit_field_end(&mut self, _: &Field) {
        self.path.pop();
    }

    fn visit_type_declaration(&mut self, ty: &TypeDeclaration) {
        self.role(ty.type_name(), Role::TypeName, Vec::new(), String::new());
        self.path.push(format!("type:{}", name(ty.type_name())));
    }

    fn visit_type_declaration_end(&mut self, _: &TypeDeclaration) {
        self.path.pop();
    }

    fn visit_type_info(&mut self, ty: &full_moon::ast::luau::TypeInfo) {
        if let full_moon::ast::luau::TypeInfo::Table { fields, .. } = ty {
            let keys: Vec<String> = fields
                .iter()
                .filter_map(|field| match field.key() {
                    TypeFieldKey::Name(token) => Some(name(token)),
                    _ => None,
                })
                .collect();
            for field in fields {
                if let TypeFieldKey::Name(token) = field.key() {
                    self.role(token, Role::TypeKey, keys.clone(), String::new());
                }
            }
        }
    }

    fn visit_identifier(&mut self, token: &Token) {
        let path = self.path.join("/");
        self.push(token, &path);
    }

    fn visit_string_literal(&mut self, token: &Token) {
        let path = self.path.join("/");
        self.push(token, &path);
    }
}

impl Scan {
    fn push(&mut self, token: &Token, path: &str) {
        let start = token.start_position().bytes();
        if !self.seen.insert(start) {
            return;
        }
        match token.token_type() {
            TokenType::Identifier { identifier } => {
                let known = self.roles.get(&start).cloned();
                let (role, keys, base, origin) =
                    known.unwrap_or((Role::TypeName, Vec::new(), String::new(), String::new()));
                let path = path.to_owned();
                let name = identifier.to_string();
                let locals = match role {
                    Role::Global => {
                        self.scopes.iter().flat_map(|scope| scope.keys().cloned()).collect()
                    }
                    _ => Vec::new(),
                };
                let then = self.then.get(&start).cloned().unwrap_or_default();
                let at = start;
                self.found.push(Use { name, at, role, path, keys, base, origin, locals, then });
            }
            TokenType::StringLiteral { literal, multi_line_depth, .. } => {
                let start = start
                    + if token.to_string().starts_with('[') { 2 + multi_line_depth } else { 1 };
                let literal = literal.to_string();
                let mut push = |name: &str, at: usize, role: Role, base: &str| {
                    self.found.push(Use {
                        name: name.to_owned(),
                        at,
                        role,
                        path: path.to_owned(),
                        keys: Vec::new(),
                        base: base.to_owned(),
                        origin: String::new(),
                        locals: Vec::new(),
                        then: String::new(),
                    });
                };
                let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                // A way of names, `moment.field`, is each of them.
                if !literal.is_empty() && literal.chars().all(|c| is_word(c) || ".:[]".contains(c))
                {
                    let mut from = 0;
                    for part in literal.split(|c| !is_word(c)) {
                        if !part.is_empty() {
                            push(part, start + from, Role::Str, &literal);
                        }
                        from += part.len() + 1;
                    }
                }
                let mut rest = 0;
                while let Some(open) = literal[rest..].find('{') {
                    let from = rest + open + 1;
                    let word: String =
                        literal[from..].chars().take_while(|c| is_word(*c)).collect();
                    if !word.is_empty() {
                        push(&word, start + from, Role::Mark, &literal);
                    }
                    rest = from;
                }
            }
            _ => {}
        }
    }
}
