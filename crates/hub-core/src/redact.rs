//! What people are shown of arguments, in one place for all channels.
