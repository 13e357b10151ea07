#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/trial/trial.hpp"
#include "model/sentence_encoder.hpp"
#include "training/training_observer.hpp"
#include "training/trial_data.hpp"

namespace gausscse {

/// Names of inputs of a run, and XXH3-128 of the content of each.
using Contents = std::vector<std::pair<std::string, std::string>>;

/// Returns the contents of the files that a run reads, of its tokenizer and of its initial weights, which `encoder`
/// holds. A model folder may differ between nodes, or change before a restart.
Contents contents_of_run(const Trial& trial, const TrialData& data, const SentenceEncoder& encoder);

/// Returns the contents by which a study knows the trial; `known` are not read again. They include files in a model's
/// folder that no training reads. If one of these cannot be read, nothing is returned, and `observer` gets a note.
Contents input_hashes(const Trial& trial, const Contents& known, TrainingObserver& observer);

}  // namespace gausscse
