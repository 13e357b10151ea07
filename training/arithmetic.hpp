#pragma once

#include <string>

#include "config/trial/trial.hpp"
#include "results/run_result.hpp"
#include "training/training_observer.hpp"

namespace gausscse {

/// Looks at the instructions that each rank computes with: those of the kernels, and those of products in bfloat16 if
/// the trial trains in it. Where they are not the same on all ranks, the last bits of metrics depend on the rank that
/// computes them. That is a warning, or, under `reproducibility: rank_invariant`, which promises equal bits, an
/// InputError.
void check_arithmetic(const Trial& trial, const Provenance& provenance, TrainingObserver& observer);

/// Returns a text that names the libraries and the instructions or GPUs of all ranks: while it is the same, a program
/// gives a sentence the same bits. On GPUs it has the number of ranks, too, as batches depend on that.
std::string arithmetic_text(const Provenance& provenance);

}  // namespace gausscse
