//! Finds the names in a Luau text and the role of each: a global, a table key, a field, a string.

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

/// The role of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameRole {
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

impl NameRole {
    /// The name of the role in the table.
    pub fn table_word(self) -> &'static str {
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
pub struct NameUsage {
    /// The name.
    pub name: String,
    /// Its first byte in the text.
    pub byte_position: usize,
    /// What it is used as.
    pub role: NameRole,
    /// Its syntactic path: calls, keys and functions from the outside in, joined by `/`.
    pub path: String,
    /// For a key or a field of a type: all keys of its table.
    pub keys: Vec<String>,
    /// For a field: the expression before it, without spaces.
    pub base: String,
    /// For a field: the initial value of the first variable in that expression.
    pub origin: String,
    /// For a global: the visible locals, one of which could shadow a new name.
    pub locals: Vec<String>,
    /// For a global: the field that is read from it, as in `name.field`.
    pub accessed_field: String,
}

/// Scans a text; `None` if it is not valid Luau.
pub fn scan_uses(text: &str) -> Option<Vec<NameUsage>> {
    let ast = full_moon::parse(text).ok()?;
    let mut scan = NameScanner { scopes: vec![HashMap::new()], ..NameScanner::default() };
    scan.visit_ast(&ast);
    Some(scan.found_uses)
}

#[derive(Default)]
struct NameScanner {
    scopes: Vec<HashMap<String, String>>,
    path: Vec<String>,
    tables: Vec<Vec<String>>,
    /// The roles of known tokens, by their first byte.
    token_roles: HashMap<usize, (NameRole, Vec<String>, String, String)>,
    /// The fields that are read from variables, by the first byte of the variable.
    accessed_fields: HashMap<usize, String>,
    visited: HashSet<usize>,
    found_uses: Vec<NameUsage>,
}

fn position_of(token: &TokenReference) -> usize {
    token.token().start_position().bytes()
}

fn token_text(token: &TokenReference) -> String {
    token.token().to_string()
}

/// The code of a node without comments and spaces.
fn code_without_spaces(node: &impl Node) -> String {
    node.tokens().map(|token| token.token().to_string()).collect()
}

/// The first 80 characters of it.
fn code_prefix(node: &impl Node) -> String {
    code_without_spaces(node).chars().take(80).collect()
}

impl NameScanner {
    fn declare(&mut self, token: &TokenReference, origin: String) {
        self.set_role(token, NameRole::Local, Vec::new(), String::new());
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(token_text(token), origin);
        }
    }

    fn origin_of(&self, name: &str) -> Option<String> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name).cloned())
    }

    fn set_role(
        &mut self,
        token: &TokenReference,
        role: NameRole,
        keys: Vec<String>,
        base: String,
    ) {
        let root: String = base
            .chars()
            .take_while(|character| character.is_alphanumeric() || *character == '_')
            .collect();
        let origin = self.origin_of(&root).unwrap_or_else(|| "global".to_owned());
        self.token_roles.insert(position_of(token), (role, keys, base, origin));
    }

    fn set_variable_role(&mut self, token: &TokenReference) {
        let role = if self.origin_of(&token_text(token)).is_some() {
            NameRole::Local
        } else {
            NameRole::Global
        };
        self.set_role(token, role, Vec::new(), String::new());
    }

    fn set_suffix_roles<'a>(
        &mut self,
        prefix: &Prefix,
        suffixes: impl Iterator<Item = &'a Suffix>,
    ) {
        let mut base = match prefix {
            Prefix::Name(token) => {
                self.set_variable_role(token);
                token_text(token)
            }
            other => code_prefix(other),
        };
        let mut variable_position = match prefix {
            Prefix::Name(token) => Some(position_of(token)),
            _ => None,
        };
        for suffix in suffixes {
            if let (Some(token_position), Suffix::Index(Index::Dot { name: token, .. })) =
                (variable_position.take(), suffix)
            {
                self.accessed_fields.insert(token_position, token_text(token));
            }
            match suffix {
                Suffix::Index(Index::Dot { name: token, .. }) => {
                    self.set_role(token, NameRole::Index, Vec::new(), base.clone());
                }
                Suffix::Call(Call::MethodCall(call)) => {
                    self.set_role(call.name(), NameRole::Method, Vec::new(), base.clone());
                }
                _ => {}
            }
            base.push_str(&code_prefix(suffix));
        }
    }

    fn open_function_scope(&mut self, body: &FunctionBody) {
        self.scopes.push(HashMap::new());
        let names = body
            .parameters()
            .iter()
            .zip(body.type_specifiers().map(Some).chain(std::iter::repeat(None)));
        for (index, (parameter, ty)) in names.enumerate() {
            if let Parameter::Name(token) = parameter {
                let ty = ty.flatten().map(code_prefix).unwrap_or_default();
                let origin = format!("parameter {} {ty} of {}", index + 1, self.path.join("/"));
                self.declare(token, origin);
            }
        }
    }
}

