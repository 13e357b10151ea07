#include "launcher/commands/search_arguments.hpp"

#include <filesystem>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/output_paths.hpp"
#include "launcher/calibration_option.hpp"
#include "launcher/command.hpp"
#include "launcher/json_option.hpp"
#include "launcher/mined_output.hpp"
#include "launcher/overwrite_option.hpp"
#include "launcher/search_output.hpp"
#include "launcher/standard_output.hpp"
#include "results/json_report.hpp"

namespace gausscse {

void add_search_options(CLI::App& command, SearchArguments& arguments) {
  add_model_options(command, arguments.model);
  add_prompt_options(command, arguments.model.prompt, "", "every query");
  add_prompt_options(command, arguments.corpus_prompt, "corpus-", "every sentence of a CORPUS of text");
  arguments.model.may_be_head = true;
  add_device_options(command, arguments.device);
  add_calibration_option(command, arguments.calibration);
  CLI::Option* const calibrator = add_calibrator_option(
      command, arguments.calibrator,
      "way from similarities to the probability: platt, logistic or isotonic (default: logistic for a calibration of "
      "hits, else platt)");
  CLI::Option* const risk = add_risk_option(
      command, arguments.risk,
      "with a calibration of hits: promise that at most this share of the queries that are answered has a wrong best "
      "row, such as 0.05; the column verdict is \"found\" or \"abstains\"");
  // It takes all files, of which the last one is QUERIES: that is given its value here, before it is missed.
  const auto take_files = [&command, &arguments](std::vector<std::string> files) {
    if (files.size() > 1) {
      command.get_option("QUERIES")->add_result(files.back());
      files.pop_back();
    }
    arguments.corpus = std::move(files);
  };
  command
      .add_option_function<std::vector<std::string>>(
          "CORPUS", take_files,
          "text file, one sentence per line, or a file that encode wrote with this model; -: standard input. Rows of "
          "several files are numbered through")
      ->required();
  command
      .add_option("QUERIES", arguments.queries,
                  "the same kinds of file; with --mine: text file, premise and entailed sentence per line, separated "
                  "by a tab")
      ->required();
  command.add_option("--top", arguments.top, "rows to find for each query (default: 10; with --mine: 1)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 20));
  command
      .add_option("--direction", arguments.direction,
                  "entails: rows that entail the query, by sim(query||row); entailed-by: rows that the query entails, "
                  "by sim(row||query); both: by the smaller of the two (default: entails; with --mine: entailed-by)")
      ->check(one_of(words_of<SearchDirection>()));
  command.add_option(
      "--text", arguments.text,
      "text file that CORPUS was encoded from, all rows of several files, to print the texts of rows as well");
  command.add_flag("--header", arguments.header, "print the names of the columns first");
  command.add_option("--out", arguments.out, "write the rows to this file instead: .tsv, .jsonl, or .h5 or .hdf5")
      ->type_name("FILE");
  CLI::Option* const json = add_json_option(command, arguments.json, "the rows");
  CLI::Option* const mining =
      command
          .add_option("--mine", arguments.mine,
                      "write training triples to this file instead, .csv or .jsonl: each pair of QUERIES with the "
                      "--top best rows that its premise is not known to entail, as hard negatives")
          ->type_name("FILE")
          ->excludes("--out")
          ->excludes("--header")
          ->excludes("--text")
          ->excludes(json)
          ->excludes(calibrator)
          ->excludes(risk);
  command.add_option("--mine-skip", arguments.mine_skip, "leave out this many of the best rows before them")
      ->needs(mining)
      ->check(CLI::Range(std::size_t{0}, std::size_t{1} << 20));
  command.add_flag("--skip-bad-lines", arguments.skip_bad_lines,
                   "skip lines that are not UTF-8, or not two sentences with --mine, instead of stopping; they get no "
                   "row");
  add_overwrite_option(command, arguments.existing, "the file of --out, --mine or --json");
}

void check_search_outputs(const SearchArguments& arguments) {
  std::vector<InputPath> inputs{{"MODEL", arguments.model.path}, {"QUERIES", arguments.queries}};
  for (const std::string& file : arguments.corpus) inputs.push_back({"CORPUS", file});
  if (!arguments.text.empty()) inputs.push_back({"--text", arguments.text});
  if (!arguments.calibration.empty()) inputs.push_back({"--calibration", arguments.calibration});
  const auto check_new = [&](std::string_view name, const std::filesystem::path& path,
                             std::span<const InputPath> read) {
    check_output_file(name, path, read, arguments.existing);
  };
  const std::vector<OutputFile> outputs{
      {"--out", arguments.out, check_new},
      {"--mine", arguments.mine, check_new},
      {"--json", is_standard_output(arguments.json) ? "" : arguments.json, check_new}};
  check_output_files(outputs, inputs);
  if (!arguments.out.empty()) search_format(arguments.out);
  if (arguments.mines()) mined_format(arguments.mine);
}

}  // namespace gausscse
