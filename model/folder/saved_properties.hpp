#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "model/folder/model_folder.hpp"
#include "model/folder/properties_file.hpp"
#include "model/weights/safetensors_writer.hpp"

namespace gausscse {

/// Parameters of a model that are written into one file.
enum class TensorsOf { encoder, head_and_objective };

/// Returns these parameters under the names that files have; `values` are all of them, on the CPU.
std::vector<TensorEntry> tensors_of(const ParameterStore& parameters, const at::Tensor& values, TensorsOf part);

/// Returns the metadata of a file of properties.
std::map<std::string, std::string> metadata_of(const SentenceEncoderSettings& settings,
                                               const ModelProperties& properties);

/// Returns the properties in the metadata, besides the settings of the encoder, and the folder's calibration;
/// `max_tokens` is not set. Throws InputError.
ModelProperties read_properties(const PropertiesFile& file, const std::filesystem::path& folder,
                                const HeadSettings& head);

/// Reads the head's parameters and the objective's. Throws InputError, also where the file holds others.
void load_properties_tensors(const PropertiesFile& file, SentenceEncoder& encoder);

}  // namespace gausscse
