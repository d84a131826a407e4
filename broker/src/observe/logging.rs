//! The log of the process: where it goes, in which form, and how much of it.
//!
//! Quiet unless asked: our crates at `info`, all others at `warn`. `RUST_LOG` says otherwise at start, and the
//! levels can change while the broker runs, which is what Kafka's BROKER_LOGGER resource is (KIP-412).

use super::thinning::Thinned;
use parking_lot::Mutex;
use std::{
    collections::{BTreeMap, BTreeSet},
    io::IsTerminal,
};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{
    Layer, Registry, filter::Targets, layer::SubscriberExt, reload, util::SubscriberInitExt,
};

/// Name of the logger that all others take their level from.
pub const ROOT: &str = "root";

/// Our crates; the binary's own is called after it.
const OURS: &[&str] = &["broker", "daybook", "protocol_glue", "storage"];

/// The form of a line of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// Starts logging to standard error. `filter` is the value of `RUST_LOG`. The error is one sentence.
pub fn start(format: Format, filter: Option<&str>) -> Result<LogLevels, String> {
    let levels = Levels::new(filter)?;
    let (targets, handle) = reload::Layer::new(levels.targets());
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let lines: Box<dyn Layer<Registry> + Send + Sync> = match format {
        Format::Text => Box::new(lines.with_ansi(std::io::stderr().is_terminal())),
        Format::Json => Box::new(lines.json().flatten_event(true)),
    };
    tracing_subscriber::registry()
        .with(Thinned::new(lines).with_filter(targets))
        .try_init()
        .map_err(|error| format!("Logging cannot start: {error}."))?;
    let apply = move |targets| {
        // Fails only when the subscriber is gone, and then there is nothing to log to.
        let _ = handle.reload(targets);
    };
    Ok(LogLevels { levels: Mutex::new(levels), apply: Box::new(apply) })
}

/// The levels of the loggers; they can change while the process runs.
pub struct LogLevels {
    levels: Mutex<Levels>,
    apply: Box<dyn Fn(Targets) + Send + Sync>,
}

impl LogLevels {
    /// Levels that no log listens to, for tests of what depends on them.
    pub fn detached() -> LogLevels {
        let levels = Levels::new(None).expect("the default filter is well-formed");
        LogLevels { levels: Mutex::new(levels), apply: Box::new(drop) }
    }

    /// Every logger and its level in force, by name.
    pub fn all(&self) -> BTreeMap<String, LevelFilter> {
        let levels = self.levels.lock();
        levels.names.iter().map(|name| (name.clone(), levels.of(name))).collect()
    }

    /// Is there a logger of that name?
    pub fn contains(&self, name: &str) -> bool {
        self.levels.lock().names.contains(name)
    }

    /// Sets the level of a logger; `None` gives it the root's again.
    pub fn set(&self, name: &str, level: Option<LevelFilter>) {
        let mut levels = self.levels.lock();
        levels.set(name, level);
        (self.apply)(levels.targets());
    }
}

struct Levels {
    root: LevelFilter,
    own: BTreeMap<String, LevelFilter>,
    names: BTreeSet<String>,
}

impl Levels {
    fn new(filter: Option<&str>) -> Result<Levels, String> {
        let mut root = LevelFilter::WARN;
        let mut own: BTreeMap<String, LevelFilter> =
            OURS.iter().map(|name| (name.to_string(), LevelFilter::INFO)).collect();
        if let Some(filter) = filter.filter(|filter| !filter.trim().is_empty()) {
            let asked: Targets = filter.parse().map_err(|_| {
                format!("RUST_LOG is '{filter}': it must be a list of level or target=level, such as info,storage=debug.")
            })?;
            if let Some(level) = asked.default_level() {
                root = level;
                own.clear();
            }
            own.extend(asked.iter().map(|(name, level)| (name.to_owned(), level)));
        }
        let names = OURS.iter().map(|name| name.to_string()).chain(own.keys().cloned());
        let names = names.chain([ROOT.to_owned()]).collect();
        Ok(Levels { root, own, names })
    }

    /// The level of a logger: its own, else that of the nearest logger above it, else the root's.
    fn of(&self, name: &str) -> LevelFilter {
        let covers = |above: &str| {
            name == above || name.strip_prefix(above).is_some_and(|rest| rest.starts_with("::"))
        };
        let nearest = self.own.iter().filter(|(above, _)| covers(above)).max_by_key(|(above, _)| above.len());
        nearest.map_or(self.root, |(_, level)| *level)
    }

    fn set(&mut self, name: &str, level: Option<LevelFilter>) {
        match level {
            Some(level) if name == ROOT => self.root = level,
            Some(level) => drop(self.own.insert(name.to_owned(), level)),
            None => drop(self.own.remove(name)),
        }
    }

    fn targets(&self) -> Targets {
        let own = self.own.iter().map(|(name, level)| (name.clone(), *level));
        own.fold(Targets::new().with_default(self.root), |targets, (name, level)| {
            targets.with_target(name, level)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::Level;

    fn enabled(levels: &Levels, target: &str, level: Level) -> bool {
        levels.targets().would_enable(target, &level)
    }

    #[test]
    fn only_our_crates_speak_up_by_default() {
        let levels = Levels::new(None).expect("fine");
        assert!(
            enabled(&levels, "broker::api", Level::INFO) && !enabled(&levels, "broker::api", Level::DEBUG)
        );
        assert!(enabled(&levels, "tokio", Level::WARN) && !enabled(&levels, "tokio", Level::INFO));
    }

    #[test]
    fn rust_log_replaces_the_levels_it_names_and_a_bare_level_all_of_them() {
        let levels = Levels::new(Some("storage=debug")).expect("fine");
        assert_eq!((levels.of("storage::log"), levels.of("broker")), (LevelFilter::DEBUG, LevelFilter::INFO));
        let levels = Levels::new(Some("error,broker::net=trace")).expect("fine");
        assert_eq!(
            (levels.of("storage"), levels.of("broker::net::x")),
            (LevelFilter::ERROR, LevelFilter::TRACE)
        );
        assert!(Levels::new(Some("broker=loud")).is_err());
    }

    #[test]
    fn a_logger_without_a_level_of_its_own_follows_the_root() {
        let levels = LogLevels::detached();
        levels.set("storage", None);
        assert_eq!(levels.all()["storage"], LevelFilter::WARN);
        levels.set(ROOT, Some(LevelFilter::ERROR));
        assert_eq!(levels.all()["storage"], LevelFilter::ERROR);
        assert_eq!(levels.all()["broker"], LevelFilter::INFO);
    }
}
