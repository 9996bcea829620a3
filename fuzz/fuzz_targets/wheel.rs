#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tickwheel_tests::fuzz::wheel(bytes));
