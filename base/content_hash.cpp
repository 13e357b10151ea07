#include "base/content_hash.hpp"

#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/user_paths.hpp"

namespace gausscse {

namespace {

std::string hexadecimal(const XXH128_hash_t& hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  std::string text;
  for (const unsigned char byte : canonical.digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

namespace fs = std::filesystem;

constexpr std::string_view entry_format = "gausscse-content-hash/1\n";
constexpr std::size_t hash_digits = 32;
constexpr std::size_t max_entry_bytes = 64 << 10;
constexpr std::chrono::seconds settling_time(2);

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// Signs by which a file is recognised as the one that was hashed.
struct FileState {
  std::int64_t modified = 0, changed = 0;  ///< nanoseconds since 1970
  std::string text;                        ///< all of the state
  bool operator==(const FileState&) const = default;
};

/// Returns nothing where the file cannot be asked: reading it then reports the cause to the user.
std::optional<FileState> state_of(const fs::path& file, Links links) {
  struct stat status;
  const auto ask = links == Links::refused ? ::lstat : ::stat;
  if (ask(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  FileState state;
  state.modified = nanoseconds(status.st_mtim);
  state.changed = nanoseconds(status.st_ctim);
  state.text = concat("size ", status.st_size, "\nmodified ", state.modified, "\nchanged ", state.changed, "\ninode ",
                      status.st_ino, "\ndevice ", status.st_dev, "\n");
  return state;
}

bool is_settled(const FileState& state, std::chrono::system_clock::time_point now) {
  const auto since_1970 = std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch());
  const auto age = since_1970 - std::chrono::nanoseconds(std::max(state.modified, state.changed));
  return age >= settling_time;
}

/// Returns the entry without its last line, which is the hash of what is before it.
std::string entry_content(const fs::path& file, const FileState& state, const std::string& hash) {
  return concat(entry_format, "file ", quoted(file.native(), max_entry_bytes / 8), "\n", state.text, "hash ", hash,
                "\n");
}

std::string entry_text(const fs::path& file, const FileState& state, const std::string& hash) {
  const std::string content = entry_content(file, state, hash);
  return concat(content, "entry ", content_hash_of(content), "\n");
}

/// Returns an entry's text; nothing where there is none, or something else in its place.
std::optional<std::string> read_entry(const fs::path& entry) {
  std::error_code error;
  if (fs::symlink_status(entry, error).type() != fs::file_type::regular) return std::nullopt;
  try {
    std::string text = read_whole_file(entry, max_entry_bytes);
    if (!text.starts_with(entry_format)) return std::nullopt;
    return text;
  } catch (const InputError&) {
    return std::nullopt;
  } catch (const SystemError&) {
    return std::nullopt;
  }
}

/// Returns the hash that an entry's text has, if it is whole and of this file in this state.
std::optional<std::string> hash_in(const std::string& text, const fs::path& file, const FileState& state) {
  constexpr std::string_view before = "\nhash ";
  const std::size_t place = text.rfind(before);
  if (place == std::string::npos) return std::nullopt;
  std::string hash = text.substr(place + before.size(), hash_digits);
  if (text != entry_text(file, state, hash)) return std::nullopt;
  return hash;
}

/// Does nothing where it cannot, or where something that is no entry has the name.
void keep(const fs::path& entry, bool has_entry, const std::string& text) {
  std::error_code error;
  fs::create_directories(entry.parent_path(), error);
  if (!has_entry && fs::symlink_status(entry, error).type() != fs::file_type::not_found) return;
  try {
    write_file_atomically(entry, text);
  } catch (const WriteError&) {
  }
}

}  // namespace

std::string content_hash(const std::filesystem::path& path, Links links) {
  constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  const OpenFile file = open_regular_file(path, links);
  std::vector<char> piece(piece_bytes);
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
  if (!state) throw SystemError("no memory to compute a hash");
  XXH3_128bits_reset(state.get());
  while (const std::size_t count = read_some(file, piece.data(), piece.size(), path)) {
    XXH3_128bits_update(state.get(), piece.data(), count);
  }
  return hexadecimal(XXH3_128bits_digest(state.get()));
}

std::string content_hash_of(std::string_view bytes) {
  return hexadecimal(XXH3_128bits(bytes.data(), bytes.size()));
}

std::string cached_content_hash(const fs::path& file, const fs::path& cache_folder,
                                std::chrono::system_clock::time_point now, Links links) {
  const std::optional<FileState> state = cache_folder.empty() ? std::nullopt : state_of(file, links);
  std::error_code error;
  const fs::path path = fs::absolute(file, error).lexically_normal();
  if (!state || error) return content_hash(file, links);
  const fs::path entry = cache_folder / content_hash_of(path.native());
  const std::optional<std::string> known = read_entry(entry);
  if (known)
    if (const std::optional<std::string> hash = hash_in(*known, path, *state)) return *hash;
  std::string hash = content_hash(file, links);
  // A file that changed while it was read may be hashed half old, half new.
  if (is_settled(*state, now) && state_of(file, links) == state)
    keep(entry, known.has_value(), entry_text(path, *state, hash));
  return hash;
}

fs::path hash_cache_folder() {
  return user_cache_folder("hashes");
}

}  // namespace gausscse
