#include "model/folder/vector_head.hpp"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/folder_mark.hpp"
#include "model/folder/saved_properties.hpp"
#include "model/given_vectors.hpp"
#include "model/hub/given_folder.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t largest_width = 1 << 20, vectors_at_once = 4096;

/// Vectors of no sentence.
struct NoVectors {
  NoVectors(std::int64_t width, at::Device device)
      : none(
            [](std::uint32_t, std::span<float>) {
              throw InputError("a head for vectors has no encoder, so it embeds no sentence: give vectors");
            },
            width, device),
        vectors(none) {}

  GivenVectors none;
  PooledVectors vectors;
};

SentenceEncoderSettings with_vectors(SentenceEncoderSettings settings, PooledVectors& vectors) {
  settings.vectors = &vectors;
  return settings;
}

/// A head together with the vectors that it does not have.
class VectorHead final : private NoVectors, public SentenceEncoder {
 public:
  explicit VectorHead(const SentenceEncoderSettings& settings)
      : NoVectors(settings.encoder.hidden_size, settings.device), SentenceEncoder(with_vectors(settings, vectors)) {}
};

}  // namespace

std::unique_ptr<SentenceEncoder> make_vector_head(const SentenceEncoderSettings& settings) {
  return std::make_unique<VectorHead>(settings);
}

void check_finite_vectors(const at::Tensor& vectors) {
  const auto* value = vectors.const_data_ptr<float>();
  for (std::int64_t row = 0; row < vectors.size(0); ++row)
    for (std::int64_t i = 0; i < vectors.size(1); ++i, ++value)
      if (!std::isfinite(*value))
        throw InputError(concat("vectors: row ", row, " (from 0), value ", i, " is ", *value,
                                ", not a finite number: encode this sentence again, or leave it out"));
}

at::Tensor apply_head(SentenceEncoder& encoder, const at::Tensor& vectors, const std::function<void()>& watch) {
  // As in training.
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  SentenceEvaluator evaluator(encoder);
  at::Tensor embeddings = at::empty({vectors.size(0), encoder.width()}, encoder.options().device(at::kCPU));
  for (std::int64_t first = 0; first < vectors.size(0); first += vectors_at_once) {
    if (watch) watch();
    const std::int64_t count = std::min(vectors_at_once, vectors.size(0) - first);
    embeddings.narrow(0, first, count).copy_(evaluator.apply_head(vectors.narrow(0, first, count)));
  }
  return embeddings;
}

void save_vector_head(const fs::path& folder, const SentenceEncoder& encoder, const ModelProperties& properties,
                      const std::string& card) {
  GAUSSCSE_CHECK(encoder.settings().vectors, "a model with an encoder");
  const at::Tensor values = encoder.parameters().values().cpu();
  const SafetensorsImage head(tensors_of(encoder.parameters(), values, TensorsOf::head_and_objective),
                              metadata_of(encoder.settings(), properties));
  AtomicFolder output(folder);
  output.add_file(model_properties_file, head.parts());
  if (!properties.calibration.empty()) output.add_file(calibration_file, properties.calibration);
  output.add_file("README.md", card);
  output.commit(AtomicFolder::Existing::replace);
}

SavedModel open_vector_head(const fs::path& folder, at::Device device) {
  const PropertiesFile file(folder);
  check_saved_files(folder, SavedFiles::all);
  SentenceEncoderSettings settings;
  settings.encoder.hidden_size = file.whole_number("width", 1, largest_width);
  settings.head = file.head();
  settings.objective = file.objective_parameters();
  settings.device = device;
  SavedModel model;
  model.properties = read_properties(file, folder, settings.head);
  model.encoder = make_vector_head(settings);
  load_properties_tensors(file, *model.encoder);
  model.encoder->parameters_changed();
  return model;
}

}  // namespace gausscse