fn table_keys(table: &TableConstructor) -> Vec<String> {
    let key = |field: &Field| match field {
        Field::NameKey { key, .. } => Some(token_text(key)),
        _ => None,
    };
    table.fields().iter().filter_map(key).collect()
}

impl Visitor for NameScanner {
    fn visit_block(&mut self, _: &Block) {
        self.scopes.push(HashMap::new());
    }

    fn visit_block_end(&mut self, _: &Block) {
        self.scopes.pop();
    }

    fn visit_function_body(&mut self, body: &FunctionBody) {
        self.path.push("()".to_owned());
        self.open_function_scope(body);
    }

    fn visit_function_body_end(&mut self, _: &FunctionBody) {
        self.path.pop();
        self.scopes.pop();
    }

    fn visit_local_function(&mut self, function: &LocalFunction) {
        self.declare(function.name(), "function".to_owned());
        self.path.push(format!("fn:{}", token_text(function.name())));
    }

    fn visit_local_function_end(&mut self, _: &LocalFunction) {
        self.path.pop();
    }

    fn visit_function_declaration(&mut self, function: &FunctionDeclaration) {
        let names: Vec<_> = function.name().names().iter().collect();
        if let Some(first_name) = names.first() {
            self.set_variable_role(first_name);
        }
        let base = code_without_spaces(function.name());
        let mut base_before = String::new();
        for (n, token) in names.iter().enumerate() {
            if n > 0 {
                self.set_role(token, NameRole::Index, Vec::new(), base_before.clone());
                base_before.push('.');
            }
            base_before.push_str(&token_text(token));
        }
        self.path.push(format!("fn:{base}"));
    }

    fn visit_function_declaration_end(&mut self, _: &FunctionDeclaration) {
        self.path.pop();
    }

    fn visit_local_assignment(&mut self, local: &LocalAssignment) {
        let names: Vec<_> = local.names().iter().map(token_text).collect();
        for token in local.names() {
            self.set_role(token, NameRole::Local, Vec::new(), String::new());
        }
        self.path.push(format!("local:{}", names.join(",")));
    }

    fn visit_local_assignment_end(&mut self, local: &LocalAssignment) {
        self.path.pop();
        let mut types = local.type_specifiers();
        let values: Vec<String> = local.expressions().iter().map(code_prefix).collect();
        for (index, token) in local.names().iter().enumerate() {
            let ty = types.next().flatten().map(code_prefix).unwrap_or_default();
            let value = values.get(index).or(values.last()).cloned().unwrap_or_default();
            self.declare(token, format!("{ty}={value}"));
        }
    }

    fn visit_numeric_for(&mut self, loop_node: &NumericFor) {
        self.scopes.push(HashMap::new());
        self.declare(loop_node.index_variable(), "for number".to_owned());
    }

    fn visit_numeric_for_end(&mut self, _: &NumericFor) {
        self.scopes.pop();
    }

    fn visit_generic_for(&mut self, loop_node: &GenericFor) {
        self.scopes.push(HashMap::new());
        let iterated: Vec<String> = loop_node.expressions().iter().map(code_prefix).collect();
        for (index, token) in loop_node.names().iter().enumerate() {
            self.declare(token, format!("for {} in {}", index + 1, iterated.join(",")));
        }
    }

    fn visit_generic_for_end(&mut self, _: &GenericFor) {
        self.scopes.pop();
    }

