#pragma once

#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/recording_observer.hpp"
#include "training/trainer.hpp"

namespace gausscse {

inline SentenceEncoderSettings encoder_of_bytes() {
  auto settings = small_settings(EncoderConfig::Architecture::bert, at::kFloat);
  settings.encoder.vocabulary_size = 300;
  return settings;
}

/// Returns settings of six steps of eight examples each, twice through the triples below.
inline Trial::Training six_steps() {
  Trial::Training training;
  training.batch_size = 8;
  training.max_steps = 6;
  return training;
}

/// Trains an encoder of bytes with random weights on 24 triples, on all ranks; rank 0 writes checkpoints if asked to.
/// Exceptions of the training go through.
inline void train_on_triples(SentenceEncoder& encoder, const Objective& objective, const TaskList& tasks,
                             Communicator& communicator, TrainingObserver& observer, const TrainerSettings& settings,
                             bool with_checkpoints, RunResult& result) {
  randomize(encoder.parameters(), 1);
  std::string text = "sent0,sent1,hard_neg\n";
  for (int i = 0; i < 24; ++i) text += concat("premise ", i, ",entailed ", i, ",contradicted ", i, "\n");
  const TemporaryFolder folder;
  write_bytes(folder / "triples.csv", text);
  TokenStoreOptions options;
  options.max_tokens = 16;
  const TokenStore train = TokenStore::open_or_build({folder / "triples.csv"}, ByteTokenizer(), options);
  std::optional<CheckpointWriter> writer;
  if (with_checkpoints && communicator.is_root()) writer.emplace(CheckpointFolder(folder / "checkpoints"), "none");
  NoRequests requests;
  Trainer trainer({.encoder = encoder,
                   .objective = objective,
                   .train = train,
                   .tasks = tasks,
                   .communicator = communicator,
                   .observer = observer,
                   .requests = requests,
                   .checkpoints = writer ? &*writer : nullptr},
                  settings);
  trainer.run(result);
}

}  // namespace gausscse
