//! What goes wrong inside, and what the port says of it.

use hub_core::ports::StoreError;
use rusqlite::ErrorCode;

#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Sql(#[from] rusqlite::Error),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

impl Fault {
    pub(super) fn is_full(&self) -> bool {
        matches!(self, Self::Store(StoreError::Full)) || self.code() == Some(ErrorCode::DiskFull)
    }

    pub(super) fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Sql(error) => error.sqlite_error_code(),
            _ => None,
        }
    }
}

impl From<Fault> for StoreError {
    fn from(fault: Fault) -> Self {
        let code = fault.code();
        match fault {
            Fault::Store(error) => error,
            Fault::Sql(_) if code == Some(ErrorCode::DiskFull) => Self::Full,
            Fault::Sql(error) => match code {
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Failed(
                    "the database is damaged; run doctor, then restore a backup".to_owned(),
                ),
                _ => Self::Failed(error.to_string()),
            },
            // The message would quote what it could not read.
            Fault::Json(_) => Self::Failed("an entry of the database cannot be read".to_owned()),
        }
    }
}

/// Makes a unique constraint's refusal a conflict in words; other faults stay.
pub(super) fn conflict(error: rusqlite::Error, words: impl FnOnce() -> String) -> Fault {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => StoreError::Conflict(words()).into(),
        _ => error.into(),
    }
}
