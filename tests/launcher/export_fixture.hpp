#pragma once

#include "results/embeddings_file.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

/// A saved Gaussian model of the similarity `joint`, which tests export.
class Export : public TinyProjectTest {
 protected:
  Export() : model_(path("saved")) { save_tiny_model(project_, model_, {.similarity = Similarity::joint}); }

  ProgramRun export_as(const std::string& form, const std::string& output,
                       const std::vector<std::string>& more = {}) const {
    return run_program(with({"export", model_, output, "--as", form}, more));
  }
  /// Returns all rows of `encode`, [mean | log_var] or plain vectors.
  std::vector<float> encode(const std::string& model, const std::string& input,
                            const std::vector<std::string>& more = {}) {
    const std::string output = path("encoded.h5");
    run_expecting(0, with({"encode", model, input, output, "--overwrite"}, more));
    const EmbeddingsReader file(output);
    return file.read(0, file.rows());
  }

  std::string model_;
};

}  // namespace gausscse
