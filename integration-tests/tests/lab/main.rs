//! The lab: kafka-ui in front of the broker, and a student at kafka-ui.
//!
//! kafka-ui itself is a JVM with a web server; what reaches the broker are the requests of its Java client. They
//! are sent here as kafka-ui sends them: the same requests, versions and fields, in the same order, on connections
//! of their own, and its own rules decide what a student sees.

mod kafka_ui;
mod lesson;
mod pages;
mod scrape;
