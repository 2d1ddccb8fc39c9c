//! Two promises to a host that runs its calls, on messages of two or three calls in every dialect. A cut stream hands out only
//! calls of the whole stream. A lost closer swallows no call in silence. The machine keeps both, and so does its twin.

use proptest::prelude::*;

#[path = "support/promises.rs"]
mod bodies;

fn data() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 12..64)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_cut_stream_runs_nothing_else(data in data()) {
        bodies::prefixes(&data, bodies::machine);
    }

    #[test]
    fn a_cut_stream_runs_nothing_else_in_any_dialect(data in data()) {
        bodies::prefixes_in_any(&data);
    }

    #[test]
    fn a_cut_stream_runs_nothing_else_by_the_twin(data in data()) {
        bodies::prefixes(&data, bodies::slow_twin);
    }

    #[test]
    fn a_lost_closer_swallows_no_call(data in data()) {
        bodies::lost_closer(&data, bodies::machine);
    }

    #[test]
    fn a_lost_closer_swallows_no_call_by_the_twin(data in data()) {
        bodies::lost_closer(&data, bodies::slow_twin);
    }
}
