#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "dist/communicator.hpp"
#include "inference/sentence_file.hpp"
#include "launcher/command.hpp"
#include "launcher/json_option.hpp"
#include "launcher/loaded_model.hpp"
#include "launcher/log.hpp"
#include "launcher/overwrite_option.hpp"
#include "launcher/standard_output.hpp"
#include "model/folder/model_folder_reader.hpp"
#include "results/json_report.hpp"

namespace gausscse {

namespace {

/// Lines are printed together until they have this many bytes.
constexpr std::size_t piece_bytes = std::size_t{64} << 10;

/// Lines of ids as decimal numbers with a space between them. Those of at most six digits come from a table, by one
/// copy of eight bytes each.
class IdWriter {
 public:
  /// Makes a writer of ids below `id_limit`.
  explicit IdWriter(std::size_t id_limit) : texts_(std::min(id_limit, most_texts)) {
    char number[longest_text] = {};
    for (std::size_t id = 0; id < texts_.size(); ++id) {
      const char* end = write_number(static_cast<std::uint32_t>(id), number);
      std::copy_n(number, texts_[id].size() - 1, texts_[id].begin());
      texts_[id].back() = static_cast<char>(end - number);
    }
  }

  /// Appends a line of ids.
  void append(const std::vector<std::uint32_t>& ids) {
    const std::size_t most = used_ + ids.size() * longest_text + 1;
    if (lines_.size() < most) lines_.resize(2 * most);
    char* end = lines_.data() + used_;
    for (const std::uint32_t id : ids) {
      if (id < texts_.size()) {
        const Text& text = texts_[id];
        std::memcpy(end, text.data(), text.size());
        end += text.back();
      } else {
        end = write_number(id, end);
      }
    }
    if (!ids.empty()) --end;  // the last space
    *end++ = '\n';
    used_ = static_cast<std::size_t>(end - lines_.data());
  }

  /// Returns the lines since the last `clear`, each with its end.
  std::string_view text() const { return std::string_view(lines_).substr(0, used_); }

  void clear() { used_ = 0; }

 private:
  /// A number, a space, and the length of both in the last byte.
  using Text = std::array<char, 8>;
  static constexpr std::size_t most_texts = 1000000;
  static constexpr std::size_t longest_text = 11;  // ten digits and a space

  static char* write_number(std::uint32_t id, char* begin) {
    char* end = std::to_chars(begin, begin + longest_text - 1, id).ptr;
    *end = ' ';
    return end + 1;
  }

  std::vector<Text> texts_;
  std::string lines_;     ///< memory of the lines
  std::size_t used_ = 0;  ///< bytes of it that have lines
};

struct TokenizeArguments {
  std::string folder, input, json;
  std::size_t max_tokens = 512;
  bool strings = false;
  ExistingFile existing = ExistingFile::refuse;
};

/// Returns all sentences as one JSON document, "gausscse-tokens/1".
std::string tokens_json(nlohmann::ordered_json sentences, const TokenizeArguments& arguments) {
  nlohmann::ordered_json json{{"format", "gausscse-tokens/1"}, {"max_tokens", arguments.max_tokens}};
  json[arguments.strings ? "tokens" : "ids"] = std::move(sentences);
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int run_tokenize(const TokenizeArguments& arguments, const CommonOptions& common) {
  if (!is_first_process()) return 0;
  start_log(*make_self_communicator(), common.verbosity());
  const ModelFolder folder = read_model_folder(arguments.folder, FolderPart::encoder);
  const auto tokenizer = open_tokenizer(folder.encoder);
  for (const std::vector<std::string>& lines : {folder.warnings, tokenizer->warnings()})
    for (const std::string& line : lines) spdlog::warn(line);
  const std::vector<std::string> tokens = arguments.strings ? tokenizer->tokens() : std::vector<std::string>{};
  check_report_file(arguments.json, std::vector<InputPath>{{"DIR", arguments.folder}, {"IN", arguments.input}},
                    arguments.existing);
  keep_piped_input(arguments.input);
  const bool printed = !is_standard_output(arguments.json);
  nlohmann::ordered_json sentences = nlohmann::ordered_json::array();
  std::vector<std::uint32_t> ids;
  std::string lines;
  TokenCounts counts;
  IdWriter writer(printed && !arguments.strings ? tokenizer->vocabulary_size() : 0);
  const auto print = [&] {
    print_answer(arguments.strings ? std::string_view(lines) : writer.text());
    lines.clear();
    writer.clear();
  };
  for_each_line(arguments.input, [&](std::string_view sentence) {
    ids.clear();
    const bool is_cut = tokenizer->encode(sentence, arguments.max_tokens, ids);
    counts.add(*tokenizer, sentence, ids, is_cut);
    if (!arguments.json.empty()) {
      nlohmann::ordered_json& sentence_tokens = sentences.emplace_back(nlohmann::ordered_json::array());
      for (const std::uint32_t id : ids)
        arguments.strings ? sentence_tokens.push_back(tokens[id]) : sentence_tokens.push_back(id);
    }
    if (!printed) return;
    if (arguments.strings) {
      const char* separator = "";
      for (const std::uint32_t id : ids) {
        lines.append(separator).append(tokens[id]);
        separator = " ";
      }
      lines += '\n';
    } else {
      writer.append(ids);
    }
    if (lines.size() + writer.text().size() < piece_bytes) return;
    print();
  });
  if (printed) print();
  if (!arguments.json.empty()) write_report(arguments.json, tokens_json(std::move(sentences), arguments));
  Notes notes;
  note_token_counts(arguments.input, counts, arguments.max_tokens, 0, notes);
  note_exceeded_limits(*tokenizer, arguments.max_tokens, cut_by_option, notes);
  log_notes(notes);
  return 0;
}

}  // namespace

void add_tokenize_command(CLI::App& app, Action& action) {
  const auto [command, arguments] = add_command<TokenizeArguments>(
      app, action, "tokenize", "print the token ids of each line, or the tokens", run_tokenize);
  command->add_option("DIR", arguments->folder, "folder with a model's tokenizer files")->required();
  command->add_option("IN", arguments->input, "text file, one sentence per line; -: standard input")->required();
  command
      ->add_option("--max-tokens", arguments->max_tokens,
                   "cut longer sentences to this many tokens; special tokens are kept")
      ->capture_default_str();
  command->add_flag("--strings", arguments->strings, "print the tokens instead of their ids");
  add_json_option(*command, arguments->json, "the ids, or the tokens,");
  add_overwrite_option(*command, arguments->existing, "the file of --json");
}

}  // namespace gausscse
