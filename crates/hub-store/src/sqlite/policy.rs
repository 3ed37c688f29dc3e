//! Rules and their history.

use super::fault::Fault;
use super::sources::all;
use super::{SqliteStore, meta};
use hub_core::id::RuleId;
use hub_core::policy::{Rule, RuleChange};
use hub_core::ports::{PolicyStore, Stored};
use hub_core::time::UnixMillis;
use rusqlite::Connection as Db;

fn change(
    db: &Db,
    put: Vec<Rule>,
    remove: &[RuleId],
    who: String,
    at: UnixMillis,
) -> Result<u64, Fault> {
    let sql = "DELETE FROM rules WHERE id = ?1 RETURNING body";
    let mut removed = Vec::new();
    for id in remove {
        removed.append(&mut all::<Rule>(db, sql, [id.as_str()])?);
    }
    let sql = "INSERT INTO rules (id, body) VALUES (?1, ?2)
        ON CONFLICT (id) DO UPDATE SET body = ?2 WHERE body <> ?2";
    let mut changed = Vec::new();
    for rule in put {
        let body = serde_json::to_string(&rule)?;
        if db.prepare_cached(sql)?.execute((rule.id.as_str(), body))? > 0 {
            changed.push(rule);
        }
    }
    if changed.is_empty() && removed.is_empty() {
        return Ok(meta::get(db, "rules_version")?.unsigned_abs());
    }
    let version = meta::raise(db, "rules_version")?.unsigned_abs();
    let change = RuleChange { version, put: changed, removed, who, at };
    db.prepare_cached("INSERT INTO rule_changes (version, body) VALUES (?1, ?2)")?
        .execute((version.cast_signed(), serde_json::to_string(&change)?))?;
    Ok(version)
}

impl PolicyStore for SqliteStore {
    fn rules(&self) -> Stored<'_, (u64, Vec<Rule>)> {
        self.read(|db| {
            let version = meta::get(db, "rules_version")?.unsigned_abs();
            Ok((version, all(db, "SELECT body FROM rules ORDER BY seq", [])?))
        })
    }

    fn change_rules(
        &self,
        put: Vec<Rule>,
        remove: Vec<RuleId>,
        who: String,
        at: UnixMillis,
    ) -> Stored<'_, u64> {
        self.write(true, move |db| change(db, put, &remove, who, at))
    }

    fn rule_history(&self, limit: usize) -> Stored<'_, Vec<RuleChange>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let sql = "SELECT body FROM rule_changes ORDER BY version DESC LIMIT ?1";
        self.read(move |db| all(db, sql, [limit]))
    }
}
