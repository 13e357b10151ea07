#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "inference/search/hit_answers.hpp"
#include "inference/sentence_file.hpp"
#include "inference/sentence_model.hpp"
#include "launcher/commands/search_arguments.hpp"
#include "launcher/search_output.hpp"

namespace gausscse {

std::set<std::uint64_t> rows_of_hits(const std::vector<std::vector<SearchHit>>& hits);

/// Returns the answers that the calibration in use gives; nothing where the model has none. Warns where every query
/// abstains at the risk. Throws InputError for options that the calibration cannot serve.
std::optional<HitAnswers> answers_in_use(const SearchArguments& arguments, const SentenceModel& model);

/// Returns the output for the hits, `wanted` of each query: with probabilities if there are `answers`, and with the
/// texts of the rows if `texts`, one behind the other, have them.
SearchAnswer answer_of(std::vector<std::vector<SearchHit>> hits, const SearchArguments& arguments,
                       Similarity similarity, std::uint64_t rows, std::span<SentenceFile* const> texts,
                       std::optional<HitAnswers>& answers);

/// Logs the warnings of the answers, and at a risk how many queries are answered.
void log_answers(const SearchArguments& arguments, const SearchAnswer& answer, const HitAnswers& answers);

}  // namespace gausscse
