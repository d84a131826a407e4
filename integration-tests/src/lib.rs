//! Stock clients and raw frames against a Daybook started in the test.