    fn visit_function_call(&mut self, call: &FunctionCall) {
        self.set_suffix_roles(call.prefix(), call.suffixes());
        let mut callee = match call.prefix() {
            Prefix::Name(token) => token_text(token),
            other => code_prefix(other),
        };
        for suffix in call.suffixes() {
            match suffix {
                Suffix::Index(Index::Dot { name: token, .. }) => {
                    callee.push('.');
                    callee.push_str(&token_text(token));
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
        self.set_suffix_roles(var.prefix(), var.suffixes());
    }

    fn visit_var(&mut self, var: &Var) {
        if let Var::Name(token) = var {
            self.set_variable_role(token);
        }
    }

    fn visit_expression(&mut self, expression: &Expression) {
        if let Expression::Var(Var::Name(token)) = expression {
            self.set_variable_role(token);
        }
    }

    fn visit_assignment(&mut self, assignment: &full_moon::ast::Assignment) {
        let targets: Vec<String> = assignment.variables().iter().map(code_prefix).collect();
        self.path.push(format!("set:{}", targets.join(",")));
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
        self.tables.push(table_keys(table));
        self.path.push("{".to_owned());
    }

    fn visit_table_constructor_end(&mut self, _: &TableConstructor) {
        self.tables.pop();
        self.path.pop();
    }

    fn visit_field(&mut self, field: &Field) {
        let path_step = match field {
            Field::NameKey { key, .. } => {
                let keys = self.tables.last().cloned().unwrap_or_default();
                self.set_role(key, NameRole::Key, keys, String::new());
                // The path of a key does not include the key itself.
                let path = self.path.join("/");
                self.push_token(key, &path);
                token_text(key)
            }
            Field::ExpressionKey { key, .. } => format!("[{}]", code_prefix(&**key)),
            _ => "#".to_owned(),
        };
        self.path.push(path_step);
    }

    fn visit_field_end(&mut self, _: &Field) {
        self.path.pop();
    }

    fn visit_type_declaration(&mut self, ty: &TypeDeclaration) {
        self.set_role(ty.type_name(), NameRole::TypeName, Vec::new(), String::new());
        self.path.push(format!("type:{}", token_text(ty.type_name())));
    }

    fn visit_type_declaration_end(&mut self, _: &TypeDeclaration) {
        self.path.pop();
    }

    fn visit_type_info(&mut self, ty: &full_moon::ast::luau::TypeInfo) {
        if let full_moon::ast::luau::TypeInfo::Table { fields, .. } = ty {
            let keys: Vec<String> = fields
                .iter()
                .filter_map(|field| match field.key() {
                    TypeFieldKey::Name(token) => Some(token_text(token)),
                    _ => None,
                })
                .collect();
            for field in fields {
                if let TypeFieldKey::Name(token) = field.key() {
                    self.set_role(token, NameRole::TypeKey, keys.clone(), String::new());
                }
            }
        }
    }

    fn visit_identifier(&mut self, token: &Token) {
        let path = self.path.join("/");
        self.push_token(token, &path);
    }

    fn visit_string_literal(&mut self, token: &Token) {
        let path = self.path.join("/");
        self.push_token(token, &path);
    }
}

impl NameScanner {
    fn push_token(&mut self, token: &Token, path: &str) {
        let start = token.start_position().bytes();
        if !self.visited.insert(start) {
            return;
        }
        match token.token_type() {
            TokenType::Identifier { identifier } => {
                let known_role = self.token_roles.get(&start).cloned();
                let (role, keys, base, origin) = known_role.unwrap_or((
                    NameRole::TypeName,
                    Vec::new(),
                    String::new(),
                    String::new(),
                ));
                let path = path.to_owned();
                let name = identifier.to_string();
                let locals = match role {
                    NameRole::Global => {
                        self.scopes.iter().flat_map(|scope| scope.keys().cloned()).collect()
                    }
                    _ => Vec::new(),
                };
                let accessed_field = self.accessed_fields.get(&start).cloned().unwrap_or_default();
                let position = start;
                self.found_uses.push(NameUsage {
                    name,
                    byte_position: position,
                    role,
                    path,
                    keys,
                    base,
                    origin,
                    locals,
                    accessed_field,
                });
            }
            TokenType::StringLiteral { literal, multi_line_depth, .. } => {
                let start = start
                    + if token.to_string().starts_with('[') { 2 + multi_line_depth } else { 1 };
                let literal = literal.to_string();
                let mut push_use = |name: &str, position: usize, role: NameRole, base: &str| {
                    self.found_uses.push(NameUsage {
                        name: name.to_owned(),
                        byte_position: position,
                        role,
                        path: path.to_owned(),
                        keys: Vec::new(),
                        base: base.to_owned(),
                        origin: String::new(),
                        locals: Vec::new(),
                        accessed_field: String::new(),
                    });
                };
                let is_word =
                    |character: char| character.is_ascii_alphanumeric() || character == '_';
                // A path of names, such as `event.field`, is a use of each name.
                if !literal.is_empty()
                    && literal
                        .chars()
                        .all(|character| is_word(character) || ".:[]".contains(character))
                {
                    let mut part_offset = 0;
                    for part in literal.split(|character| !is_word(character)) {
                        if !part.is_empty() {
                            push_use(part, start + part_offset, NameRole::Str, &literal);
                        }
                        part_offset += part.len() + 1;
                    }
                }
                let mut search_start = 0;
                while let Some(brace) = literal[search_start..].find('{') {
                    let part_offset = search_start + brace + 1;
                    let word: String = literal[part_offset..]
                        .chars()
                        .take_while(|character| is_word(*character))
                        .collect();
                    if !word.is_empty() {
                        push_use(&word, start + part_offset, NameRole::Mark, &literal);
                    }
                    search_start = part_offset;
                }
            }
            _ => {}
        }
    }
}
