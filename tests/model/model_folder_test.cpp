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

  static SentenceEncoderSettings settings(HeadSettings head = {HeadKind::gaussian, MeanActivation::linear}) {
    auto settings = testing_support::small_settings(EncoderConfig::Architecture::bert, at::kFloat);
    settings.head = head;
    settings.precision = Precision::bfloat16;
    return settings;
  }

  void save(const ModelProperties& properties) const {
    // A folder with a file that was changed since is not replaced.
    std::filesystem::remove_all(model_);
    save_model(model_, encoder_, properties, {folder_ / "vocab.txt"}, "card\n");
  }

  /// Writes head and properties anew, as `change` leaves them.
  void rewrite_head(const std::function<void(Metadata&, std::map<std::string, std::vector<float>>&)>& change) const {
    const auto file = model_ / "gausscse.safetensors";
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

/// The goldens are folders that transformers saved: ours have the same tensors, names and shapes.
TEST(ModelFolderOfFamily, HasTheNamesOfTransformersAndOpensAgain) {
  for (const char* name : {"tiny-bert", "tiny-roberta", "tiny-mpnet", "tiny-distilbert"}) {
    const TemporaryFolder folder;
    const auto theirs = testing_support::golden("weights") / name;
    testing_support::write_bytes(folder / "vocab.txt", "[PAD]\n");
    SentenceEncoder encoder({.encoder = read_encoder_config(theirs), .head = {HeadKind::gaussian}});
    load_encoder_weights(theirs, encoder);
    save_model(folder / "model", encoder, best_state, {folder / "vocab.txt"}, "card\n");
    const SafetensorsFile expected = SafetensorsFile::open(theirs / "model.safetensors"),
                          saved = SafetensorsFile::open(folder / "model" / "model.safetensors");
    EXPECT_EQ(saved.tensors().size(), expected.tensors().size()) << name;
    for (const TensorEntry& tensor : expected.tensors()) {
      const TensorEntry* ours = saved.find(tensor.name);
      ASSERT_NE(ours, nullptr) << name << " " << tensor.name;
      EXPECT_EQ(ours->shape, tensor.shape) << tensor.name;
      EXPECT_EQ(ours->bytes, tensor.bytes) << tensor.name;
    }
    const SavedModel opened = open_model(folder / "model", std::nullopt);
    EXPECT_EQ(opened.encoder->settings().encoder, encoder.settings().encoder) << name;
    EXPECT_TRUE(opened.encoder->parameters().values().equal(encoder.parameters().values())) << name;
  }
}

TEST_F(ModelFolder, OpensWithAllThatWasSaved) {
  for (const bool trim : {true, false}) {
    for (const auto& [similarity, name] : names<Similarity>) {
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
                                                      {"similarity", "kl", "(known: per_dimension, joint or cosine)"},
                                                      {"mean", "tan", "did you mean \"tanh\"?"},
                                                      {"precision", "bf32", "did you mean \"fp32\"?"},
                                                      {"pooling", "first-token", "did you mean \"first_token\"?"},
                                                      {"trim", "tru", "did you mean \"true\"?"},
                                                      {"state", "lost", "did you mean \"last\"?"},
                                                      {"head", "mlp_tan", "did you mean \"mlp_tanh\"?"},
                                                      {"step", "many", "not a number"},
                                                      {"gausscse", "gausscse-model/3", "reads gausscse-model/2"}};
  for (const auto& [key, word, told] : words) {
    save(best_state);
    rewrite_head([&](Metadata& metadata, auto&) { metadata[key] = word; });
    const std::string message = refusal();
    for (const std::string& part :
         {model_.string() + "/gausscse.safetensors", "\"" + key + "\"", "\"" + word + "\"", told})
      EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
    save(best_state);
    rewrite_head([&](Metadata& metadata, auto&) { metadata.erase(key); });
    EXPECT_NE(refusal().find("the metadata has no \"" + key + "\""), std::string::npos) << refusal();
  }
}

TEST_F(ModelFolder, OpensWithAnyHeadAndPooling) {
  for (const HeadSettings head : {HeadSettings{HeadKind::gaussian, MeanActivation::tanh},
                                  HeadSettings{HeadKind::gaussian, MeanActivation::linear},
                                  HeadSettings{HeadKind::mlp_tanh}, HeadSettings{HeadKind::none}}) {
    for (const auto& [pooling, word] : names<PoolingKind>) {
      SentenceEncoderSettings of_model = settings(head);
      of_model.pooling = pooling;
      SentenceEncoder encoder(of_model);
      testing_support::randomize(encoder.parameters(), 3);
      const bool gaussian = head.kind == HeadKind::gaussian;
      ModelProperties properties = best_state;
      if (!gaussian) properties.similarity = Similarity::cosine;
      std::filesystem::remove_all(model_);
      save_model(model_, encoder, properties, {folder_ / "vocab.txt"}, "card\n");
      EXPECT_TRUE(is_saved_model(model_));
      {
        const SafetensorsFile file = SafetensorsFile::open(model_ / "gausscse.safetensors");
        EXPECT_EQ(file.metadata().at("gausscse"), "gausscse-model/2");
        EXPECT_EQ(file.metadata().at("head"), name_of(head.kind));
        EXPECT_EQ(file.metadata().contains("mean"), gaussian);
        EXPECT_FALSE(file.metadata().contains("threshold"));
        EXPECT_EQ(file.tensors().size(), gaussian ? 4u : head.kind == HeadKind::mlp_tanh ? 2u : 0u);
      }
      const SavedModel opened = open_model(model_, std::nullopt);
      EXPECT_EQ(opened.encoder->settings().pooling, pooling) << word;
      EXPECT_EQ(opened.encoder->settings().head.kind, head.kind) << word;
      if (gaussian) {
        EXPECT_EQ(opened.encoder->settings().head.mean, head.mean) << word;
      }
      EXPECT_EQ(opened.properties.similarity, properties.similarity);
      EXPECT_EQ(opened.properties.threshold, std::nullopt);
      EXPECT_TRUE(opened.encoder->parameters().values().equal(encoder.parameters().values())) << word;
    }
  }
}

TEST_F(ModelFolder, KeepsTheParametersOfTheObjective) {
  SentenceEncoderSettings with_classifier = settings({HeadKind::mlp_tanh});
  with_classifier.objective = {{"objective.classifier.weight", {3, 5}}, {"objective.classifier.bias", {3}}};
  SentenceEncoder encoder(with_classifier);
  testing_support::randomize(encoder.parameters(), 3);
  ModelProperties properties = best_state;
  properties.similarity = Similarity::cosine;
  save_model(model_, encoder, properties, {folder_ / "vocab.txt"}, "card\n");
  EXPECT_EQ(SafetensorsFile::open(model_ / "gausscse.safetensors").tensors().size(), 4u);
  EXPECT_EQ(SafetensorsFile::open(model_ / "model.safetensors").find("objective.classifier.bias"), nullptr);
  const SavedModel opened = open_model(model_, std::nullopt);
  ASSERT_EQ(opened.encoder->settings().objective.size(), 2u);
  for (const ParameterSpec& spec : encoder.parameters().specs())
    EXPECT_TRUE(opened.encoder->parameters().value(spec.name).equal(encoder.parameters().value(spec.name)))
        << spec.name;
}

TEST_F(ModelFolder, RefusesASimilarityThatIsNotOfItsHead) {
  SentenceEncoder encoder(settings({HeadKind::mlp_tanh}));
  testing_support::randomize(encoder.parameters(), 3);
  save_model(model_, encoder, best_state, {folder_ / "vocab.txt"}, "card\n");
  EXPECT_NE(refusal().find("\"similarity\" is \"per_dimension\", which is of Gaussians, but \"head\" is \"mlp_tanh\""),
            std::string::npos)
      << refusal();
}

TEST_F(ModelFolder, RefusesAThresholdThatIsNoNumber) {
  ModelProperties properties = best_state;
  properties.threshold = 0.5;
  save(properties);
  rewrite_head([&](Metadata& metadata, auto&) { metadata.at("threshold") = "high"; });
  EXPECT_NE(refusal().find("metadata \"threshold\" is \"high\", not a number"), std::string::npos) << refusal();
}

TEST_F(ModelFolder, RefusesTheTensorsOfAnotherHead) {
  for (const HeadKind given : {HeadKind::mlp_tanh, HeadKind::none}) {
    save(best_state);
    rewrite_head([&](Metadata& metadata, auto&) {
      metadata.at("head") = name_of(given);
      metadata.at("similarity") = "cosine";
    });
    EXPECT_NE(refusal().find(given == HeadKind::none ? "holds 4 tensors, its head and objective have 0"
                                                     : "tensor \"mlp.weight\" is missing"),
              std::string::npos)
        << refusal();
  }
}

TEST_F(ModelFolder, TheFormerFormatIsToBeSavedAnew) {
  save(best_state);
  std::filesystem::rename(model_ / "gausscse.safetensors", model_ / "gaussian_head.safetensors");
  EXPECT_TRUE(is_saved_model(model_)) << "it is not to be taken for a mere encoder";
  const std::string message = refusal();
  EXPECT_NE(message.find("gaussian_head.safetensors"), std::string::npos) << message;
  EXPECT_NE(message.find("save the model anew"), std::string::npos) << message;
  std::filesystem::remove(model_ / "gaussian_head.safetensors");
  EXPECT_FALSE(is_saved_model(model_));
  EXPECT_NE(refusal().find("has no gausscse.safetensors"), std::string::npos) << refusal();
}

TEST_F(ModelFolder, RefusesAHeadThatIsNotFinite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    save(best_state);
    rewrite_head([&](Metadata&, auto& values) { values.at("log_var.bias")[3] = bad; });
    EXPECT_NE(refusal().find("gausscse.safetensors: tensor \"log_var.bias\" has infinite or NaN values (1 of 24)"),
              std::string::npos)
        << refusal();
  }
}

}  // namespace
}  // namespace gausscse
