#include "evaluation/geometry/token_geometry.hpp"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros.h>

#include "tests/evaluation/geometry/small_model_geometry.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Every metric by its definition: all pairs of tokens, in float64.
TEST_F(TokenGeometryOfSmallModel, MetricsAreTheirDefinitions) {
  for (const bool pads : {false, true}) {
    const TokenGeometry geometry = measure({.pads = pads, .samples = 10, .draws = 2});
    const auto count = static_cast<std::uint32_t>(store_.sentences());
    std::size_t longest = 0;
    for (std::uint32_t s = 0; s < count; ++s) longest = std::max(longest, store_.length(s));
    std::vector<std::vector<at::Tensor>> states;
    std::map<std::uint32_t, std::size_t> occurrences;
    for (std::uint32_t s = 0; s < count; ++s) {
      states.push_back(states_of(s, pads ? longest : 0));
      for (const std::uint32_t id : ids_of(s)) ++occurrences[id];
      if (pads) occurrences[pad] += longest - store_.length(s);
    }
    std::size_t ids = 0;
    for (const auto& [id, times] : occurrences) ids += times >= 5;
    EXPECT_EQ(geometry.ids, ids);
    EXPECT_GE(ids, 7u);
    EXPECT_EQ(geometry.longest, longest);
    EXPECT_EQ(geometry.sentences, count);
    ASSERT_EQ(geometry.layers.size(), 3u);

    for (std::size_t layer = 0; layer < 3; ++layer) {
      const LayerGeometry& metrics = geometry.layers[layer];
      double anisotropy = 0, intra = 0, norm = 0, norm_of_sentences = 0, tokens = 0;
      std::map<std::uint32_t, std::vector<at::Tensor>> of_id;  // first occurrences
      for (std::uint32_t s = 0; s < count; ++s) {
        const auto length = static_cast<std::int64_t>(store_.length(s));
        const at::Tensor own = states[s][layer].narrow(0, 0, length);
        for (std::uint32_t other = 0; other < count; ++other) {
          if (other == s) continue;
          const auto others = static_cast<std::int64_t>(store_.length(other));
          double sum = 0;
          for (std::int64_t t = 0; t < length; ++t)
            for (std::int64_t u = 0; u < others; ++u) sum += cosine(own[t], states[other][layer][u]);
          anisotropy += sum / static_cast<double>(length * others);
        }
        double similarity = 0, norms = 0;
        for (std::int64_t t = 0; t < length; ++t) {
          similarity += cosine(own[t], own.mean(0));
          norms += own[t].norm().item<double>();
        }
        intra += similarity / static_cast<double>(length);
        norm += norms;
        norm_of_sentences += norms / static_cast<double>(length);
        tokens += static_cast<double>(length);
        std::vector<std::uint32_t> own_ids = ids_of(s);
        if (pads && own_ids.size() < longest) own_ids.push_back(pad);
        std::set<std::uint32_t> met;
        for (std::size_t t = 0; t < own_ids.size(); ++t)
          if (occurrences[own_ids[t]] >= 5 && met.insert(own_ids[t]).second)
            of_id[own_ids[t]].push_back(states[s][layer][static_cast<std::int64_t>(t)]);
      }
      double self_similarity = 0, compared = 0;
      std::map<std::uint32_t, double> of_ids;
      for (const auto& [id, vectors] : of_id) {
        double sum = 0, pairs = 0;
        for (std::size_t a = 0; a < vectors.size(); ++a)
          for (std::size_t b = 0; b < a; ++b, ++pairs) sum += cosine(vectors[a], vectors[b]);
        if (pairs == 0) continue;
        of_ids[id] = sum / pairs;
        self_similarity += std::nearbyint(sum / pairs * 1000) / 1000;
        ++compared;
      }
      anisotropy /= count * (count - 1.0);
      self_similarity /= compared;
      intra /= count;
      EXPECT_NEAR(metrics.anisotropy, anisotropy, 1e-6) << layer;
      EXPECT_NEAR(metrics.self_similarity, self_similarity, 1e-3 / compared + 1e-6) << layer;
      EXPECT_NEAR(metrics.intra_sentence_similarity, intra, 1e-6) << layer;
      EXPECT_NEAR(metrics.adjusted_self_similarity, self_similarity - anisotropy, 1e-3 / compared + 1e-6) << layer;
      EXPECT_NEAR(metrics.adjusted_intra_sentence_similarity, intra - anisotropy, 1e-6) << layer;
      EXPECT_NEAR(metrics.norm, norm / tokens, 1e-5) << layer;
      EXPECT_NEAR(metrics.norm_of_sentences, norm_of_sentences / count, 1e-5) << layer;
      EXPECT_GT(std::abs(metrics.norm - metrics.norm_of_sentences), 1e-3) << layer;
      if (layer < 2) continue;
      // Each id's own metric in the last layer, in the order of occurrences, then of ids.
      ASSERT_EQ(geometry.self_similarities.size(), ids);
      std::pair<std::size_t, std::uint32_t> previous{SIZE_MAX, 0};
      for (const auto& [id, times, value] : geometry.self_similarities) {
        EXPECT_EQ(times, occurrences.at(id));
        EXPECT_TRUE(times < previous.first || (times == previous.first && id > previous.second)) << id;
        previous = {times, id};
        if (of_ids.contains(id))
          EXPECT_NEAR(value, of_ids[id], 5e-4 + 1e-6) << id;
        else
          EXPECT_TRUE(std::isnan(value)) << id;
      }
      EXPECT_EQ(of_ids.size() + 1, ids) << "one id is in one sentence alone";
    }
  }
}

