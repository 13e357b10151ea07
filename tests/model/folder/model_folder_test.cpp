#include "model/folder/model_folder.hpp"

#include <ATen/ops/clone.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/sum.h>

#include "base/content_hash.hpp"
#include "base/folder_mark.hpp"
#include "model/folder/warm_start.hpp"
#include "model/folder/weights_hash.hpp"
#include "tests/model/folder/model_folder_fixture.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// The goldens are folders that transformers saved: ours have the same tensors, names and shapes.
TEST_F(SmallModelFolder, HasTheNamesOfTransformersAndOpensAgain) {
  for (const char* name : {"tiny-bert", "tiny-roberta", "tiny-xlm-roberta", "tiny-mpnet", "tiny-distilbert"}) {
    const TemporaryFolder folder;
    const auto theirs = golden("weights") / name;
    write_bytes(folder / "vocab.txt", "[PAD]\n");
    SentenceEncoder encoder({.encoder = read_encoder_config(theirs), .head = {HeadKind::gaussian}});
    load_encoder_weights(theirs, encoder);
    save_model(folder / "model", encoder, best_state(), {folder / "vocab.txt"}, "card\n");
    const SafetensorsFile expected = SafetensorsFile::open(theirs / "model.safetensors"),
                          saved = SafetensorsFile::open(folder / "model" / "model.safetensors");
    EXPECT_EQ(saved.tensors().size(), expected.tensors().size()) << name;
    EXPECT_EQ(saved.metadata(), (Metadata{{"format", "pt"}})) << "which transformers asks for";
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

/// The definition, over the content of the files: names and values of all tensors but the objective's, by rising name.
TEST_F(SmallModelFolder, HashOfWeightsIsThatOfNamesAndValues) {
  const auto hash_of_files = [&] {
    std::map<std::string, std::string> tensors;
    for (const char* name : {"model.safetensors", "gausscse.safetensors"}) {
      const SafetensorsFile file = SafetensorsFile::open(model_ / name);
      for (const TensorEntry& tensor : file.tensors())
        if (!is_objective_parameter(tensor.name))
          tensors[tensor.name] = {reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()};
    }
    std::string bytes;
    for (const auto& [name, values] : tensors) bytes += name + std::string(1, '\0') + values;
    return content_hash_of(bytes);
  };
  save(best_state());
  const SavedModel opened = open_model(model_, std::nullopt);
  const std::string hash = weights_hash(opened.encoder->parameters());
  EXPECT_EQ(hash, hash_of_files());
  EXPECT_EQ(weights_hash(open_model(model_, Precision::full).encoder->parameters()), hash) << "for any precision";
  SentenceEncoderSettings trained = settings();
  trained.objective = {{"objective.classifier.weight", {3, 2}}};
  SentenceEncoder with_classifier(trained);
  randomize(with_classifier.parameters(), 1);
  for (std::size_t i = 0; i < encoder_.parameters().size(); ++i)
    with_classifier.parameters().write_value(
        with_classifier.parameters().index_of(encoder_.parameters().specs()[i].name), [&](at::Tensor flat) {
          flat.copy_(encoder_.parameters().value(encoder_.parameters().specs()[i].name).reshape({-1}));
        });
  EXPECT_EQ(weights_hash(with_classifier.parameters()), hash) << "the classifier embeds nothing";
  for (const std::size_t changed : {std::size_t{0}, encoder_.parameters().size() - 1}) {
    opened.encoder->parameters().write_value(changed, [](at::Tensor flat) { flat.mutable_data_ptr<float>()[0] += 1; });
    EXPECT_NE(weights_hash(opened.encoder->parameters()), hash);
    opened.encoder->parameters().write_value(changed, [](at::Tensor flat) { flat.mutable_data_ptr<float>()[0] -= 1; });
  }
}

TEST_F(SmallModelFolder, OpensWithAllThatWasSaved) {
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
      EXPECT_EQ(opened.encoder->settings().head.mean, MeanLayer::linear);
      EXPECT_EQ(opened.encoder->settings().precision, Precision::bfloat16);
      EXPECT_EQ(opened.encoder->settings().encoder, encoder_.settings().encoder);
      EXPECT_TRUE(opened.encoder->parameters().values().equal(encoder_.parameters().values()));
    }
    EXPECT_EQ(open_model(model_, Precision::full).encoder->settings().precision, Precision::full);
  }
}

