#pragma once

#include <cstddef>
#include <vector>

#include "config/trial/trial.hpp"
#include "dist/communicator.hpp"
#include "model/sentence_encoder.hpp"
#include "results/run_result.hpp"
#include "training/training_observer.hpp"
#include "training/trial_data.hpp"

namespace gausscse {

/// Returns whether the trial has a backbone that is worth measuring: a folder's or given vectors, and a task that can.
bool has_measured_backbone(const Trial& trial);

/// Measures the backbone as it is by the trial's tasks. The similarity is the cosine of the pooled vectors of
/// `encoder`, which holds the weights of its folder, by the folder's own pooling, else the trial's; or that of the
/// given vectors. Rank 0 has the metrics, without columns, others empty ones. Collective.
StateResult measure_backbone(const Trial& trial, const TrialData& data, std::size_t threads, SentenceEncoder& encoder,
                             Communicator& communicator, TrainingObserver& observer);

/// Returns the measurement, of a state or of the backbone, that gives an application of it its threshold and its
/// calibration. It is that of the task that selected the state, else of the first that chose a threshold for itself.
/// Null where no task did.
const Measurement* source_of_threshold(const Trial& trial, const std::vector<Measurement>& measurements);

}  // namespace gausscse
