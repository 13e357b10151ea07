#pragma once

#include "experiments/results/run_result.hpp"

namespace gausscse::testing_support {

/// A small result with a distinct value in every member.
RunResult sample_result();

}  // namespace gausscse::testing_support
