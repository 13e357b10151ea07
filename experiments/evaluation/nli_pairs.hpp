#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "data/corpus/read_report.hpp"
#include "data/corpus/token_store.hpp"
#include "experiments/evaluation/task_model.hpp"
#include "experiments/trial/trial_choices.hpp"

namespace gausscse {

/// The pairs of an NLI corpus as tasks take them, one value a pair in the file's order.
struct NliPairs {
  std::vector<std::uint32_t> premise, hypothesis;  ///< numbers in `sentences`
  std::vector<std::uint8_t> label;                 ///< an NliLabel
  std::vector<std::uint8_t> both_ways;             ///< 1 where the pair entails both ways
  std::vector<std::uint8_t> length_tells;          ///< 1 where the premise has more characters
  std::optional<TokenStore> sentences;             ///< each distinct one once, cut as the model cuts them
  ReadReport report;
};

/// What becomes of pairs without a gold label.
enum class UnlabelledPairs { keep, leave_out };

/// Reads and tokenises; `rows` are those of SICK's full release. Throws InputError as the readers do, and where no pair
/// is left.
NliPairs read_nli_pairs(const std::filesystem::path& file, setting::SickRows rows, UnlabelledPairs unlabelled,
                        const TaskModel& model);

/// Pairs whose embeddings are copied at once, which bounds memory.
inline constexpr std::int64_t pairs_of_block = 4096;

/// The embeddings, [sentences, width], of the sentences with numbers [begin, end) of a list.
at::Tensor rows_of(const at::Tensor& embeddings, const std::vector<std::uint32_t>& sentences, std::int64_t begin,
                   std::int64_t end);

}  // namespace gausscse
