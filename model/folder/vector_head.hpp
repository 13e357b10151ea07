#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "model/folder/model_folder.hpp"

namespace gausscse {

/// Makes a head alone, for vectors of `settings.encoder.hidden_size` values; `settings.vectors` is not looked at. It
/// has vectors of no sentence.
std::unique_ptr<SentenceEncoder> make_vector_head(const SentenceEncoderSettings& settings);

/// Throws InputError for the first value of float32 vectors [n, width] on the CPU that is not finite, with its row.
void check_finite_vectors(const at::Tensor& vectors);

/// Returns the embeddings, on the CPU, of pooled vectors [n, hidden] by the head of `encoder`, some thousands at a
/// time. Calls `watch` before each of these; an exception of it ends the computation.
at::Tensor apply_head(SentenceEncoder& encoder, const at::Tensor& vectors, const std::function<void()>& watch = {});

/// Writes a head that was trained on given vectors (`encoder.settings().vectors`), whole or not at all: a folder with
/// gausscse.safetensors, README.md with `card` and, if there is a calibration, calibration.json. The metadata have
/// "backbone": "vectors" and "width", the number of values of a vector, in place of a pooling. An existing folder is
/// replaced. Throws WriteError.
void save_vector_head(const std::filesystem::path& folder, const SentenceEncoder& encoder,
                      const ModelProperties& properties, const std::string& card);

/// Opens a folder for which `is_vector_head` is true, on `device`, in float32. The encoder that is returned has a head
/// alone: it has vectors of no sentence, see SentenceEvaluator::apply_head. Throws InputError.
SavedModel open_vector_head(const std::filesystem::path& folder, at::Device device = at::kCPU);

}  // namespace gausscse
