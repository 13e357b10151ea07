#include "evaluation/geometry/geometry_report.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.hpp"
#include "results/json_report.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

constexpr std::size_t shares_printed = 3, dimensions_printed = 10, changes_printed = 10;

std::vector<std::int64_t> top_dimensions(const RogueDimensions& rogue) {
  return {rogue.order.begin(),
          rogue.order.begin() + static_cast<std::ptrdiff_t>(std::min(dimensions_printed, rogue.order.size()))};
}

nlohmann::ordered_json to_json(const RogueDimensions& rogue) {
  if (rogue.order.empty()) return nullptr;
  nlohmann::ordered_json reaching = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < RogueDimensions::levels.size(); ++i)
    reaching[concat(RogueDimensions::levels[i])] =
        rogue.reaching[i] == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(rogue.reaching[i]);
  return {{"share_of_top", shares_of_top(rogue)},
          {"dimensions_reaching", std::move(reaching)},
          {"top", top_dimensions(rogue)}};
}

nlohmann::ordered_json to_json(const ComparedGeometry& compared) {
  nlohmann::ordered_json tokens = nlohmann::ordered_json::array();
  for (const TokenChange& token : compared.change.tokens)
    tokens.push_back({{"token", token.token},
                      {"occurrences", token.occurrences},
                      {"before", token.before},
                      {"after", token.after},
                      {"change", token.change}});
  nlohmann::ordered_json json{
      {"before", compared.before}, {"tokens", std::move(tokens)}, {"left_out", compared.change.left_out}};
  if (compared.correlation)
    json["correlation"] = {{"with", compared.correlation->with},
                           {"least", ChangeCorrelation::least},
                           {"by_count", compared.correlation->by_count}};
  return json;
}

std::string rogue_text(const char* of, const RogueDimensions& rogue) {
  if (rogue.order.empty()) return "";
  std::string text = concat(of, ": the first 1, 2, 3 dimensions have");
  for (const double share : shares_of_top(rogue)) text += concat(" ", fixed_text(share, 4));
  text += "; 10, 20, 50 % are reached by";
  for (const std::int64_t count : rogue.reaching) text += count == 0 ? " -" : concat(" ", count);
  text += "; first of all";
  for (const std::int64_t dimension : top_dimensions(rogue)) text += concat(" ", dimension);
  return text + "\n";
}

}  // namespace

std::vector<double> shares_of_top(const RogueDimensions& rogue) {
  std::vector<double> sums;
  double sum = 0;
  for (std::size_t i = 0; i < std::min(shares_printed, rogue.shares.size()); ++i)
    sums.push_back(sum += rogue.shares[i]);
  return sums;
}

std::string geometry_table(const TokenGeometry& geometry) {
  std::vector<std::vector<std::string>> rows{{"layer", "anisotropy", "sampled", "self-similarity", "adjusted",
                                              "intra-sentence similarity", "adjusted", "norm", "norm, by sentence"}};
  for (std::size_t layer = 0; layer < geometry.layers.size(); ++layer) {
    const LayerGeometry& metrics = geometry.layers[layer];
    rows.push_back({std::to_string(layer), fixed_text(metrics.anisotropy, 4), fixed_text(metrics.sampled_anisotropy, 3),
                    fixed_text(metrics.self_similarity, 4), fixed_text(metrics.adjusted_self_similarity, 4),
                    fixed_text(metrics.intra_sentence_similarity, 4),
                    fixed_text(metrics.adjusted_intra_sentence_similarity, 4), fixed_text(metrics.norm, 3),
                    fixed_text(metrics.norm_of_sentences, 3)});
  }
  std::string text = concat(geometry.sentences, " sentences, ", geometry.tokens, " tokens, the longest sentence has ",
                            geometry.longest, ", ", geometry.ids, " token ids are compared");
  const auto in_one_sentence = std::count_if(geometry.self_similarities.begin(), geometry.self_similarities.end(),
                                             [](const IdSelfSimilarity& id) { return std::isnan(id.self_similarity); });
  if (in_one_sentence > 0)
    text += concat(" (", in_one_sentence, " of them in one sentence only, which no self-similarity counts; shares of ",
                   "dimensions do)");
  text += concat("\n", text_table(rows));
  text += rogue_text("last layer, similarity of a token id with itself", geometry.rogue);
  text += rogue_text("last layer, similarity of tokens of different sentences", geometry.rogue_over_tokens);
  if (geometry.informativity.empty()) return text;
  text += "last layer, r^2 of cosines without the first dimensions:";
  for (const Informativity& without : geometry.informativity)
    text += concat(" ", without.removed, ": ", fixed_text(without.mean, 3));
  return text + "\n";
}

std::string change_table(const ComparedGeometry& compared) {
  std::vector<TokenChange> tokens = compared.change.tokens;
  std::string text = concat("last layer, change of adjusted self-similarity since ", compared.before, ": ",
                            tokens.size(), " tokens, ", compared.change.left_out, " left out\n");
  std::stable_sort(tokens.begin(), tokens.end(),
                   [](const TokenChange& a, const TokenChange& b) { return a.change < b.change; });
  const std::size_t shown = std::min(changes_printed, tokens.size());
  const auto add_rows = [&](const char* which, auto first) {
    std::vector<std::vector<std::string>> rows{{which, "occurrences", "before", "after", "change"}};
    for (std::size_t i = 0; i < shown; ++i, ++first)
      rows.push_back({quoted(first->token), std::to_string(first->occurrences), fixed_text(first->before, 3),
                      fixed_text(first->after, 3), fixed_text(first->change, 3)});
    text += text_table(rows);
  };
  add_rows("lowest", tokens.cbegin());
  add_rows("highest", tokens.crbegin());
  if (compared.correlation) text += correlation_table(*compared.correlation);
  return text;
}

std::string geometry_json(const TokenGeometry& geometry, const std::optional<ComparedGeometry>& compared) {
  nlohmann::ordered_json layers = nlohmann::ordered_json::array(), informativity = nlohmann::ordered_json::array();
  for (const LayerGeometry& layer : geometry.layers) {
    nlohmann::ordered_json metrics = nlohmann::ordered_json::object();
    for_each_metric(layer, [&](const char* name, double value) { metrics[name] = value; });
    layers.push_back(std::move(metrics));
  }
  for (const Informativity& without : geometry.informativity)
    informativity.push_back({{"removed", without.removed}, {"mean", without.mean}, {"deviation", without.deviation}});
  nlohmann::ordered_json report{{"format", report_format},
                                {"kind", "geometry"},
                                {"sentences", geometry.sentences},
                                {"tokens", geometry.tokens},
                                {"longest", geometry.longest},
                                {"ids", geometry.ids},
                                {"layers", std::move(layers)},
                                {"rogue", to_json(geometry.rogue)},
                                {"rogue_over_tokens", to_json(geometry.rogue_over_tokens)},
                                {"informativity", std::move(informativity)}};
  if (compared) report["self_similarity_change"] = to_json(*compared);
  return report.dump(2) + "\n";
}

}  // namespace gausscse
