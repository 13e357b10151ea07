#include "config/trial/input_contents.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "config/trial/canonical_trial.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

/// Extensions of the files that are read in a folder: of a model its configuration, tokenizer and weights, of a corpus
/// its text files. Other files, such as weights of other programs, are not read.
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

}  // namespace

std::vector<InputContent> contents_of_inputs(const Trial& trial, const ContentHash& content_hash) {
  std::vector<InputContent> contents;
  for (const TrialInput& input : inputs_of(trial)) {
    if (!fs::is_directory(input.path)) {
      contents.push_back({input.role, input.path, content_hash(input.path)});
      continue;
    }
    for (const fs::path& file : files_read_of(input))
      contents.push_back(
          {concat(input.role, "/", file.lexically_relative(input.path).string()), file, content_hash(file)});
  }
  return contents;
}

ContentHash content_hash_with(std::vector<std::pair<std::string, std::string>> known) {
  return [known = std::move(known)](const fs::path& file) {
    for (const auto& [path, hash] : known)
      if (path == file.string()) return hash;
    return content_hash(file);
  };
}

}  // namespace gausscse
