#pragma once

#include <filesystem>
#include <string>

namespace gausscse {

/// Returns the folder `model` in `folder` if `folder` is that of a finished run, else `folder` itself.
std::filesystem::path model_folder_of(const std::filesystem::path& folder);

/// Returns "; if NAME is the name ..." with how to download the model that a path which leads nowhere may be meant as.
std::string hub_advice(const std::filesystem::path& path);

/// Throws InputError unless `folder` is one, with that advice.
void check_model_folder(const std::filesystem::path& folder);

}  // namespace gausscse
