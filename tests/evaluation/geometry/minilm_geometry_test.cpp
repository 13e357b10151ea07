#include "data/sts/sts_file.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "evaluation/geometry/token_geometry.hpp"
#include "model/folder/model_folder.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Layers = std::array<double, 7>;

// all-MiniLM-L6-v2 on sentence1 of the STS benchmark's test set, by an independent forward pass in PyTorch; with pads,
// self-similarity and intra-sentence similarity equal the released notebook's own output to every digit it prints.
constexpr Layers self_similarity_with_pads{.9550, .9031, .8399, .7988, .7935, .8115, .6443};
constexpr Layers self_similarity{.9552, .9032, .8398, .7987, .7936, .8118, .6448};
constexpr Layers intra_sentence_similarity{.3651, .4631, .5094, .5613, .5795, .5801, .6634};
constexpr Layers anisotropy{.0685, .1340, .1584, .1642, .1712, .2066, .0117};
constexpr Layers sampled_deviation{.004, .003, .004, .003, .003, .007, .0005};
constexpr Layers norm{9.252, 11.438, 11.343, 11.501, 12.519, 10.530, 7.559};
constexpr Layers norm_of_sentences{9.150, 11.362, 11.251, 11.412, 12.451, 10.535, 7.903};
// Cumulative shares of the first dimensions, and how many reach 10, 20 and 50 % (paper: .008 .014 .020; 19 40 121).
constexpr std::array<double, 3> rogue_shares{.0078, .0143, .0202};
constexpr std::array<std::int64_t, 3> rogue_reaching{19, 40, 122};
constexpr std::array<double, 9> informativity{.998, .806, .798, .791, .781, .761, .706, .620, .211};
constexpr std::array<std::int64_t, 9> removed{1, 2, 3, 5, 10, 20, 50, 100, 300};
/// Self-similarities of single tokens in the last layer, by the same independent pass.
const std::map<std::string, double> self_similarity_of_tokens{{"[CLS]", .570}, {"[SEP]", .080}, {".", .124},
                                                              {"the", .120},   {"man", .843},   {"guitar", .935}};
constexpr double tolerance = 5e-4;
/// A metric that is printed with three decimals is off by half of the last.
constexpr double rounded = 5e-4;

TEST(TokenGeometryOfMiniLm, IsThePublishedOne) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  const std::filesystem::path folder = golden("../../models/minilm");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no MiniLM in " << folder << ": run scripts/fetch_minilm.sh";
  SentenceEncoderSettings settings;
  settings.encoder = read_encoder_config(folder);
  settings.head.kind = HeadKind::none;
  SentenceEncoder encoder(settings);
  load_encoder_weights(folder, encoder);
  std::vector<std::string> sentences;
  ReadReport report;
  for (const StsPair& pair : read_sts_file(real_data() / "sts/stsbenchmark/sts-test.csv", BadLines::error, report))
    sentences.push_back(pair.first);
  ASSERT_EQ(sentences.size(), 1379u);
  const auto tokenizer = open_tokenizer(folder);
  const TokenStore store = TokenStore::from_sentences(sentences, *tokenizer, settings.encoder.max_tokens(), 1);
  const auto communicator = make_self_communicator();
  const auto pad = static_cast<std::uint32_t>(settings.encoder.pad_token_id);

  const TokenGeometry geometry = measure_token_geometry(encoder, store, pad, {}, *communicator);
  EXPECT_EQ(geometry.tokens, 19592u);
  EXPECT_EQ(geometry.longest, 43u);
  EXPECT_EQ(geometry.ids, 454u);  // 455 with padding
  ASSERT_EQ(geometry.layers.size(), 7u);
  for (std::size_t layer = 0; layer < 7; ++layer) {
    const LayerGeometry& metrics = geometry.layers[layer];
    EXPECT_NEAR(metrics.self_similarity, self_similarity[layer], tolerance) << layer;
    EXPECT_NEAR(metrics.intra_sentence_similarity, intra_sentence_similarity[layer], tolerance) << layer;
    EXPECT_NEAR(metrics.anisotropy, anisotropy[layer], tolerance) << layer;
    EXPECT_NEAR(metrics.sampled_anisotropy, anisotropy[layer], 4 * sampled_deviation[layer] + rounded) << layer;
    EXPECT_NEAR(metrics.norm, norm[layer], tolerance + rounded) << layer;
    EXPECT_NEAR(metrics.norm_of_sentences, norm_of_sentences[layer], tolerance + rounded) << layer;
  }
  std::size_t found = 0;
  for (const TokenSelfSimilarity& token :
       adjusted_self_similarities(geometry.self_similarities, 0, tokenizer->tokens())) {
    const auto expected = self_similarity_of_tokens.find(token.token);
    if (expected == self_similarity_of_tokens.end()) continue;
    EXPECT_NEAR(token.adjusted, expected->second, tolerance + rounded) << token.token;
    ++found;
  }
  EXPECT_EQ(found, self_similarity_of_tokens.size());
  double share = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(share += geometry.rogue.shares[i], rogue_shares[i], tolerance);
    EXPECT_NEAR(static_cast<double>(geometry.rogue.reaching[i]), static_cast<double>(rogue_reaching[i]), 1);
  }
  EXPECT_EQ((std::vector<std::int64_t>(geometry.rogue.order.begin(), geometry.rogue.order.begin() + 3)),
            (std::vector<std::int64_t>{252, 99, 347}));
  ASSERT_EQ(geometry.informativity.size(), removed.size());
  for (std::size_t i = 0; i < removed.size(); ++i) {
    EXPECT_EQ(geometry.informativity[i].removed, removed[i]);
    EXPECT_NEAR(geometry.informativity[i].mean, informativity[i], 4 * .02 / std::sqrt(10.0) + rounded) << removed[i];
  }

  const TokenGeometry with_pads =
      measure_token_geometry(encoder, store, pad, {.pads = true, .draws = 0}, *communicator);
  EXPECT_EQ(with_pads.ids, 455u);
  for (std::size_t layer = 0; layer < 7; ++layer) {
    EXPECT_NEAR(with_pads.layers[layer].self_similarity, self_similarity_with_pads[layer], tolerance) << layer;
    EXPECT_EQ(with_pads.layers[layer].norm, geometry.layers[layer].norm) << layer;
  }
}

}  // namespace
}  // namespace gausscse