TEST_F(SmallModelFolder, OpensWithAnyHeadAndPooling) {
  for (const HeadSettings head :
       {HeadSettings{HeadKind::gaussian, MeanLayer::tanh}, HeadSettings{HeadKind::gaussian, MeanLayer::linear},
        HeadSettings{HeadKind::gaussian, MeanLayer::identity}, HeadSettings{HeadKind::mlp_tanh},
        HeadSettings{HeadKind::none}}) {
    for (const auto& [pooling, word] : names<PoolingKind>) {
      SentenceEncoderSettings of_model = settings(head);
      of_model.pooling = pooling;
      SentenceEncoder encoder(of_model);
      randomize(encoder.parameters(), 3);
      const bool gaussian = head.kind == HeadKind::gaussian;
      ModelProperties properties = best_state();
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
        EXPECT_FALSE(file.metadata().contains("scale"));
        const bool has_mean = head.mean != MeanLayer::identity;
        EXPECT_EQ(file.tensors().size(), gaussian && has_mean ? 4u : head.kind == HeadKind::none ? 0u : 2u);
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

/// One wrong bit of one value is another model, and is named; files without an effect on vectors may be edited.
TEST_F(SmallModelFolder, AFileThatWasChangedSinceIsRefusedByName) {
  ModelProperties properties = best_state();
  properties.calibration = "{}\n";
  save(properties);
  const auto refusal = [&] { return refusal_of([&] { open_model(model_, std::nullopt); }); };
  EXPECT_EQ(open_model(model_, std::nullopt).properties.calibration, "{}\n");
  for (const char* name : {"model.safetensors", "gausscse.safetensors"}) {
    const std::string bytes = read_whole_file(model_ / name, 1 << 20);
    std::string other = bytes;
    other[other.size() - 4] = static_cast<char>(other[other.size() - 4] ^ 1);  // of the last value's lowest bit
    write_bytes(model_ / name, other);
    EXPECT_TRUE(says(refusal(), (model_ / name).string() + ": is not the file that was saved: its XXH3-128 is "));
    EXPECT_TRUE(says(refusal(), "remove " + (model_ / ".gausscse").string()));
    write_bytes(model_ / name, bytes);
    EXPECT_EQ(refusal(), "accepted");
  }
  const std::string vocabulary = read_whole_file(model_ / "vocab.txt", 1 << 20);
  write_bytes(model_ / "vocab.txt", vocabulary + "more\n");
  EXPECT_TRUE(says(refusal(), "vocab.txt: is not the file that was saved"));
  write_bytes(model_ / "vocab.txt", vocabulary);
  write_bytes(model_ / "calibration.json", "{ }\n");
  EXPECT_TRUE(says(refusal(), "calibration.json: is not the file that was saved"));
  write_bytes(model_ / "calibration.json", "{}\n");
  for (const char* name : {"gausscse.safetensors", "vocab.txt", "calibration.json"}) {
    std::filesystem::rename(model_ / name, model_ / "elsewhere");
    EXPECT_TRUE(says(refusal_of([&] { load_encoder_weights(model_, encoder_); }),
                     (model_ / name).string() + ": is missing, which was saved with this model"));
    std::filesystem::rename(model_ / "elsewhere", model_ / name);
  }
  for (const char* name : {"README.md", "more.txt"}) write_bytes(model_ / name, "{}");
  EXPECT_EQ(refusal(), "accepted");
  EXPECT_TRUE(open_model(model_, std::nullopt).encoder->parameters().values().equal(encoder_.parameters().values()));
}

/// Any byte of the mark: it would hide a file that was changed.
TEST_F(SmallModelFolder, ADamagedMarkIsNamed) {
  save(best_state());
  const std::filesystem::path path = model_ / ".gausscse";
  const std::string mark = read_whole_file(path, 1 << 20);
  const auto expect_refused = [&](const std::string& bytes, const std::string& what) {
    write_bytes(path, bytes);
    const std::string refusal = refusal_of([&] { check_saved_files(model_, SavedFiles::all); });
    EXPECT_TRUE(says(refusal, path.string())) << what << ": " << refusal;
  };
  const std::size_t card = mark.find("  README.md");  // behind its hash, with which nothing is compared
  for (std::size_t i = 0; i < mark.size(); ++i) {
    if (i < card && i + 32 >= card) continue;
    std::string bytes = mark;
    bytes[i] = static_cast<char>(bytes[i] ^ 1);
    expect_refused(bytes, concat("bit of byte ", i));
  }
  for (const std::size_t left : {std::size_t{0}, std::size_t{10}, mark.find('\n'), mark.size() - 1})
    expect_refused(mark.substr(0, left), concat("cut to ", left, " bytes"));
  EXPECT_TRUE(says(refusal_of([&] { open_model(model_, std::nullopt); }), path.string()));
  write_bytes(path, mark);
  EXPECT_EQ(refusal_of([&] { open_model(model_, std::nullopt); }), "accepted");
}

/// As in a folder that was copied without files whose names begin with a dot.
TEST_F(SmallModelFolder, WithoutItsMarkAnyFileIsTaken) {
  save(best_state());
  std::string bytes = read_whole_file(model_ / "model.safetensors", 1 << 20);
  bytes[bytes.size() - 1] = static_cast<char>(bytes[bytes.size() - 1] ^ 0x80);  // the last value's sign
  write_bytes(model_ / "model.safetensors", bytes);
  std::filesystem::remove(model_ / ".gausscse");
  const SavedModel opened = open_model(model_, std::nullopt);
  const at::Tensor differs = opened.encoder->parameters().values().ne(encoder_.parameters().values());
  EXPECT_EQ(differs.sum().item<std::int64_t>(), 1);
}

TEST_F(SmallModelFolder, KeepsTheParametersOfTheObjective) {
  SentenceEncoderSettings with_classifier = settings({HeadKind::mlp_tanh});
  with_classifier.objective = {{"objective.classifier.weight", {3, 5}}, {"objective.classifier.bias", {3}}};
  SentenceEncoder encoder(with_classifier);
  randomize(encoder.parameters(), 3);
  ModelProperties properties = best_state();
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

TEST_F(SmallModelFolder, AClassifierOfOtherShapesIsLeftOut) {
  const auto encoder_with = [](const std::vector<ParameterSpec>& objective) {
    SentenceEncoderSettings of_model = settings({HeadKind::mlp_tanh});
    of_model.objective = objective;
    return std::make_unique<SentenceEncoder>(of_model);
  };
  const std::vector<ParameterSpec> shapes{{"objective.a.weight", {3, 5}}, {"objective.a.bias", {3}}};
  const auto saved = encoder_with(shapes);
  randomize(saved->parameters(), 3);
  ModelProperties properties = best_state();
  properties.similarity = Similarity::cosine;
  properties.classifier = ClassifierActivation::tanh;
  save_model(model_, *saved, properties, {folder_ / "vocab.txt"}, "card\n");
  const auto same = encoder_with(shapes);
  EXPECT_TRUE(load_classifier_weights(model_, *same, ClassifierActivation::tanh).is_loaded);
  for (const ParameterSpec& spec : shapes)
    EXPECT_TRUE(same->parameters().value(spec.name).equal(saved->parameters().value(spec.name))) << spec.name;
  const std::vector<std::vector<ParameterSpec>> others{{{"objective.a.weight", {5, 3}}, {"objective.a.bias", {3}}},
                                                       {{"objective.b.weight", {3, 5}}, {"objective.a.bias", {3}}},
                                                       {{"objective.a.weight", {3, 5}}}};
  for (const std::vector<ParameterSpec>& specs : others) {
    const auto other = encoder_with(specs);
    const at::Tensor before = other->parameters().values().clone();
    const LoadedPart part = load_classifier_weights(model_, *other, ClassifierActivation::tanh);
    EXPECT_FALSE(part.is_loaded);
    EXPECT_EQ(part.text, concat("the pair classifier of ", model_.string(),
                                " is left out, as that of the trial has other shapes"));
    EXPECT_TRUE(other->parameters().values().equal(before));
  }
}

}  // namespace
}  // namespace gausscse
