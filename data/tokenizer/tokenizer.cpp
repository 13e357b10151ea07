#include "data/tokenizer/tokenizer.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_kind.hpp"
#include "base/folder_mark.hpp"
#include "base/user_paths.hpp"
#include "data/tokenizer/folder_tokenizer.hpp"
#include "data/tokenizer/model_files.hpp"
#include "data/tokenizer/token_agreement.hpp"
#include "data/tokenizer/tokenizer_json.hpp"
#include "data/tokenizer/tokenizer_settings.hpp"
#include "model/hub/given_folder.hpp"
#include "model/hub/model_folder_keys.hpp"

namespace gausscse {

namespace {

// No tokenizer of these kinds comes near; a larger file is something else.
constexpr std::size_t most_file_bytes = std::size_t{32} << 20;

// Every file that Hugging Face folders keep for such tokenizers.
constexpr const char* file_names[] = {"tokenizer.json", "tokenizer_config.json",   "vocab.txt",        "vocab.json",
                                      "merges.txt",     "special_tokens_map.json", "added_tokens.json"};

bool is_of_tokenizer(const std::string& name) {
  return std::find(std::begin(file_names), std::end(file_names), name) != std::end(file_names);
}

/// Returns the hash of the files. Earlier versions passed over settings of whole sentences: only where there are some
/// is the hash another.
std::string fingerprint_of(const TokenizerFiles& files, const TokenizerSettings& settings) {
  std::string everything = "gausscse tokenizer 1\n";  // the number changes when the same files give other ids
  for (const auto& [name, content] : files.contents)
    if (is_of_tokenizer(name)) everything += concat(name, "\n", content.size(), "\n", content);
  if (settings.lowers_sentences) everything += "lower case\n";
  if (settings.cuts_begin.value_or(false)) everything += "cut at the beginning\n";
  return content_hash_of(everything);
}

TokenizerSettings parse_files(const TokenizerFiles& files) {
  if (const std::string* text = files.find("tokenizer.json")) {
    TokenizerSettings settings = parse_tokenizer_json(*text, files.source_name("tokenizer.json"));
    check_agreement(files, settings);
    compare_tokens(files, settings);
    return settings;
  }
  if (files.find("added_tokens.json") != nullptr) {
    throw InputError(concat(files.source_name("added_tokens.json"),
                            ": tokens added to those of the vocabulary need a tokenizer.json; give it as well"));
  }
  const bool has_word_pieces = files.find("vocab.txt") != nullptr;
  const bool has_vocabulary = files.find("vocab.json") != nullptr;
  const bool has_merges = files.find("merges.txt") != nullptr;
  if (has_word_pieces && (has_vocabulary || has_merges)) {
    throw InputError(concat(files.source_name("vocab.txt"), ": the folder has ",
                            has_vocabulary ? "vocab.json" : "merges.txt",
                            " too, and only one of two tokenizers could be meant; remove the other's files"));
  }
  if (has_word_pieces) return parse_word_piece_files(files);
  if (has_vocabulary && has_merges) return parse_byte_level_files(files);
  if (has_vocabulary || has_merges) {
    throw InputError(concat(files.source_name(has_vocabulary ? "merges.txt" : "vocab.json"),
                            ": no such file, and a byte-level BPE tokenizer needs vocab.json and merges.txt, or "
                            "tokenizer.json; copy it from the model's folder"));
  }
  std::error_code ignored;
  for (const char* name : {"sentencepiece.bpe.model", "spiece.model", "tokenizer.model"})
    if (!files.folder.empty() && std::filesystem::exists(files.folder / name, ignored))
      throw InputError(concat(files.source_name(name),
                              ": this file of SentencePiece is not read: make a tokenizer.json of it, where "
                              "transformers, sentencepiece and protobuf are installed: python3 -c 'import sys; from "
                              "transformers import AutoTokenizer; "
                              "AutoTokenizer.from_pretrained(sys.argv[1]).save_pretrained(sys.argv[1])' ",
                              shell_word(files.folder.string())));
  throw InputError(concat(files.folder.empty() ? std::string("the tokenizer") : files.folder.string(),
                          " has no tokenizer.json, no vocab.txt, and no vocab.json with merges.txt, so there is no "
                          "tokenizer; give a Hugging Face model folder with its tokenizer files"));
}

}  // namespace

Tokenizer::~Tokenizer() = default;

std::vector<std::string> exceeded_limits(const Tokenizer& tokenizer, std::size_t longest, std::size_t max_tokens) {
  std::vector<std::string> warnings;
  for (const TokenLimit& limit : tokenizer.limits())
    if (limit.tokens < longest)
      warnings.push_back(concat(limit.setting, " is ", limit.tokens, ", where ", limit.program,
                                " cuts sentences; this program cuts them at ", max_tokens,
                                " tokens, so longer ones have other vectors"));
  return warnings;
}

std::unique_ptr<Tokenizer> open_tokenizer(const std::filesystem::path& folder) {
  auto tokenizer = make_tokenizer(read_tokenizer_files(folder));
  check_saved_files(folder, SavedFiles::but_weights);
  return tokenizer;
}

const std::string* TokenizerFiles::find(const std::string& name) const {
  const auto found = contents.find(name);
  return found != contents.end() ? &found->second : nullptr;
}

std::string TokenizerFiles::source_name(const std::string& name) const {
  return (folder / name).string();
}

TokenizerFiles read_tokenizer_files(const std::filesystem::path& folder) {
  check_model_folder(folder);
  std::error_code error;
  TokenizerFiles files{folder, {}};
  const auto read = [&](const std::string& name) {
    // A name that leads nowhere, like a broken link, is an error of reading, not a file that is not there.
    const std::filesystem::file_status entry = std::filesystem::symlink_status(folder / name, error);
    if (entry.type() == std::filesystem::file_type::not_found) return;
    std::string content = read_whole_file(folder / name, most_file_bytes);
    refuse_binary_file(content, (folder / name).string());
    files.contents.emplace(name, std::move(content));
  };
  for (const char* name : file_names) read(name);
  for (const std::string& name : sentence_transformers_config_names()) read(name);
  return files;
}

std::unique_ptr<Tokenizer> make_tokenizer(const TokenizerFiles& files) {
  std::vector<std::filesystem::path> paths;
  if (!files.folder.empty())
    for (const auto& [name, content] : files.contents)
      if (is_of_tokenizer(name)) paths.push_back(files.folder / name);
  TokenizerSettings settings = parse_files(files);
  read_sentence_settings(files, settings);
  std::string fingerprint = fingerprint_of(files, settings);
  return std::make_unique<FolderTokenizer>(std::move(settings), std::move(fingerprint), std::move(paths));
}

}  // namespace gausscse
