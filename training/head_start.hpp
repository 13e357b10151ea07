#pragma once

#include "config/trial/trial.hpp"
#include "data/corpus/token_store.hpp"
#include "dist/communicator.hpp"
#include "model/sentence_encoder.hpp"
#include "training/training_observer.hpp"

namespace gausscse {

/// Gives the head of `encoder`, whose other weights are there, the values that it begins with, see setting::HeadInit.
/// A log-variance that the data decide is that of the first sentences of `train`, the same on all ranks. Collective.
void start_head(const Trial& trial, const TokenStore& train, SentenceEncoder& encoder, Communicator& communicator,
                TrainingObserver& observer);

}  // namespace gausscse
