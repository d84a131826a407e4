//! Who may know whom. `docs/architecture.md` draws the map; this keeps it true.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A part of the source (a folder or a file), what must not be named in it, and why.
struct Rule {
    part: &'static str,
    /// Files or folders below the part that may.
    except: &'static [&'static str],
    forbidden: &'static [&'static str],
    why: &'static str,
}

const RULES: [Rule; 10] = [
    Rule {
        part: "storage/src",
        except: &[],
        forbidden: &["kafka_protocol", "protocol_glue", "broker::"],
        why: "storage is a log that would make sense without Kafka's requests",
    },
    Rule {
        part: "storage/src",
        except: &[],
        forbidden: &["tokio", "async fn", ".await"],
        why: "storage blocks; who calls it decides on which thread",
    },
    Rule {
        part: "protocol-glue/src",
        except: &[],
        forbidden: &["storage::", "broker::"],
        why: "bytes and messages, no policy",
    },
    Rule {
        part: "protocol-glue/src",
        except: &[],
        forbidden: &["tokio", "std::net", "std::fs", "async fn"],
        why: "no sockets and no files",
    },
    Rule {
        part: "broker/src",
        except: &["server.rs", "logs", "partition.rs", "catalog", "durability.rs", "testing.rs"],
        forbidden: &["storage::disk"],
        why: "nothing above logs and partitions knows that data lies on a local disk",
    },
    Rule {
        part: "broker/src/api",
        except: &[],
        forbidden: &["storage::disk", "std::fs", "std::net::TcpStream", "tokio::net"],
        why: "a handler reads like a recipe: no files and no sockets",
    },
    Rule {
        part: "broker/src/coordinator",
        except: &[],
        forbidden: &["crate::api", "crate::net", "crate::logs", "crate::partition", "storage::disk"],
        why: "a coordinator decides; it neither reads frames nor knows partitions",
    },
    Rule {
        part: "broker/src/coordinator/group",
        except: &[],
        forbidden: &["tokio", "SystemTime::now", "Instant::now", "async fn", "kafka_protocol"],
        why: "pure: time, ids and chance come in as arguments",
    },
    Rule {
        part: "broker/src/net",
        except: &[],
        forbidden: &["crate::api", "crate::catalog", "crate::coordinator", "crate::logs", "storage::"],
        why: "the network moves frames and knows no API",
    },
    Rule {
        part: "broker/src/config",
        except: &[],
        forbidden: &[
            "crate::api",
            "crate::net",
            "crate::catalog",
            "crate::coordinator",
            "tokio",
            "kafka_protocol",
        ],
        why: "settings are read and checked; they know nothing that uses them",
    },
];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("in the workspace").to_owned()
}

/// Every source file below a path that is not a test.
fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())) {
        let path = entry.expect("readable").path();
        let name = path.file_name().expect("named").to_string_lossy().into_owned();
        if path.is_dir() || (name.ends_with(".rs") && name != "tests.rs" && !name.ends_with("_tests.rs")) {
            found.extend(sources(&path));
        }
    }
    found
}

/// Numbered lines of code: no comments, and nothing from a test module on.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let test_module = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    text[..test_module]
        .lines()
        .enumerate()
        .map(|(number, line)| (number + 1, line.split("//").next().unwrap_or_default()))
}

#[test]
fn nobody_knows_more_than_the_map_allows() {
    let workspace = workspace();
    let mut found = Vec::new();
    for rule in &RULES {
        let part = workspace.join(rule.part);
        for path in sources(&part) {
            let below = path.strip_prefix(&part).expect("below the part");
            if rule.except.iter().any(|except| below.starts_with(except)) {
                continue;
            }
            let text = fs::read_to_string(&path).expect("text");
            for (number, line) in code(&text) {
                if let Some(word) = rule.forbidden.iter().find(|word| names(line, word)) {
                    let shown = path.strip_prefix(&workspace).expect("in the workspace").display();
                    found.push(format!("{shown}:{number}: {word}: {}", rule.why));
                }
            }
        }
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// Whether a line of code names this path or word, and not only something that ends like it.
fn names(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|before| before.is_alphanumeric() || before == '_')
    })
}

#[test]
fn the_check_itself_finds_what_it_looks_for() {
    assert!(names("use storage::disk::Disk;", "storage::disk"));
    assert!(!names("use my_storage::disk::Disk;", "storage::disk"));
    let text = "// tokio\nlet x = 1; // tokio\nuse tokio;\n#[cfg(test)]\nmod tests {\nuse tokio;\n";
    assert_eq!(code(text).filter(|(_, line)| names(line, "tokio")).map(|(n, _)| n).collect::<Vec<_>>(), [3]);
}
