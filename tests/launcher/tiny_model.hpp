#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/tasks/nli_scoring.hpp"
#include "model/folder/model_folder.hpp"
#include "tests/launcher/program.hpp"

namespace gausscse {

/// Parts of a saved model besides the project's tiny BERT.
struct TinyModel {
  std::uint64_t head_seed = 5;
  Similarity similarity = Similarity::per_dimension;
  std::optional<double> threshold = 0.5;
  NliScoring scoring = {};
  std::string state = "last";
  std::int64_t step = 17;
  HeadKind head = HeadKind::gaussian;
  PoolingKind pooling = PoolingKind::first_token;
  MeanScale scale = MeanScale::none;
};

/// Saves the project's tiny BERT with a random head, for sentences of at most 16 tokens, as a training would.
void save_tiny_model(const TinyProject& project, const std::filesystem::path& folder, const TinyModel& model);

/// Embedding of a sentence; of a Gaussian model [mean | log_var].
using Embedding = std::vector<float>;

/// Embeds each sentence alone, in its own batch, with the encoder of a saved model.
std::vector<Embedding> embed_one_by_one(const std::filesystem::path& model, const std::vector<std::string>& sentences);

/// sim(p || q) in float64, by its formula: the mean over dimensions of 1 / (1 + KL).
double per_dimension_similarity(const Embedding& p, const Embedding& q);
/// 1 / (1 + sum over dimensions of KL).
double joint_similarity(const Embedding& p, const Embedding& q);

/// Returns `count` sentences of 1 to 9 of the project's words, reproducibly; every 50th has 30, more than are looked
/// at.
std::vector<std::string> tiny_sentences(std::size_t count, std::uint64_t seed);

/// Returns one a line.
std::string lines_of(const std::vector<std::string>& sentences);

}  // namespace gausscse
