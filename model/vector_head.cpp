#include "model/vector_head.hpp"

#include <utility>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/folder_mark.hpp"
#include "base/model_folder.hpp"
#include "model/given_vectors.hpp"
#include "model/saved_properties.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t largest_width = 1 << 20;

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
  model.encoder = std::make_unique<VectorHead>(settings);
  load_properties_tensors(file, *model.encoder);
  model.encoder->parameters_changed();
  return model;
}

}  // namespace gausscse
