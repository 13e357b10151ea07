#include <array>
#include <limits>

#include "base/error.hpp"
#include "tests/model/folder/model_folder_fixture.hpp"

namespace gausscse {
namespace {

class ModelFolderRefusals : public SmallModelFolder {};

TEST_F(ModelFolderRefusals, RefusesWordsThatItDoesNotKnowWithTheNearest) {
  const std::vector<std::array<std::string, 3>> words{
      {"similarity", "jont", "did you mean \"joint\"?"},
      {"similarity", "kl", "(known: per_dimension, joint, wasserstein, symmetric, bhattacharyya or cosine)"},
      {"mean", "tan", "did you mean \"tanh\"?"},
      {"precision", "bf32", "did you mean \"fp32\"?"},
      {"pooling", "first-token", "did you mean \"first_token\"?"},
      {"trim", "tru", "did you mean \"true\"?"},
      {"state", "lost", "did you mean \"last\"?"},
      {"head", "mlp_tan", "did you mean \"mlp_tanh\"?"},
      {"step", "many", "a whole number from 0:"},
      {"gausscse", "gausscse-model/4", "reads gausscse-model/2 and gausscse-model/3: open it with the version"}};
  for (const auto& row : words) {
    const std::string &key = row[0], &word = row[1], &notes = row[2];
    save(best_state());
    rewrite_head([&](Metadata& metadata, Tensors&) { metadata[key] = word; });
    const std::string message = refusal();
    for (const std::string& part :
         {model_.string() + "/gausscse.safetensors", "\"" + key + "\"", "\"" + word + "\"", notes})
      EXPECT_TRUE(says(message, part));
    save(best_state());
    rewrite_head([&](Metadata& metadata, Tensors&) { metadata.erase(key); });
    EXPECT_TRUE(says(refusal(), "the metadata has no \"" + key + "\""));
  }
}

TEST_F(ModelFolderRefusals, RefusesASimilarityThatIsNotOfItsHead) {
  SentenceEncoder encoder(settings({HeadKind::mlp_tanh}));
  randomize(encoder.parameters(), 3);
  save_model(model_, encoder, best_state(), {folder_ / "vocab.txt"}, "card\n");
  EXPECT_TRUE(
      says(refusal(), "\"similarity\" is \"per_dimension\", which is of Gaussians, but \"head\" is \"mlp_tanh\""));
}

TEST_F(ModelFolderRefusals, RefusesAThresholdThatIsNoNumber) {
  ModelProperties properties = best_state();
  properties.threshold = 0.5;
  save(properties);
  rewrite_head([&](Metadata& metadata, Tensors&) { metadata.at("threshold") = "high"; });
  EXPECT_TRUE(says(refusal(), "metadata \"threshold\" is \"high\", not a number"));
}

TEST_F(ModelFolderRefusals, RefusesTheTensorsOfAnotherHead) {
  for (const HeadKind given : {HeadKind::mlp_tanh, HeadKind::none}) {
    save(best_state());
    rewrite_head([&](Metadata& metadata, Tensors&) {
      metadata.at("head") = name_of(given);
      metadata.at("similarity") = "cosine";
    });
    EXPECT_TRUE(says(refusal(), given == HeadKind::none ? "holds 4 tensors, its head and objective have 0"
                                                        : "tensor \"mlp.weight\" is missing"));
  }
}

TEST_F(ModelFolderRefusals, TheFormerFormatIsToBeSavedAnew) {
  save(best_state());
  std::filesystem::rename(model_ / "gausscse.safetensors", model_ / "gaussian_head.safetensors");
  EXPECT_TRUE(is_saved_model(model_)) << "it is not to be taken for a mere encoder";
  const std::string message = refusal();
  EXPECT_TRUE(says(message, "gaussian_head.safetensors"));
  EXPECT_TRUE(says(message, "train it again"));
  std::filesystem::remove(model_ / "gaussian_head.safetensors");
  EXPECT_FALSE(is_saved_model(model_));
  EXPECT_TRUE(says(refusal(), "has no gausscse.safetensors"));
}

TEST_F(ModelFolderRefusals, RefusesAHeadThatIsNotFinite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    save(best_state());
    rewrite_head([&](Metadata&, Tensors& tensors) { tensors.at("log_var.bias").values[3] = bad; });
    EXPECT_TRUE(says(refusal(), "gausscse.safetensors: tensor \"log_var.bias\" has infinite or NaN values (1 of 24)"));
  }
}

TEST_F(ModelFolderRefusals, RefusesNumbersThatNoTrainingHas) {
  const std::vector<std::array<std::string, 3>> numbers{{"max_tokens", "-5", "from 3 to 70"},
                                                        {"max_tokens", "0", "from 3 to 70"},
                                                        {"max_tokens", "2", "from 3 to 70"},
                                                        {"max_tokens", "71", "from 3 to 70"},
                                                        {"max_tokens", "16.5", "from 3 to 70"},
                                                        {"max_tokens", "99999999999999999999", "from 3 to 70"},
                                                        {"max_tokens", "", "from 3 to 70"},
                                                        {"max_tokens", "16 ", "from 3 to 70"},
                                                        {"step", "-1", "from 0:"},
                                                        {"step", "9223372036854775808", "from 0:"}};
  for (const auto& row : numbers) {
    const std::string &key = row[0], &number = row[1], &range = row[2];
    save(best_state());
    rewrite_head([&](Metadata& metadata, Tensors&) { metadata.at(key) = number; });
    EXPECT_TRUE(says(refusal(), concat(model_.string(), "/gausscse.safetensors: metadata \"", key, "\" is \"", number,
                                       "\"; it must be a whole number ", range)));
  }
  for (const std::int64_t max_tokens : {3, 70}) {
    ModelProperties properties = best_state();
    properties.max_tokens = max_tokens;
    save(properties);
    EXPECT_EQ(open_model(model_, std::nullopt).properties.max_tokens, max_tokens);
    EXPECT_EQ(open_model(model_, std::nullopt).properties.step, 0);
  }
}

TEST_F(ModelFolderRefusals, RefusesAHeadOfAnotherShape) {
  const std::vector<std::pair<std::string, std::vector<std::int64_t>>> others{
      {"log_var.bias", {23}}, {"mean.bias", {25}}, {"mean.weight", {576}}, {"log_var.weight", {12, 48}}};
  for (const auto& other : others) {
    const auto& name = other.first;
    const auto& shape = other.second;
    save(best_state());
    rewrite_head([&](Metadata&, Tensors& tensors) {
      std::int64_t count = 1;
      for (const std::int64_t extent : shape) count *= extent;
      tensors.at(name).shape = shape;
      tensors.at(name).values.resize(static_cast<std::size_t>(count));
    });
    EXPECT_TRUE(says(refusal(), "gausscse.safetensors: tensor \"" + name +
                                    "\" does not have the shape that the encoder's hidden size of 24 asks for"));
  }
}

}  // namespace
}  // namespace gausscse
