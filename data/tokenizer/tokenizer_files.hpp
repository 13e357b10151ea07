#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "data/tokenizer/tokenizer.hpp"

namespace gausscse {

/// The contents of a model folder's tokenizer files, from a disk or from memory.
struct TokenizerFiles {
  /// Folder of the files; only messages and `Tokenizer::files()` use it. Empty for files in memory.
  std::filesystem::path folder;
  /// File name (`tokenizer.json`, `vocab.txt`, `vocab.json`, `merges.txt`, `tokenizer_config.json`,
  /// `special_tokens_map.json`, `added_tokens.json`, and `sentence_bert_config.json`, which is sentence-transformers')
  /// to content. Files that do not exist have no entry.
  std::map<std::string, std::string> contents;

  /// Returns the content of file `name`, or nullptr.
  const std::string* find(const std::string& name) const;
  /// Returns the path of file `name` as messages show it.
  std::string source_name(const std::string& name) const;
};

/// Reads the tokenizer files that `folder` holds. Throws InputError where the folder or a file cannot be read.
TokenizerFiles read_tokenizer_files(const std::filesystem::path& folder);

/// Builds the tokenizer that `files` describe; throws InputError as `open_tokenizer` does.
std::unique_ptr<Tokenizer> make_tokenizer(const TokenizerFiles& files);

}  // namespace gausscse
