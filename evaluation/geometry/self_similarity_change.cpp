#include "evaluation/geometry/self_similarity_change.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "evaluation/metrics/correlation.hpp"

namespace gausscse {

namespace {

constexpr std::pair<std::string_view, std::string_view> special_tokens[] = {
    {"[CLS]", "<s>"}, {"[SEP]", "</s>"}, {"[PAD]", "<pad>"}};

/// Returns the name of a token in all vocabularies: BERT's of a special one, else its string.
std::string_view common_name(std::string_view token) {
  for (const auto& [bert, roberta] : special_tokens)
    if (token == roberta) return bert;
  return token;
}

bool is_special(std::string_view token) {
  return std::any_of(std::begin(special_tokens), std::end(special_tokens),
                     [&](const auto& special) { return common_name(token) == special.first; });
}

template <typename Token>
std::unordered_map<std::string_view, const Token*> by_name(std::span<const Token> tokens) {
  std::unordered_map<std::string_view, const Token*> named;
  for (const Token& token : tokens) named.emplace(common_name(token.token), &token);
  return named;
}

/// Changes of the tokens that are in both, special ones left out.
struct PairedChanges {
  std::vector<double> a, b;
};

PairedChanges paired_changes(std::span<const TokenChange> a, std::span<const TokenChange> b, std::size_t most) {
  const auto others = by_name(b);
  PairedChanges paired;
  for (const TokenChange& token : a) {
    if (paired.a.size() == most) break;
    const auto found = others.find(common_name(token.token));
    if (found == others.end() || is_special(token.token)) continue;
    paired.a.push_back(token.change);
    paired.b.push_back(found->second->change);
  }
  return paired;
}

}  // namespace

std::vector<TokenSelfSimilarity> adjusted_self_similarities(std::span<const IdSelfSimilarity> ids, double anisotropy,
                                                            const std::vector<std::string>& tokens) {
  std::vector<TokenSelfSimilarity> result;
  result.reserve(ids.size());
  for (const IdSelfSimilarity& each : ids) {
    GAUSSCSE_CHECK(each.id < tokens.size(), "id ", each.id, " of ", tokens.size());
    result.push_back({tokens[each.id], each.occurrences, each.self_similarity - anisotropy});
  }
  return result;
}

SelfSimilarityChange self_similarity_change(std::span<const TokenSelfSimilarity> before,
                                            std::span<const TokenSelfSimilarity> after, std::size_t frequent) {
  const auto earlier = by_name(before);
  SelfSimilarityChange result;
  for (const TokenSelfSimilarity& token : after.first(std::min(frequent, after.size()))) {
    const auto found = earlier.find(common_name(token.token));
    const double was = found == earlier.end() ? std::numeric_limits<double>::quiet_NaN() : found->second->adjusted;
    if (std::isnan(was) || std::isnan(token.adjusted))
      ++result.left_out;
    else
      result.tokens.push_back({token.token, token.occurrences, was, token.adjusted, token.adjusted - was});
  }
  return result;
}

std::vector<double> pearson_by_count(std::span<const TokenChange> a, std::span<const TokenChange> b, std::size_t least,
                                     std::size_t most) {
  const PairedChanges paired = paired_changes(a, b, most);
  std::vector<double> correlations;
  for (std::size_t count = least; count <= paired.a.size(); ++count)
    correlations.push_back(pearson(std::span(paired.a).first(count), std::span(paired.b).first(count)));
  return correlations;
}

}  // namespace gausscse
