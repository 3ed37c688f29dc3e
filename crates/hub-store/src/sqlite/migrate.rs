//! Versions of the schema.

use super::fault::Fault;
use rusqlite::Connection;

/// Every step from an empty file to now; its index plus one is the version it leads to.
pub(super) const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001.sql"),
    include_str!("../../migrations/0002.sql"),
    include_str!("../../migrations/0003.sql"),
];

/// Marks the file as ours (`hubs`).
pub(super) const APPLICATION: i32 = 0x6875_6273;

/// What stands in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing yet.
    Empty,
    /// A store of this version.
    Version(usize),
    /// Somebody else's database.
    Foreign,
}

pub(super) fn look(db: &Connection) -> Result<Found, Fault> {
    let number = |name| db.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let tables: i64 = db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let version = usize::try_from(number("user_version")?).unwrap_or(0);
    Ok(match number("application_id")? {
        APPLICATION => Found::Version(version),
        0 if tables == 0 && version == 0 => Found::Empty,
        _ => Found::Foreign,
    })
}

/// Takes the steps from version `from` on, each in a transaction of its own: one that fails
/// leaves the version before it.
pub(super) fn run(db: &mut Connection, from: usize, steps: &[&str]) -> Result<(), Fault> {
    for (i, sql) in steps.iter().enumerate().skip(from) {
        let step = db.transaction()?;
        step.execute_batch(sql)?;
        step.pragma_update(None, "user_version", i32::try_from(i + 1).unwrap_or(i32::MAX))?;
        step.pragma_update(None, "application_id", APPLICATION)?;
        step.commit()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: [&str; 2] =
        ["CREATE TABLE a (x)", "ALTER TABLE a ADD COLUMN y; UPDATE a SET y = x + 1"];

    #[test]
    fn later_steps_keep_what_earlier_ones_made() {
        let mut db = Connection::open_in_memory().unwrap();
        assert_eq!(look(&db).unwrap(), Found::Empty);
        run(&mut db, 0, &STEPS[..1]).unwrap();
        db.execute("INSERT INTO a VALUES (1)", []).unwrap();
        assert_eq!(look(&db).unwrap(), Found::Version(1));
        run(&mut db, 1, &STEPS).unwrap();
        let y: i64 = db.query_row("SELECT y FROM a", [], |row| row.get(0)).unwrap();
        assert_eq!((y, look(&db).unwrap()), (2, Found::Version(2)));
    }

    #[test]
    fn a_step_that_fails_leaves_the_version_before() {
        let mut db = Connection::open_in_memory().unwrap();
        let bad = ["CREATE TABLE a (x)", "CREATE TABLE b (x); INSERT INTO nowhere VALUES (1)"];
        assert!(run(&mut db, 0, &bad).is_err());
        assert_eq!(look(&db).unwrap(), Found::Version(1));
        let b: i64 = db
            .query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'b'", [], |row| row.get(0))
            .unwrap();
        assert_eq!(b, 0);
    }

    #[test]
    fn another_programs_database_is_not_ours() {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch("CREATE TABLE a (x)").unwrap();
        assert_eq!(look(&db).unwrap(), Found::Foreign);
    }
}
