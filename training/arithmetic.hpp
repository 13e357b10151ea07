#pragma once

#include "config/trial/trial.hpp"
#include "results/run_result.hpp"
#include "training/training_observer.hpp"

namespace gausscse {

/// Looks at the instructions that each rank computes with: those of the kernels, and those of products in bfloat16 if
/// the trial trains in it. Where they are not the same on all ranks, the last bits of metrics depend on which rank
/// computes them: a warning, or, under `reproducibility: rank_invariant`, which promises that they do not, an
/// InputError.
void check_arithmetic(const Trial& trial, const Provenance& provenance, TrainingObserver& observer);

}  // namespace gausscse
