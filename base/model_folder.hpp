#pragma once

#include <filesystem>
#include <string>

namespace gausscse {

/// Returns the folder `model` in `folder` if `folder` is that of a finished run, else `folder` itself.
std::filesystem::path model_folder_of(const std::filesystem::path& folder);

/// Returns "; if NAME is the name ..." with how to download the model that a path which leads nowhere may be meant as.
std::string hub_advice(const std::filesystem::path& path);

/// Throws InputError, with that advice, unless `folder` is one that may be a model's (see base/model_argument.hpp).
void check_model_folder(const std::filesystem::path& folder);

}  // namespace gausscse
