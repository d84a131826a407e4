//! STUB of the table of APIs.
