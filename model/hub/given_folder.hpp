#pragma once

#include <filesystem>
#include <string>

namespace gausscse {

/// Name of the file of a calibration in a model's folder (docs/probabilities.md).
inline constexpr const char* calibration_file = "calibration.json";

/// Name of the file of a saved model that holds its head and its properties.
inline constexpr const char* model_properties_file = "gausscse.safetensors";

/// Returns whether `folder` is a saved head for given vectors (model/folder/vector_head.hpp): it holds a file of
/// properties that names vectors as its backbone, and no encoder.
bool is_vector_head(const std::filesystem::path& folder);

/// Returns the folder `model` in `folder` if `folder` is that of a finished run, else `folder` itself.
std::filesystem::path model_folder_of(const std::filesystem::path& folder);

/// Throws InputError, with the advice of model/hub/hub_model.hpp, unless `folder` is one that may be a model's (see
/// model/hub/given_folder.hpp).
void check_model_folder(const std::filesystem::path& folder);

/// Returns the kind of `path` and the path to give instead, where a model was asked for and this is none: "this is a
/// result of a run: give runs/x or runs/x/model". Decides by its name, its first bytes and the folder that it is in.
/// Empty where it may be a model: a folder that is none of gausscse's others, a text whose lines may be word vectors,
/// or nothing at all.
std::string other_than_model(const std::filesystem::path& path);

}  // namespace gausscse
