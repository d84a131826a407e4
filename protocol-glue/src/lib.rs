//! bytes <-> kafka-protocol messages
