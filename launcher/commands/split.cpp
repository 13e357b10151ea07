#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "data/sentences/sentence_splitter.hpp"
#include "dist/communicator.hpp"
#include "inference/sentence_file.hpp"
#include "launcher/command.hpp"
#include "launcher/command_input.hpp"
#include "launcher/loaded_model.hpp"
#include "launcher/standard_output.hpp"

namespace gausscse {

namespace {

/// Sentences are printed together until they have this many bytes.
constexpr std::size_t bytes_at_once = std::size_t{64} << 10;

struct SplitArguments {
  std::vector<std::string> files;
  std::string locale = english_with_abbreviations;
  bool skip_bad_lines = false;
};

int run_split(const SplitArguments& arguments, const CommonOptions& common) {
  if (!is_first_process()) return 0;
  start_log(*make_self_communicator(), common.verbosity());
  SentenceSplitter splitter(arguments.locale);
  std::deque<SentenceFile> files;
  Notes notes;
  for (const std::string& path : arguments.files) {
    keep_piped_input(path);
    files.emplace_back(path,
                       SentenceFileSettings{.bad_lines = arguments.skip_bad_lines ? BadLines::skip : BadLines::error});
    note_bad_lines(path, files.back().report(), notes);
  }
  log_notes(notes);
  std::string lines;
  std::vector<std::string> block;
  for (SentenceFile& file : files)
    while (file.next_block(block))
      for (const std::string& line : block) {
        splitter.split(line, [&](std::string_view sentence) { lines.append(sentence).append(1, '\n'); });
        if (lines.size() < bytes_at_once) continue;
        print_answer(lines);
        lines.clear();
      }
  print_answer(lines);
  return 0;
}

}  // namespace

void add_split_command(CLI::App& app, Action& action) {
  const auto [command, arguments] = add_command<SplitArguments>(
      app, action, "split", "print the sentences of texts, one a line", with_skip_advice(run_split));
  command
      ->add_option("TEXT", arguments->files,
                   "text file, whose lines are paragraphs: no sentence goes on in the next line; -: standard input")
      ->required();
  command
      ->add_option("--locale", arguments->locale,
                   "language by whose rules sentences end, such as de or el; with -u-ss-standard known abbreviations "
                   "end none; und: no language")
      ->capture_default_str();
  command->add_flag("--skip-bad-lines", arguments->skip_bad_lines, "skip lines that are not UTF-8 instead of stopping");
}

}  // namespace gausscse
