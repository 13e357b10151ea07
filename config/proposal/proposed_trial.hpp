#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/proposal/commented_trial.hpp"
#include "config/proposal/data_sample.hpp"
#include "config/trial/trial.hpp"

namespace gausscse {

/// Lengths in tokens of the sentences of a sample, and the limit of an encoder.
struct SampledLengths {
  std::size_t longest = 0;
  std::size_t of_most = 0;         ///< 99 % of the sentences have at most this many
  std::size_t encoder_tokens = 0;  ///< the most tokens that the encoder takes
};

/// A set that a trial measures.
struct MeasuredSet {
  std::string name;
  FileColumns columns;
};

/// All that a trial is proposed for. Paths are as the trial is to name them.
struct ProposalRequest {
  std::optional<setting::Recipe> recipe;  ///< nothing: the one that fits the data
  std::filesystem::path backbone;
  std::string backbone_text;  ///< "6 layers of 384, at most 512 tokens a sentence"
  /// Pooling that the backbone's folder names: it is made for sentence vectors then.
  std::optional<PoolingKind> own_pooling = {};
  std::vector<std::filesystem::path> train;
  DataSample data;
  SampledLengths lengths;
  CorpusLayout layout;
  BadLines bad_lines = BadLines::error;
  std::vector<MeasuredSet> dev;  ///< one, or none
  std::vector<MeasuredSet> tests;
  std::filesystem::path output;
};

/// A trial, and why each key has its value.
struct ProposedTrial {
  Trial trial;
  std::vector<Remark> remarks;
  std::string data_text;   ///< "120 rows give 118 triples"
  std::int64_t steps = 0;  ///< steps of the training, about
};

/// Returns a trial that trains on the data. Throws InputError where the data lack a part that the chosen recipe needs.
ProposedTrial propose_trial(const ProposalRequest& request);

}  // namespace gausscse
