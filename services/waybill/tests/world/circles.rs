//! No two files of a crate import each other, directly or through other files. Files in such a circle could
//! only be read, moved and tested together.
//!
//! A module and its submodules count as one, because a parent assembles its children and they use its types.
//! Entities are exempt, because tables refer to each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::sources::{Token, tokens};

/// The path of a module: its names, starting below the crate's root. Empty for the root itself.
type Module = Vec<String>;

struct Import {
    path: Vec<String>,
    name: String,
}

struct Source {
    file: PathBuf,
    tokens: Vec<Token>,
    imports: Vec<Import>,
    defined: BTreeSet<String>,
}

struct Crate(BTreeMap<Module, Source>);

impl Crate {
    fn read(root: PathBuf) -> Self {
        let mut found = BTreeMap::new();
        let mut open = vec![(Module::new(), root)];
        while let Some((module, file)) = open.pop() {
            let tokens = tokens(&fs::read_to_string(&file).unwrap());
            for name in declared(&tokens) {
                let child = [module.clone(), vec![name.to_owned()]].concat();
                open.push((child, file_of(&file, name)));
            }
            let (imports, tokens) = without_imports(tokens);
            let defined = definitions(&tokens);
            found.insert(module, Source { file, tokens, imports, defined });
        }
        Self(found)
    }

    /// Returns the module at which a path begins, and the rest of the path, if the path begins in this crate.
    fn begin<'p>(&self, from: &Module, path: &'p [String]) -> Option<(Module, &'p [String])> {
        match path.first()?.as_str() {
            "crate" => Some((Module::new(), &path[1..])),
            "self" => Some((from.clone(), &path[1..])),
            "super" => Some((from[..from.len().checked_sub(1)?].to_vec(), &path[1..])),
            name => self.0.contains_key(&child(from, name)).then(|| (from.clone(), path)),
        }
    }

    /// Returns the module whose file defines what a path refers to. Follows re-exports.
    fn home(&self, from: &Module, path: &[String], steps: usize) -> Option<Module> {
        let (mut at, mut rest) = self.begin(from, path)?;
        while let Some(name) = rest.first() {
            match name.as_str() {
                "super" => at.truncate(at.len().checked_sub(1)?),
                "self" => {}
                name if self.0.contains_key(&child(&at, name)) => at.push(name.to_owned()),
                _ => break,
            }
            rest = &rest[1..];
        }
        let Some(name) = rest.first().filter(|_| steps > 0) else { return Some(at) };
        let source = &self.0[&at];
        if !source.defined.contains(name) {
            if let Some(import) = source.imports.iter().find(|it| it.name == *name) {
                let whole = [&import.path[..], &rest[1..]].concat();
                return self.home(&at, &whole, steps - 1);
            }
            for import in source.imports.iter().filter(|it| it.name == "*") {
                let whole = [&import.path[..import.path.len() - 1], &rest[..1]].concat();
                if let Some(home) = self.home(&at, &whole, steps - 1)
                    && self.0[&home].defined.contains(name)
                {
                    return Some(home);
                }
            }
        }
        Some(at)
    }

    /// Returns the modules that a module imports, without its own descendants.
    fn imported(&self, module: &Module) -> BTreeSet<&Module> {
        let source = &self.0[module];
        let mut aliases = BTreeMap::new();
        let mut found = BTreeSet::new();
        for Import { path, name } in &source.imports {
            let whole = if name == "*" { &path[..path.len() - 1] } else { path };
            let Some(home) = self.home(module, whole, 12) else { continue };
            // Using an item of a module counts as an import, not only naming the module.
            if name != "*" && self.is_module(module, path) {
                aliases.insert(name, path);
            } else {
                found.insert(home);
            }
        }
        for path in paths(&source.tokens) {
            let whole = match aliases.get(&path[0]) {
                Some(alias) => [&alias[..], &path[1..]].concat(),
                None => path,
            };
            found.extend(self.home(module, &whole, 12));
        }
        found.retain(|it| !it.starts_with(module));
        found.iter().filter_map(|it| self.0.get_key_value(it).map(|(key, _)| key)).collect()
    }

    fn is_module(&self, from: &Module, path: &[String]) -> bool {
        let Some((mut at, rest)) = self.begin(from, path) else { return false };
        for name in rest {
            match name.as_str() {
                "super" => drop(at.pop()),
                "self" => {}
                name => at.push(name.to_owned()),
            }
        }
        self.0.contains_key(&at)
    }

    /// Returns the files of each circle.
    fn circles(&self) -> BTreeSet<Vec<&Path>> {
        let edges: BTreeMap<_, _> = self.0.keys().map(|it| (it, self.imported(it))).collect();
        let reach = |from| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
            while let Some(at) = open.pop() {
                open.extend(edges[at].iter().filter(|it| seen.insert(**it)));
            }
            seen
        };
        let reached: BTreeMap<_, BTreeSet<&Module>> = self.0.keys().map(|it| (it, reach(it))).collect();
        let circle = |of: &&Module| {
            let back = reached[of].iter().filter(|it| reached[**it].contains(of));
            back.map(|it| self.0[*it].file.as_path()).collect::<Vec<_>>()
        };
        let all = self.0.keys().map(|it| circle(&it));
        all.filter(|it| it.len() > 1).filter(|it| !it.iter().all(is_entity)).collect()
    }
}

