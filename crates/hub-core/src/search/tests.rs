mod fixtures;
mod listing;
mod order;
mod properties;
mod reports;
mod sentences;
mod updates;
mod wording;
