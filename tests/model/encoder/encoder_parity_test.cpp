#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <vector>

#include "model/model_folder.hpp"
#include "model/products/cpu/matrix_products.hpp"
#include "model/weights/float_conversion.hpp"
#include "model/weights/safetensors.hpp"
#include "tests/support/test_paths.hpp"

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
double largest_difference(const fs::path& model, const fs::path& golden) {
  const SafetensorsFile file = SafetensorsFile::open(golden);
  SentenceEncoderSettings settings;
  settings.encoder = read_encoder_config(model);
  SentenceEncoder sentence_encoder(settings);
  load_encoder_weights(model, sentence_encoder);
  CpuMatrixProducts products(sentence_encoder.parameters().values(), Precision::full);
  Encoder encoder(settings.encoder, sentence_encoder.parameters(), products);
  const PackedBatch batch =
      pack_sentences(words(file, "ids"), words(file, "offsets"), {}, sentence_encoder.position_offset());
  EXPECT_EQ(batch.longest, 64);
  const at::Tensor result = encoder.forward(batch, EncoderOutput::all_tokens, nullptr, nullptr);
  at::Tensor expected = at::empty_like(result);
  copy_to_float32(*file.find("last_hidden_state"),
                  {expected.mutable_data_ptr<float>(), static_cast<std::size_t>(expected.numel())});
  EXPECT_GT(expected.abs().max().item<double>(), 0.1);
  return (result - expected).abs().max().item<double>();
}

constexpr double tolerance = 2e-5;

TEST(EncoderParity, TinyBertEqualsTransformers) {
  EXPECT_LE(largest_difference(testing_support::golden("weights/tiny-bert"),
                               testing_support::golden("encoder/tiny-bert.safetensors")),
            tolerance);
}

TEST(EncoderParity, TinyRobertaEqualsTransformers) {
  EXPECT_LE(largest_difference(testing_support::golden("weights/tiny-roberta"),
                               testing_support::golden("encoder/tiny-roberta.safetensors")),
            tolerance);
}

TEST(EncoderParity, OldNamesAndShardsGiveTheSameStates) {
  EXPECT_LE(largest_difference(testing_support::golden("weights/tiny-bert-old-names"),
                               testing_support::golden("encoder/tiny-bert.safetensors")),
            tolerance);
  EXPECT_LE(largest_difference(testing_support::golden("weights/tiny-roberta-sharded"),
                               testing_support::golden("encoder/tiny-roberta.safetensors")),
            tolerance);
}

TEST(EncoderParity, MiniLmEqualsTransformers) {
  const fs::path model = testing_support::golden("../../models/minilm");
  if (!fs::exists(model)) GTEST_SKIP() << "no MiniLM in " << model << ": run scripts/fetch_minilm.sh";
  EXPECT_LE(largest_difference(model, testing_support::golden("encoder/minilm.safetensors")), tolerance);
}

}  // namespace
}  // namespace gausscse