fn is_entity(file: &&Path) -> bool {
    file.components().any(|it| it.as_os_str() == "entity")
}

fn child(module: &Module, name: &str) -> Module {
    [module.clone(), vec![name.to_owned()]].concat()
}

fn file_of(parent: &Path, name: &str) -> PathBuf {
    let is_root = ["mod.rs", "lib.rs", "main.rs"].iter().any(|it| parent.ends_with(it));
    let folder = if is_root { parent.parent().unwrap().to_owned() } else { parent.with_extension("") };
    let file = folder.join(format!("{name}.rs"));
    if file.exists() { file } else { folder.join(name).join("mod.rs") }
}

/// Returns the submodules that a file declares in files of their own.
fn declared(tokens: &[Token]) -> impl Iterator<Item = &str> {
    tokens.windows(3).filter_map(|it| match it {
        [Token::Word(word), Token::Word(name), Token::Sign(';')] if word == "mod" => Some(name.as_str()),
        _ => None,
    })
}

fn definitions(tokens: &[Token]) -> BTreeSet<String> {
    const WORDS: [&str; 8] = ["fn", "struct", "enum", "trait", "type", "const", "static", "union"];
    let named = tokens.windows(2).filter_map(|it| match it {
        [Token::Word(word), Token::Word(name)] if WORDS.contains(&word.as_str()) => Some(name.clone()),
        _ => None,
    });
    named.collect()
}

/// Returns every path of two or more names.
fn paths(tokens: &[Token]) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let mut path = Vec::new();
        while let Some(Token::Word(name)) = tokens.get(at) {
            path.push(name.clone());
            at += 1;
            if tokens.get(at) != Some(&Token::Path) {
                break;
            }
            at += 1;
        }
        if path.len() > 1 {
            all.push(path);
        } else if path.is_empty() {
            // After a sign, as in `<T>::new`, `::` does not begin a path.
            at += if tokens[at] == Token::Path { 2 } else { 1 };
        }
    }
    all
}

fn without_imports(tokens: Vec<Token>) -> (Vec<Import>, Vec<Token>) {
    let (mut imports, mut rest) = (Vec::new(), Vec::new());
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        if token == Token::Word("use".to_owned()) {
            let tree: Vec<_> = tokens.by_ref().take_while(|it| *it != Token::Sign(';')).collect();
            tree_of(&tree, &[], &mut imports);
        } else {
            rest.push(token);
        }
    }
    (imports, rest)
}

