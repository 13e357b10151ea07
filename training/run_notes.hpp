#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "config/trial/trial.hpp"
#include "dist/communicator.hpp"
#include "model/sentence_encoder.hpp"
#include "training/checkpoint/training_state.hpp"
#include "training/training_observer.hpp"

namespace gausscse {

/// Returns the number of virtual shards; 0: as is fastest.
std::int64_t virtual_shards(const Trial& trial);

/// Warns of ranks that the batches leave without work.
void check_work(const Trial& trial, Communicator& communicator, TrainingObserver& observer);

/// Notes the bounds of a loss of cosines, as a temperature that is too low leaves nothing to learn from.
void tell_bounds(const Trial& trial, TrainingObserver& observer);

/// Notes a change of device: results are bit-reproducible on one device only.
void tell_other_device(const TrainingState& state, at::Device device, TrainingObserver& observer);

/// Notes the parameters that a training from one layer on leaves as they are.
void tell_held(const SentenceEncoder& encoder, TrainingObserver& observer);

/// Reports the mean of the pairs that the objective left out of a step as false negatives, if it did that.
void tell_left_out(const Trial& trial, const TrainingSeries& training, TrainingObserver& observer);

}  // namespace gausscse