/// With a sample of all sentences, each of which has one token, the sampled metric is the exact one.
TEST_F(TokenGeometryOfSmallModel, SampledAnisotropyIsOfOneTokenEach) {
  const TokenGeometry geometry = measure({.samples = 15, .draws = 0, .seed = 9});
  for (std::size_t layer = 0; layer < 3; ++layer) {
    const TokenSample sample = draw_token_sample(store_, 15, 9, layer);
    std::vector<at::Tensor> drawn;
    for (std::uint32_t s = 0; s < store_.sentences(); ++s)
      if (const std::int64_t row = sample.row_of_sentence[s]; row >= 0)
        drawn.push_back(states_of(s, 0)[layer][sample.token_of_row[static_cast<std::size_t>(row)]]);
    ASSERT_EQ(drawn.size(), 15u);
    double sum = 0;
    for (std::size_t a = 0; a < 15; ++a)
      for (std::size_t b = 0; b < a; ++b) sum += cosine(drawn[a], drawn[b]);
    EXPECT_NEAR(geometry.layers[layer].sampled_anisotropy, sum / (15 * 14 / 2.0), 5.1e-4) << layer;
    EXPECT_EQ(std::round(geometry.layers[layer].sampled_anisotropy * 1000) / 1000,
              geometry.layers[layer].sampled_anisotropy);
  }
  EXPECT_TRUE(geometry.informativity.empty());
}

TEST_F(TokenGeometryOfSmallModel, RogueDimensionsAreSharesOfTheSimilarity) {
  const TokenGeometry geometry = measure({.samples = 10, .draws = 1});
  double of_ids = 0, of_tokens = 0;
  for (const double share : geometry.rogue.shares) of_ids += share;
  for (const double share : geometry.rogue_over_tokens.shares) of_tokens += share;
  EXPECT_NEAR(of_ids, 1, 1e-9);
  EXPECT_NEAR(of_tokens, geometry.layers.back().anisotropy, 1e-9);
  EXPECT_TRUE(std::is_sorted(geometry.rogue.shares.rbegin(), geometry.rogue.shares.rend()));
  // Each dimension's contribution by its definition, in float64.
  const std::size_t last = 2;
  std::map<std::uint32_t, at::Tensor> sum_of_id;
  at::Tensor sum = at::zeros({24}, at::kDouble), squares = at::zeros({24}, at::kDouble);
  std::map<std::uint32_t, int> occurrences;
  for (std::uint32_t s = 0; s < store_.sentences(); ++s)
    for (const std::uint32_t id : ids_of(s)) ++occurrences[id];
  for (std::uint32_t s = 0; s < store_.sentences(); ++s) {
    const at::Tensor states = states_of(s, 0)[last], units = states / states.norm(2, {1}, true);
    sum += units.mean(0);
    squares += units.mean(0).square();
    const std::vector<std::uint32_t> ids = ids_of(s);
    for (std::size_t t = 0; t < ids.size(); ++t) {
      if (occurrences[ids[t]] < 5 || std::find(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(t), ids[t]) !=
                                         ids.begin() + static_cast<std::ptrdiff_t>(t))
        continue;
      at::Tensor& of_id = sum_of_id.try_emplace(ids[t], at::zeros({24}, at::kDouble)).first->second;
      of_id += units[static_cast<std::int64_t>(t)];
    }
  }
  at::Tensor shares = at::zeros({24}, at::kDouble);
  for (const auto& [id, vector] : sum_of_id)
    shares += vector.square() / vector.square().sum() / static_cast<double>(sum_of_id.size());
  const double sentences = static_cast<double>(store_.sentences());
  const at::Tensor contributions = (sum.square() - squares) / (sentences * (sentences - 1));
  for (std::size_t i = 0; i < 24; ++i) {
    EXPECT_NEAR(geometry.rogue.shares[i], shares[geometry.rogue.order[i]].item<double>(), 1e-6);
    EXPECT_NEAR(geometry.rogue_over_tokens.shares[i], contributions[geometry.rogue_over_tokens.order[i]].item<double>(),
                1e-6);
  }
  // The number of dimensions that reach a level, counted by brute force.
  for (std::size_t i = 0; i < RogueDimensions::levels.size(); ++i) {
    double reached = 0;
    std::int64_t needed = 0;
    while (reached < RogueDimensions::levels[i]) reached += geometry.rogue.shares[static_cast<std::size_t>(needed++)];
    EXPECT_EQ(geometry.rogue.reaching[i], needed);
  }
}