/// Expands `a::{b, c::d as e}` into one import for each name.
fn tree_of(tokens: &[Token], before: &[String], imports: &mut Vec<Import>) {
    let mut path = before.to_vec();
    let mut name = None;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Word(word) if word == "as" => {
                name = tokens.get(at + 1).map(|it| it.to_string());
                break;
            }
            Token::Word(word) => path.push(word.clone()),
            Token::Sign('*') => path.push("*".to_owned()),
            Token::Sign('{') => {
                for part in parts(&tokens[at + 1..tokens.len() - 1]) {
                    tree_of(part, &path, imports);
                }
                return;
            }
            _ => {}
        }
    }
    if path.len() > before.len() && path.last().is_some_and(|it| it == "self") {
        path.pop();
    }
    if let Some(name) = name.or_else(|| path.last().cloned()) {
        imports.push(Import { path, name });
    }
}

/// Splits a group at its commas.
fn parts(tokens: &[Token]) -> Vec<&[Token]> {
    let mut depth = 0;
    let split = tokens.split(|token| {
        depth += match token {
            Token::Sign('{') => 1,
            Token::Sign('}') => -1,
            _ => 0,
        };
        depth == 0 && *token == Token::Sign(',')
    });
    split.filter(|it| !it.is_empty()).collect()
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let metadata = cargo_metadata::MetadataCommand::new().no_deps().exec().unwrap();
    let mut circles = Vec::new();
    for package in &metadata.packages {
        let folder = package.manifest_path.parent().unwrap().as_std_path();
        let root = ["src/lib.rs", "src/main.rs"].map(|it| folder.join(it)).into_iter().find(|it| it.exists());
        let read = Crate::read(root.unwrap());
        assert!(read.0.len() > 1, "{} was not read", package.name);
        circles.extend(read.circles().into_iter().map(|files| {
            let names = files.iter().map(|it| it.strip_prefix(folder).unwrap().display().to_string());
            format!("{}: {}", package.name, names.collect::<Vec<_>>().join(", "))
        }));
    }
    assert_eq!(circles, Vec::<String>::new(), "files that can only be read together");
}

/// Checks that the test above can fail: here a circle is found.
#[test]
fn a_circle_of_files_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let circles = |files: &[(&str, &str)]| {
        for (name, text) in files {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let read = Crate::read(folder.path().join("lib.rs"));
        let circles = read.circles().into_iter();
        let names =
            circles.map(|it| it.iter().map(|it| it.file_stem().unwrap().to_owned()).collect::<Vec<_>>());
        names.collect::<Vec<_>>()
    };
    let root = ("lib.rs", "mod a;\nmod b;\nmod c;\npub use c::Handed;");
    let plain =
        [root, ("a.rs", "use crate::b::{self, B};\nfn a() { b::go() }"), ("c.rs", "pub struct Handed;")];
    let one_way = ("b.rs", "pub struct B; // use crate::a;\nfn b() -> &'static str { \"crate::a::A\" }");
    assert!(circles(&[&plain[..], &[one_way]].concat()).is_empty());
    for back in
        ["use super::a::A;", "fn b() { crate::a::a() }", "use crate::{c, a as other};\nfn b() { other::a() }"]
    {
        assert_eq!(circles(&[&plain[..], &[("b.rs", back)]].concat()), [["a", "b"]], "{back}");
    }
    // A circle through a re-export is found. A circle through a test does not count.
    let through = [("b.rs", "use crate::Handed;"), ("c.rs", "use crate::a;\npub struct Handed(a::A);")];
    assert_eq!(circles(&[&plain[..2], &through].concat()), [["a", "b", "c"]]);
    let tested = ("b.rs", "pub struct B;\n#[cfg(test)]\nmod tests { use crate::a::A; }");
    assert!(circles(&[&plain[..], &[tested]].concat()).is_empty());
}
