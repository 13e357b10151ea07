#include "evaluation/geometry/geometry_columns.hpp"

#include <cstdint>
#include <string>

#include "base/error.hpp"

namespace gausscse {

std::vector<TokenSelfSimilarity> adjusted_self_similarities(const Measurement& measurement) {
  const auto* tokens = find_column<std::vector<std::string>>(measurement, geometry_columns::token);
  const auto* occurrences = find_column<std::vector<std::int64_t>>(measurement, geometry_columns::occurrences);
  const auto* similarities = find_column<std::vector<double>>(measurement, geometry_columns::self_similarity);
  if (!tokens || !occurrences || !similarities) return {};
  if (tokens->size() != occurrences->size() || tokens->size() != similarities->size())
    throw InputError(concat("the task ", quoted(measurement.task), " has ", tokens->size(), " tokens, ",
                            occurrences->size(), " numbers of occurrences and ", similarities->size(),
                            " self-similarities: its result is damaged"));
  const double anisotropy = figure_of(measurement, "anisotropy");
  std::vector<TokenSelfSimilarity> adjusted;
  for (std::size_t i = 0; i < tokens->size(); ++i)
    adjusted.push_back({(*tokens)[i], static_cast<std::size_t>((*occurrences)[i]), (*similarities)[i] - anisotropy});
  return adjusted;
}

}  // namespace gausscse