/// The mean of a sentence's tokens, pads left out, in float64, regardless of the order in which batches were embedded.
TEST_F(TokenGeometryOfSmallModel, SentenceVectorsAreMeansOfTokens) {
  EXPECT_TRUE(measure({.samples = 5, .draws = 0}).sentence_vectors.values.empty());
  for (const bool pads : {false, true}) {
    const VectorRows vectors = measure({.pads = pads, .samples = 5, .draws = 0, .vectors = true}).sentence_vectors;
    ASSERT_EQ(vectors.width, 24);
    ASSERT_EQ(vectors.values.size(), 24 * store_.sentences());
    for (std::uint32_t s = 0; s < store_.sentences(); ++s) {
      const at::Tensor mean = states_of(s, 0)[2].mean(0);
      for (std::size_t c = 0; c < 24; ++c)
        EXPECT_NEAR(vectors.values[s * 24 + c], mean[static_cast<std::int64_t>(c)].item<double>(), 1e-5) << s;
    }
  }
}

TEST_F(TokenGeometryOfSmallModel, SameBitsForAnyNumberOfThreads) {
  const int before = at::get_num_threads();
  std::vector<TokenGeometry> measured;
  for (const int threads : {1, 2, 3}) {
    at::set_num_threads(threads);
    measured.push_back(measure({.samples = 10, .draws = 2}));
  }
  at::set_num_threads(before);
  for (std::size_t i = 1; i < measured.size(); ++i) {
    for (std::size_t layer = 0; layer < 3; ++layer) {
      EXPECT_EQ(measured[i].layers[layer].anisotropy, measured[0].layers[layer].anisotropy);
      EXPECT_EQ(measured[i].layers[layer].self_similarity, measured[0].layers[layer].self_similarity);
      EXPECT_EQ(measured[i].layers[layer].norm, measured[0].layers[layer].norm);
    }
    EXPECT_EQ(measured[i].rogue.shares, measured[0].rogue.shares);
  }
}

TEST_F(TokenGeometryOfSmallModel, RefusesOneSentence) {
  store_ = make_store({"abc"});
  EXPECT_NE(refusal_of([&] { measure({}); }).find("there is one sentence: give at least two"), std::string::npos);
}

TEST_F(TokenGeometryOfSmallModel, RefusesStatesThatAreNotFinite) {
  encoder_.parameters().value("encoder.layer.1.output.dense.bias").fill_(INFINITY);
  encoder_.parameters_changed();
  EXPECT_NE(refusal_of([&] { measure({}); }).find("layer 2 are not finite"), std::string::npos);
}

/// Without an id that occurs five times there is no self-similarity, but all the rest.
TEST_F(TokenGeometryOfSmallModel, WhatDoesNotExistIsNaN) {
  store_ = make_store({"abc", "de"});
  const TokenGeometry geometry = measure({});
  EXPECT_EQ(geometry.ids, 0u);
  EXPECT_TRUE(std::isnan(geometry.layers[0].self_similarity));
  EXPECT_TRUE(std::isfinite(geometry.layers[0].anisotropy));
  EXPECT_TRUE(geometry.rogue.order.empty());
  EXPECT_TRUE(geometry.self_similarities.empty());
  EXPECT_EQ(geometry.rogue_over_tokens.order.size(), 24u);
}

}  // namespace
}  // namespace gausscse
