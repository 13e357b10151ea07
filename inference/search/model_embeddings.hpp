#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/output_paths.hpp"
#include "inference/sentence_model.hpp"
#include "results/embeddings_file.hpp"

namespace gausscse {

/// Returns the names of the matrices that hold embeddings: {"mean", "log_var"} or {"embedding"}.
std::vector<std::string> datasets_of_embeddings(bool is_gaussian);

/// Returns the texts by which a file of embeddings names the model that made them. `path` is the model as the user gave
/// it, `version` the program's.
std::map<std::string, std::string> description_of_embeddings(const std::string& path, const SentenceModel& model,
                                                             const std::string& version);

/// Appends rows [n, width] on the CPU to a file with these matrices, each of which gets an equal part of a row.
void append_embeddings(const at::Tensor& rows, std::size_t matrices, EmbeddingsWriter& writer);

/// Writes embeddings [n, width] on the CPU to a file, in the format of its suffix. Throws InputError as
/// `check_output_file`, whose `name` is "path", and as EmbeddingsWriter; WriteError where writing fails.
///
///     save_embeddings("vectors.npz", rows, true, description_of_embeddings(path, model, "0.2.0"),
///     ExistingFile::refuse);
void save_embeddings(const std::filesystem::path& path, const at::Tensor& rows, bool is_gaussian,
                     std::map<std::string, std::string> description, ExistingFile existing);

}  // namespace gausscse
