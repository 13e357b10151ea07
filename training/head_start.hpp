#pragma once

#include "config/trial/trial.hpp"
#include "data/corpus/token_store.hpp"
#include "dist/communicator.hpp"
#include "model/sentence_encoder.hpp"
#include "training/training_observer.hpp"

namespace gausscse {

/// Gives the head of `encoder`, whose other weights are there, the values that it begins with, see setting::HeadInit.
/// Returns true where the data decide about its log-variances, which are 0 until `start_log_var_at_data`. So the
/// weights before the first step, which a resumed run compares, do not depend on the machine.
bool start_head(const Trial& trial, SentenceEncoder& encoder, TrainingObserver& observer);

/// Sets the bias of the log-variance to the value that suits the means of the first sentences of `train`, as rank 0
/// computes them. Throws InputError where these do not differ. Collective.
void start_log_var_at_data(const TokenStore& train, SentenceEncoder& encoder, Communicator& communicator,
                           TrainingObserver& observer);

}  // namespace gausscse
