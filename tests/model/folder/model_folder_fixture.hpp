#pragma once

#include "base/atomic_file.hpp"
#include "model/folder/model_folder.hpp"
#include "model/weights/dtype.hpp"
#include "model/weights/safetensors.hpp"
#include "model/weights/safetensors_writer.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

/// A small model, and a folder to save it to.
class SmallModelFolder : public testing::Test {
 protected:
  using Metadata = std::map<std::string, std::string>;
  struct Tensor {
    std::vector<std::int64_t> shape;
    std::vector<float> values;
  };
  using Tensors = std::map<std::string, Tensor>;

  SmallModelFolder() {
    randomize(encoder_.parameters(), 1);
    write_bytes(folder_ / "vocab.txt", "[PAD]\n");
  }

  static ModelProperties best_state() {
    ModelProperties properties;
    properties.max_tokens = 17;
    properties.state = "best";
    return properties;
  }

  static SentenceEncoderSettings settings(HeadSettings head = {HeadKind::gaussian, MeanLayer::linear}) {
    auto settings = small_settings(EncoderConfig::Architecture::bert, at::kFloat);
    settings.head = head;
    settings.precision = Precision::bfloat16;
    return settings;
  }

  void save(const ModelProperties& properties) const {
    // A folder with a file that was changed since is not replaced.
    std::filesystem::remove_all(model_);
    save_model(model_, encoder_, properties, {folder_ / "vocab.txt"}, "card\n");
  }

  /// Writes head and properties again, as `change` leaves them, and removes the mark, which they do not fit.
  void rewrite_head(const std::function<void(Metadata&, Tensors&)>& change) const {
    const auto file = model_ / "gausscse.safetensors";
    Metadata metadata;
    Tensors changed;
    {
      const SafetensorsFile opened = SafetensorsFile::open(file);
      metadata = opened.metadata();
      for (const TensorEntry& entry : opened.tensors()) {
        Tensor& tensor = changed[entry.name];
        tensor.shape = entry.shape;
        tensor.values.resize(entry.bytes.size() / sizeof(float));
        copy_to_float32(entry, tensor.values);
      }
    }
    change(metadata, changed);
    std::vector<TensorEntry> tensors;
    for (const auto& [name, tensor] : changed) tensors.push_back(float32_tensor(name, tensor.shape, tensor.values));
    write_file_atomically(file, SafetensorsImage(tensors, metadata).parts());
    std::filesystem::remove(model_ / ".gausscse");
  }

  std::string refusal() const {
    return refusal_of([&] { open_model(model_, std::nullopt); });
  }

  const TemporaryFolder folder_;
  const std::filesystem::path model_ = folder_ / "model";
  SentenceEncoder encoder_{settings()};
};

}  // namespace gausscse
