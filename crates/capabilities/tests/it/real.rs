//! Real servers behind the hub and real clients in front of it.

mod clients;
mod resent;
mod servers;
mod ten;
