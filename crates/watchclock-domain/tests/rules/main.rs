//! Rules from the outside: texts in, verdicts out. Neighbour: `watchclock_domain::rule`, whose small parts have their own tests.

mod grammar;
mod history;
mod properties;
mod support;
mod table;
mod user_doc;
mod words;
