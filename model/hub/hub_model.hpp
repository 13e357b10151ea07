#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace gausscse {

/// Returns the name on the Hugging Face hub that a path which leads nowhere was most likely meant as. One form is a
/// known name without its organization ("bert-base-uncased" is google-bert/bert-base-uncased), in any folder. The other
/// is "ORGANIZATION/NAME" whose organization is no folder but would lie in one. Nothing for any other path.
std::optional<std::string> hub_name_of(const std::filesystem::path& path);

/// Returns the advice for downloading the model that a path which leads nowhere was meant as, for the end of a message:
/// "; if "org/name" of the Hugging Face hub is meant, download it there: hf download ...". Names the script for the
/// MiniLM of the examples. Empty where the path looks like no such name.
std::string hub_advice(const std::filesystem::path& path);

}  // namespace gausscse
