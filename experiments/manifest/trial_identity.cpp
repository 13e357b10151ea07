#include "experiments/manifest/trial_identity.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/content_hash.hpp"
#include "base/content_hash_cache.hpp"
#include "base/error.hpp"
#include "experiments/trial/canonical_trial.hpp"
#include "experiments/trial/identity_text.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

/// What is read of a folder: of a model's configuration, tokenizer and weights, of a corpus' the text files. Others,
/// such as weights of other programs, are not.
constexpr std::array<std::string_view, 3> extensions_of_model = {".json", ".txt", ".safetensors"};
constexpr std::array<std::string_view, 1> extensions_of_corpus = {".txt"};
constexpr int deepest_folder = 3;

std::vector<fs::path> files_in(const fs::path& folder, std::span<const std::string_view> extensions) {
  std::vector<fs::path> files;
  std::error_code error;
  fs::recursive_directory_iterator entries(folder, error);
  for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
    if (entries.depth() >= deepest_folder) entries.disable_recursion_pending();
    const std::string extension = entries->path().extension().string();
    const bool read = std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
    std::error_code broken_link;
    if (read && entries->is_regular_file(broken_link)) files.push_back(entries->path());
  }
  if (error)
    throw InputError(concat(folder.string(), ": this folder, which the trial reads, cannot be looked through: ",
                            error.message(), ": give another one"));
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<fs::path> files_read_of(const TrialInput& folder) {
  if (!folder.files.empty()) return folder.files;
  if (folder.role.starts_with("model.")) return files_in(folder.path, extensions_of_model);
  return files_in(folder.path, extensions_of_corpus);
}

/// A line for each file of an input.
std::string content_lines(const TrialInput& input, const ContentHash& content_hash) {
  if (!fs::is_directory(input.path)) return concat(input.role, ": ", content_hash(input.path), "\n");
  std::string lines;
  for (const fs::path& file : files_read_of(input))
    lines += concat(input.role, "/", file.lexically_relative(input.path).string(), ": ", content_hash(file), "\n");
  return lines;
}

}  // namespace

std::string trial_identity(const Trial& trial, const ContentHash& content_hash) {
  std::string text = identity_text(trial);
  for (const TrialInput& input : inputs_of(trial)) text += content_lines(input, content_hash);
  return content_hash_of(text);
}

ContentHash remembered_content_hash() {
  return
      [known = std::make_shared<std::map<fs::path, std::string>>(), cache = hash_cache_folder()](const fs::path& file) {
        const auto found = known->find(file);
        if (found != known->end()) return found->second;
        return known->emplace(file, cached_content_hash(file, cache)).first->second;
      };
}

}  // namespace gausscse
