#include "model/model_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <limits>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "model/weights/float_conversion.hpp"
#include "model/weights/safetensors.hpp"
#include "model/weights/safetensors_writer.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

const ModelProperties best_state = [] {
  ModelProperties properties;
  properties.state = "best";
  return properties;
}();

using testing_support::TemporaryFolder;
using Metadata = std::map<std::string, std::string>;

class ModelFolder : public testing::Test {
 protected:
  ModelFolder() {
    testing_support::randomize(encoder_.parameters(), 1);
    testing_support::write_bytes(folder_ / "vocab.txt", "[PAD]\n");
  }

  static SentenceEncoderSettings settings() {
    auto settings = testing_support::small_settings(EncoderConfig::Architecture::bert, at::kFloat);
    settings.head.mean = MeanActivation::linear;
    settings.precision = Precision::bfloat16;
    return settings;
  }

  void save(const ModelProperties& properties) const {
    // A folder with a file that was changed since is not replaced.
    std::filesystem::remove_all(model_);
    save_model(model_, encoder_, properties, {folder_ / "vocab.txt"}, "card\n");
  }

  /// Writes the head anew, as `change` leaves it.
  void rewrite_head(const std::function<void(Metadata&, std::map<std::string, std::vector<float>>&)>& change) const {
    const auto file = model_ / "gaussian_head.safetensors";
    Metadata metadata;
    std::map<std::string, std::vector<float>> values;
    std::map<std::string, std::vector<std::int64_t>> shapes;
    {
      const SafetensorsFile opened = SafetensorsFile::open(file);
      metadata = opened.metadata();
      for (const TensorEntry& entry : opened.tensors()) {
        values[entry.name].resize(entry.bytes.size() / sizeof(float));
        copy_to_float32(entry, values[entry.name]);
        shapes[entry.name] = entry.shape;
      }
    }
    change(metadata, values);
    std::vector<TensorEntry> tensors;
    for (const auto& [name, of_tensor] : values) tensors.push_back(float32_tensor(name, shapes[name], of_tensor));
    write_file_atomically(file, SafetensorsImage(tensors, metadata).parts());
  }

  std::string refusal() const {
    try {
      open_model(model_, std::nullopt);
    } catch (const InputError& error) {
      return error.what();
    }
    return "opened";
  }

  const TemporaryFolder folder_;
  const std::filesystem::path model_ = folder_ / "model";
  SentenceEncoder encoder_{settings()};
};

TEST_F(ModelFolder, OpensWithAllThatWasSaved) {
  for (const bool trim : {true, false}) {
    for (const auto& [similarity, name] : names<SimilarityKind>) {
      save({.similarity = similarity,
            .threshold = 0.8125,
            .max_tokens = 17,
            .trim = trim,
            .state = "last",
            .step = 12,
            .evaluation = {{"a", "b"}}});
      const SavedModel opened = open_model(model_, std::nullopt);
      EXPECT_EQ(opened.properties.similarity, similarity);
      EXPECT_EQ(opened.properties.threshold, 0.8125);
      EXPECT_EQ(opened.properties.max_tokens, 17);
      EXPECT_EQ(opened.properties.trim, trim);
      EXPECT_EQ(opened.properties.state, "last");
      EXPECT_EQ(opened.properties.step, 12);
      EXPECT_EQ(opened.properties.evaluation, (Metadata{{"a", "b"}}));
      EXPECT_EQ(opened.encoder->settings().head.mean, MeanActivation::linear);
      EXPECT_EQ(opened.encoder->settings().precision, Precision::bfloat16);
      EXPECT_EQ(opened.encoder->settings().encoder, encoder_.settings().encoder);
      EXPECT_TRUE(opened.encoder->parameters().values().equal(encoder_.parameters().values()));
    }
    EXPECT_EQ(open_model(model_, Precision::full).encoder->settings().precision, Precision::full);
  }
}

TEST_F(ModelFolder, RefusesWordsThatItDoesNotKnowWithTheNearest) {
  const std::vector<std::array<std::string, 3>> words{{"similarity", "jont", "did you mean \"joint\"?"},
                                                      {"similarity", "cosine", "(known: per_dimension or joint)"},
                                                      {"mean", "tan", "did you mean \"tanh\"?"},
                                                      {"precision", "bf32", "did you mean \"fp32\"?"},
                                                      {"pooling", "first-token", "did you mean \"first_token\"?"},
                                                      {"trim", "tru", "did you mean \"true\"?"},
                                                      {"state", "lost", "did you mean \"last\"?"},
                                                      {"threshold", "high", "not a number"},
                                                      {"gausscse", "gausscse-head/2", "reads gausscse-head/1"}};
  for (const auto& [key, word, told] : words) {
    save(best_state);
    rewrite_head([&](Metadata& metadata, auto&) { metadata[key] = word; });
    const std::string message = refusal();
    for (const std::string& part :
         {model_.string() + "/gaussian_head.safetensors", "\"" + key + "\"", "\"" + word + "\"", told})
      EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
    save(best_state);
    rewrite_head([&](Metadata& metadata, auto&) { metadata.erase(key); });
    EXPECT_NE(refusal().find("the metadata has no \"" + key + "\""), std::string::npos) << refusal();
  }
}

TEST_F(ModelFolder, RefusesAHeadThatIsNotFinite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    save(best_state);
    rewrite_head([&](Metadata&, auto& values) { values.at("log_var.bias")[3] = bad; });
    EXPECT_NE(refusal().find("gaussian_head.safetensors: tensor \"log_var.bias\" has infinite or NaN values (1 of 24)"),
              std::string::npos)
        << refusal();
  }
}

}  // namespace
}  // namespace gausscse
