//! The store on SQLite, from outside.

mod conforms;
