#include "launcher/saved_model_text.hpp"

#include <nlohmann/json.hpp>

#include "tests/model/encoder/small_models.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using nlohmann::json;

/// Returns a model of which no two numbers are the same.
SavedModel small_saved_model(HeadKind head) {
  SentenceEncoderSettings settings = small_settings(EncoderConfig::Architecture::bert, at::kFloat);
  settings.encoder.layers = 3;
  settings.encoder.heads = 4;
  settings.head.kind = head;
  settings.pooling = PoolingKind::mean;
  return {std::make_unique<SentenceEncoder>(settings),
          {.similarity = Similarity::joint,
           .threshold = 0.625,
           .max_tokens = 17,
           .trim = true,
           .state = "best",
           .step = 23,
           .evaluation = {{"auprc", "sweep"}, {"two_way_pairs", "drop"}}}};
}

/// Returns the number of parameters of embeddings (words, positions, two types, norm), three layers (four square
/// products, the wider one and back, two norms), and the square products of the head.
constexpr int parameters_of(int square_products_of_head) {
  constexpr int hidden = 24, wide = 40, words = 50, positions = 70;
  constexpr int square = hidden * hidden + hidden, norm = 2 * hidden;
  constexpr int layer = 4 * square + hidden * wide + wide + wide * hidden + hidden + 2 * norm;
  return (words + positions + 2) * hidden + norm + 3 * layer + square_products_of_head * square;
}

TEST(SavedModelText, HasEachSettingAtItsPlace) {
  SavedModel model = small_saved_model(HeadKind::gaussian);
  EXPECT_EQ(saved_model_text(model),
            concat("  best state of its training, after 23 steps\n"
                   "  similarity joint, from 0.625 on entailment; Gaussian head, mean tanh, pooling mean\n"
                   "  sentences of at most 17 tokens, trimmed, matrix products fp32\n"
                   "  encoder: bert, 3 layers, 24 wide, 4 heads, 50 words, ",
                   parameters_of(2),
                   " parameters with the head's\n"
                   "  evaluated with auprc sweep\n"
                   "  evaluated with two_way_pairs drop\n"));
  model.properties.trim = false;
  EXPECT_TRUE(says(saved_model_text(model), "at most 17 tokens, matrix products"));
  model.properties.threshold = std::nullopt;
  EXPECT_TRUE(says(saved_model_text(model), "similarity joint, no threshold; "));
  EXPECT_FALSE(json::parse(saved_model_json(model)).contains("threshold"));
  EXPECT_TRUE(says(saved_model_text(small_saved_model(HeadKind::none)), "; no head, pooling mean"));
  EXPECT_TRUE(says(saved_model_text(small_saved_model(HeadKind::mlp_tanh)), "; head mlp_tanh, pooling mean"));
}

TEST(SavedModelText, MarksTheUntrainedState) {
  SavedModel model = small_saved_model(HeadKind::gaussian);
  EXPECT_FALSE(json::parse(saved_model_json(model)).contains("untrained"));
  model.properties.step = 0;
  EXPECT_TRUE(says(saved_model_text(model),
                   "  best state of its training, after 0 steps: the untrained state: no step gave a better one\n"));
  EXPECT_EQ(json::parse(saved_model_json(model)).at("untrained"), true);
  model.properties.state = "last";
  EXPECT_FALSE(says(saved_model_text(model), "untrained"));
}

TEST(SavedModelText, HasEachSettingUnderItsNameInJson) {
  EXPECT_EQ(json::parse(saved_model_json(small_saved_model(HeadKind::gaussian))),
            json({{"format", "gausscse-show/1"},
                  {"kind", "model"},
                  {"state", "best"},
                  {"step", 23},
                  {"similarity", "joint"},
                  {"threshold", 0.625},
                  {"head", "gaussian"},
                  {"mean", "tanh"},
                  {"scale", "none"},
                  {"log_var", "linear"},
                  {"pooling", "mean"},
                  {"max_tokens", 17},
                  {"trim", true},
                  {"precision", "fp32"},
                  {"evaluation", {{"auprc", "sweep"}, {"two_way_pairs", "drop"}}},
                  {"parameters", parameters_of(2)},
                  {"encoder",
                   {{"architecture", "bert"},
                    {"layers", 3},
                    {"hidden_size", 24},
                    {"heads", 4},
                    {"intermediate_size", 40},
                    {"vocabulary_size", 50}}}}));
  SavedModel plain = small_saved_model(HeadKind::mlp_tanh);
  plain.properties.trim = false;
  const json shown = json::parse(saved_model_json(plain));
  EXPECT_EQ(shown.at("head"), "mlp_tanh");
  EXPECT_EQ(shown.at("trim"), false);
  EXPECT_EQ(shown.at("parameters"), parameters_of(1));
  for (const char* key : {"mean", "scale", "log_var", "log_var_width"}) EXPECT_FALSE(shown.contains(key)) << key;
}

}  // namespace
}  // namespace gausscse
