//! Real servers behind the hub and real clients in front of it.

mod clients;
mod forms;
mod resent;
mod servers;
mod ten;
