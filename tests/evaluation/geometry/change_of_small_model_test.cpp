#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "evaluation/geometry/geometry_task.hpp"
#include "evaluation/geometry/self_similarity_change.hpp"
#include "tests/evaluation/geometry/small_model_geometry.hpp"

namespace gausscse {
namespace {

using testing_support::ByteTokenizer;
using testing_support::cosine;
using testing_support::TokenGeometryOfSmallModel;

/// Table 2 by its definition: of each id all pairs of its first occurrences, and of all tokens those of different
/// sentences, in both states of the model, in float64.
TEST_F(TokenGeometryOfSmallModel, ChangeOfSelfSimilarityIsItsDefinition) {
  std::map<std::uint32_t, std::size_t> occurrences;
  for (std::uint32_t s = 0; s < store_.sentences(); ++s)
    for (const std::uint32_t id : ids_of(s)) ++occurrences[id];
  std::vector<std::map<std::uint32_t, double>> adjusted;  // of each state
  std::vector<std::vector<TokenSelfSimilarity>> measured;
  const std::vector<std::string> strings = ByteTokenizer().tokens();
  for (const unsigned weights : {5u, 6u}) {
    testing_support::randomize(encoder_.parameters(), weights);
    encoder_.parameters_changed();
    measured.push_back(
        adjusted_self_similarities(measurement_of("tokens", measure({.samples = 5, .draws = 0}), strings)));
    std::map<std::uint32_t, std::vector<at::Tensor>> of_id;
    double anisotropy = 0;
    std::vector<at::Tensor> states;
    for (std::uint32_t s = 0; s < store_.sentences(); ++s) {
      states.push_back(states_of(s, 0)[2]);
      const std::vector<std::uint32_t> ids = ids_of(s);
      std::set<std::uint32_t> met;
      for (std::size_t t = 0; t < ids.size(); ++t)
        if (met.insert(ids[t]).second) of_id[ids[t]].push_back(states[s][static_cast<std::int64_t>(t)]);
    }
    for (std::size_t a = 0; a < states.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        double sum = 0;
        for (std::int64_t t = 0; t < states[a].size(0); ++t)
          for (std::int64_t u = 0; u < states[b].size(0); ++u) sum += cosine(states[a][t], states[b][u]);
        anisotropy += sum / static_cast<double>(states[a].size(0) * states[b].size(0));
      }
    anisotropy /= static_cast<double>(states.size() * (states.size() - 1)) / 2;
    std::map<std::uint32_t, double>& of_state = adjusted.emplace_back();
    for (const auto& [id, vectors] : of_id) {
      if (occurrences[id] < 5 || vectors.size() < 2) continue;
      double sum = 0, pairs = 0;
      for (std::size_t a = 0; a < vectors.size(); ++a)
        for (std::size_t b = 0; b < a; ++b, ++pairs) sum += cosine(vectors[a], vectors[b]);
      of_state[id] = sum / pairs - anisotropy;
    }
  }
  const SelfSimilarityChange change = self_similarity_change(measured[0], measured[1], 400);
  ASSERT_EQ(change.tokens.size(), adjusted[0].size());
  EXPECT_GE(change.tokens.size(), 7u);
  EXPECT_EQ(change.left_out, 1u) << "the letter of one sentence alone";
  for (const auto& [id, before] : adjusted[0]) {
    const auto found = std::find_if(change.tokens.begin(), change.tokens.end(),
                                    [&, id = id](const TokenChange& token) { return token.token == strings[id]; });
    ASSERT_NE(found, change.tokens.end()) << id;
    EXPECT_EQ(found->occurrences, occurrences[id]);
    // Each self-similarity is rounded to three decimals.
    EXPECT_NEAR(found->before, before, 5.1e-4) << id;
    EXPECT_NEAR(found->change, adjusted[1].at(id) - before, 1.02e-3) << id;
  }
}

}  // namespace
}  // namespace gausscse
