#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "model/folder/model_folder.hpp"
#include "model/matmul/cpu/matmuls.hpp"
#include "model/weights/dtype.hpp"
#include "model/weights/safetensors.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

std::vector<std::uint32_t> words(const SafetensorsFile& file, const char* name) {
  const TensorEntry* tensor = file.find(name);
  EXPECT_NE(tensor, nullptr);
  std::vector<std::uint32_t> values(tensor->bytes.size() / sizeof(std::uint32_t));
  std::memcpy(values.data(), tensor->bytes.data(), tensor->bytes.size());
  return values;
}

/// Largest difference of the last hidden state from the golden's, which transformers computed.
double largest_difference(const fs::path& model, const fs::path& golden, std::int64_t longest = 64) {
  const SafetensorsFile file = SafetensorsFile::open(golden);
  SentenceEncoderSettings settings;
  settings.encoder = read_encoder_config(model);
  SentenceEncoder sentence_encoder(settings);
  load_encoder_weights(model, sentence_encoder);
  CpuMatmuls products(sentence_encoder.parameters().values(), Precision::full);
  Encoder encoder(settings.encoder, sentence_encoder.parameters(), products);
  const PackedBatch batch =
      pack_sentences(words(file, "ids"), words(file, "offsets"), {}, sentence_encoder.position_offset());
  EXPECT_EQ(batch.longest, longest);
  const at::Tensor result = encoder.forward(batch, EncoderOutput::all_tokens, nullptr, nullptr);
  at::Tensor expected = at::empty_like(result);
  copy_to_float32(*file.find("last_hidden_state"),
                  {expected.mutable_data_ptr<float>(), static_cast<std::size_t>(expected.numel())});
  EXPECT_GT(expected.abs().max().item<double>(), 0.1);
  return (result - expected).abs().max().item<double>();
}

constexpr double tolerance = 2e-5;

/// A golden, the folder of the model that it was computed by, and its longest sentence.
struct Reference {
  const char* name;
  const char* model;
  std::int64_t longest = 64;
  std::size_t tensors_with_gradients = 0;  ///< 0: the golden has no gradients
};

/// Old names and shards give the same states.
constexpr Reference references[] = {{"tiny-bert", "tiny-bert"},
                                    {"tiny-bert", "tiny-bert-old-names"},
                                    {"tiny-roberta", "tiny-roberta"},
                                    {"tiny-roberta", "tiny-roberta-sharded"},
                                    {"tiny-xlm-roberta", "tiny-xlm-roberta", 64, 5 + 2 * 16},
                                    {"tiny-mpnet", "tiny-mpnet", 130, 5 + 2 * 16},
                                    {"tiny-distilbert", "tiny-distilbert", 64, 4 + 2 * 16},
                                    {"tiny-modernbert", "tiny-modernbert", 64, 2 + 4 * 6},
                                    {"tiny-nomic_bert", "tiny-nomic_bert", 64, 4 + 2 * 9}};

TEST(EncoderParity, StatesEqualTransformers) {
  for (const Reference& of : references)
    EXPECT_LE(largest_difference(golden("weights") / of.model, golden("encoder") / concat(of.name, ".safetensors"),
                                 of.longest),
              tolerance)
        << of.model;
}

/// The gradient of each tensor, in float64, from that of the last hidden states, as transformers has them.
void expect_gradients(const std::string& name, std::size_t tensors) {
  const fs::path model = golden("weights") / name;
  const SafetensorsFile file = SafetensorsFile::open(golden("encoder") / (name + ".safetensors"));
  const auto tensor_of = [&](const std::string& tensor) {
    const TensorEntry* entry = file.find(tensor);
    EXPECT_NE(entry, nullptr) << tensor;
    at::Tensor values = at::empty(entry->shape, at::kFloat);
    copy_to_float32(*entry, {values.mutable_data_ptr<float>(), static_cast<std::size_t>(values.numel())});
    return values.to(at::kDouble);
  };
  SentenceEncoderSettings settings;
  settings.encoder = read_encoder_config(model);
  SentenceEncoder read(settings);
  load_encoder_weights(model, read);
  settings.type = at::kDouble;
  SentenceEncoder sentence_encoder(settings);
  ParameterStore& parameters = sentence_encoder.parameters();
  parameters.values().copy_(read.parameters().values().to(at::kDouble));
  CpuMatmuls products(parameters.values(), Precision::full);
  Encoder encoder(settings.encoder, parameters, products);
  const PackedBatch batch =
      pack_sentences(words(file, "ids"), words(file, "offsets"), {}, sentence_encoder.position_offset())
          .on(at::kCPU, true);
  EncoderActivations activations;
  encoder.forward(batch, EncoderOutput::all_tokens, nullptr, &activations);
  parameters.gradients().zero_();
  encoder.backward(batch, activations, tensor_of("output_gradient"));
  const std::vector<ParameterSpec> specs = encoder_parameters(settings.encoder);
  EXPECT_EQ(specs.size(), tensors);
  for (const ParameterSpec& spec : specs) {
    const at::Tensor expected = tensor_of(spec.name_in_file());
    const double largest = expected.abs().max().item<double>();
    // Softmax does not see the keys' bias: its gradient is rounding.
    if (largest < 1e-6) continue;
    EXPECT_LE((parameters.gradient(spec.name) - expected).abs().max().item<double>(), 1e-6 * largest)
        << name << ' ' << spec.name;
  }
}

TEST(EncoderParity, GradientsEqualTransformers) {
  for (const Reference& of : references)
    if (of.tensors_with_gradients > 0) expect_gradients(of.name, of.tensors_with_gradients);
}

TEST(EncoderParity, StatesOfMiniLmEqualTransformers) {
  const fs::path model = golden("../../models/minilm");
  if (!fs::exists(model)) GTEST_SKIP() << "no MiniLM in " << model << ": run scripts/fetch_minilm.sh";
  EXPECT_LE(largest_difference(model, golden("encoder/minilm.safetensors")), tolerance);
}

}  // namespace
}  // namespace gausscse
