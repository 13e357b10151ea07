#include <spdlog/spdlog.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/shard_names.hpp"
#include "data/corpus/corpus_readers.hpp"
#include "dist/communicator.hpp"
#include "evaluation/nli/pair_lengths.hpp"
#include "inference/notes.hpp"
#include "launcher/command.hpp"
#include "launcher/command_input.hpp"
#include "launcher/json_option.hpp"
#include "launcher/layout_option.hpp"
#include "launcher/loaded_model.hpp"
#include "launcher/log.hpp"
#include "launcher/overwrite_option.hpp"
#include "results/json_report.hpp"

namespace gausscse {

namespace {

struct LengthsArguments {
  std::vector<std::string> files;
  std::string rows = "test", json;
  CorpusLayout layout;
  bool one_way = false, skip_bad_lines = false;
  ExistingFile existing = ExistingFile::refuse;
};

int run_lengths(const LengthsArguments& arguments, const CommonOptions& common) {
  if (!is_first_process()) return 0;
  start_log(*make_self_communicator(), common.verbosity());
  const std::vector<std::filesystem::path> files(arguments.files.begin(), arguments.files.end());
  if (const std::string missing = missing_shards_text(files); !missing.empty()) spdlog::warn(missing);
  std::vector<InputPath> inputs;
  for (const std::string& file : arguments.files) inputs.push_back({"FILE", file});
  check_report_file(arguments.json, inputs, arguments.existing);
  for (const std::string& file : arguments.files) keep_piped_input(file);
  const ReadOptions options{.bad_lines = arguments.skip_bad_lines ? BadLines::skip : BadLines::error,
                            .sick_set = arguments.rows == "dev" ? "TRIAL" : "TEST",
                            .labels = NliLabels::three_or_two,
                            .layout = arguments.layout};
  std::vector<PairLengths> sets;
  Notes bad_lines;
  for (const std::string& file : arguments.files) {
    sets.push_back(read_pair_lengths(file, options, arguments.one_way));
    note_bad_lines(file, sets.back().report, bad_lines);
  }
  log_notes(bad_lines);
  print_with_report(pair_lengths_table(sets), pair_lengths_json(sets), arguments.json);
  return 0;
}

}  // namespace

void add_lengths_command(CLI::App& app, Action& action) {
  const auto [command, arguments] =
      add_command<LengthsArguments>(app, action, "lengths",
                                    "print baselines from the lengths and labels of NLI sets, without a model, "
                                    "and a histogram of the log ratio of lengths",
                                    with_skip_advice(run_lengths));
  command->add_option("FILE", arguments->files, "NLI files, as a task of kind nli reads them")->required();
  command->add_option("--rows", arguments->rows, "rows of SICK's full release: dev or test")
      ->check(one_of({"dev", "test"}))
      ->capture_default_str();
  command->add_flag("--one-way", arguments->one_way,
                    "leave pairs that entail both ways out of direction metrics, like two_way_pairs: drop");
  command->add_flag("--skip-bad-lines", arguments->skip_bad_lines, "skip bad lines and count them instead of stopping");
  add_layout_options(*command, arguments->layout);
  add_json_option(*command, arguments->json);
  add_overwrite_option(*command, arguments->existing, "the file of --json");
}

}  // namespace gausscse
