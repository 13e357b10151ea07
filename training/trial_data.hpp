#pragma once

#include <optional>
#include <span>

#include "config/trial/trial.hpp"
#include "data/corpus/token_store.hpp"
#include "dist/control_group.hpp"
#include "evaluation/task_list.hpp"
#include "inference/sentence_model.hpp"
#include "model/folder/model_folder_reader.hpp"
#include "model/weights/encoder_config.hpp"
#include "training/row_vectors.hpp"
#include "training/training_observer.hpp"

namespace gausscse {

/// All that a trial reads but its weights.
struct TrialData {
  std::optional<RowVectors> vectors;               ///< vectors in the encoder's place, if the trial has some
  EncoderConfig encoder;                           ///< with vectors, only `hidden_size` has a meaning: their width
  PoolingKind pooling = PoolingKind::first_token;  ///< the trial's, or its folder's where the trial says so
  std::optional<PoolingKind> own_pooling;          ///< the folder's, if it has one
  SentenceModel model;                             ///< as it will be saved, without weights and threshold
  std::optional<TokenStore> train;
  TaskList tasks;
};

/// Returns the folder of a backbone: config.json, weights and tokenizer.
ModelFolder backbone_folder(const Trial& trial);

/// Returns the properties of the trial's model before it is trained.
ModelProperties properties_of(const Trial& trial);

/// Reads the tasks of a trial, or some of them, for `model`. Throws InputError.
TaskList tasks_of_trial(const Trial& trial, std::span<const TaskSettings> tasks, const SentenceModel& model,
                        std::size_t threads);

/// Reads the trial's corpora, and its vectors if it has some, and reports their counts to `observer`. A named
/// architecture gets the tokenizer's vocabulary size. The first rank of each node fills the token cache, and the others
/// map its memory. Throws InputError.
TrialData load_trial_data(const Trial& trial, std::size_t threads, ControlGroup& ranks, TrainingObserver& observer);

}  // namespace gausscse
