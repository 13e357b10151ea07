#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"

namespace gausscse {

/// Refusal of a cache file that another user could have made. A hash finds damage, not forgery.
class ForeignCache : public InputError {
  using InputError::InputError;
};

/// Opens a cache file that no other user could have written. Throws ForeignCache where one owns it or may write it, and
/// as `open_regular_file`.
OpenFile open_own_cache(const std::filesystem::path& path);

/// Writes a cache file, whole or not at all, for no other user to change; makes its folder, and removes leftovers of
/// writers of this file that died. Throws WriteError and std::filesystem::filesystem_error.
void write_own_cache(const std::filesystem::path& path, std::span<const std::string_view> parts);

}  // namespace gausscse
