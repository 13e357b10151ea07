#include "evaluation/geometry/change_correlation.hpp"

#include <cmath>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

std::optional<TokenChange> change_of(const nlohmann::json& token) {
  const auto number = [&](const char* name) { return token.contains(name) && token[name].is_number(); };
  if (!token.is_object() || !token.contains("token") || !token["token"].is_string()) return std::nullopt;
  if (!number("before") || !number("after") || !number("change")) return std::nullopt;
  if (!token.contains("occurrences") || !token["occurrences"].is_number_unsigned()) return std::nullopt;
  return TokenChange{token["token"], token["occurrences"], token["before"], token["after"], token["change"]};
}

/// Returns the place of the highest correlation; nothing where there is none.
std::optional<std::size_t> highest_of(const std::vector<double>& correlations) {
  std::optional<std::size_t> highest;
  for (std::size_t i = 0; i < correlations.size(); ++i)
    if (!std::isnan(correlations[i]) && (!highest || correlations[i] > correlations[*highest])) highest = i;
  return highest;
}

}  // namespace

std::vector<TokenChange> read_changes(const std::filesystem::path& report) {
  const JsonDocument document = read_strict_json(report);
  const nlohmann::json& root = document.value();
  const auto refuse = [&](const char* why) -> InputError {
    return InputError(concat(report.string(), ": ", why,
                             ": give a report of gausscse geometry MODEL FILE --before MODEL ", "--json REPORT"));
  };
  if (!root.is_object() || !root.contains("self_similarity_change") || !root["self_similarity_change"].is_object() ||
      !root["self_similarity_change"].contains("tokens") || !root["self_similarity_change"]["tokens"].is_array())
    throw refuse("it has no changes of self-similarity");
  std::vector<TokenChange> changes;
  for (const nlohmann::json& token : root["self_similarity_change"]["tokens"]) {
    std::optional<TokenChange> change = change_of(token);
    if (!change) throw refuse("one of its tokens lacks a number");
    changes.push_back(std::move(*change));
  }
  return changes;
}

ChangeCorrelation correlate_changes(const std::vector<TokenChange>& changes, const std::string& with,
                                    const std::vector<TokenChange>& others) {
  ChangeCorrelation correlation{with, pearson_by_count(changes, others, ChangeCorrelation::least, changes.size())};
  if (correlation.by_count.empty())
    throw InputError(
        concat(with, ": fewer than ", ChangeCorrelation::least,
               " tokens are compared in both, special ones left out: the vocabularies differ, or the texts ",
               "are too short"));
  return correlation;
}

std::string correlation_table(const ChangeCorrelation& correlation) {
  const std::size_t last = ChangeCorrelation::least + correlation.by_count.size() - 1;
  std::set<std::size_t> counts{last};
  for (const std::size_t count : {10, 20, 50, 100, 200, 400})
    if (count < last) counts.insert(count);
  const std::optional<std::size_t> highest = highest_of(correlation.by_count);
  if (highest) counts.insert(ChangeCorrelation::least + *highest);
  std::vector<std::vector<std::string>> rows{{"most frequent tokens", "Pearson's r", ""}};
  for (const std::size_t count : counts) {
    const std::size_t place = count - ChangeCorrelation::least;
    rows.push_back({std::to_string(count), fixed_text(correlation.by_count[place], 3),
                    highest == place ? "the highest"
                    : count == last  ? "all"
                                     : ""});
  }
  return concat("last layer, correlation of the changes with those of ", correlation.with, "\n", text_table(rows));
}

}  // namespace gausscse
