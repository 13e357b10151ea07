#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"
#include "experiments/study/json_fields.hpp"
#include "experiments/study/study_index.hpp"
#include "experiments/study/study_layout.hpp"
#include "launcher/json_option.hpp"
#include "launcher/overwrite_option.hpp"
#include "launcher/studies/study_commands.hpp"
#include "results/json_report.hpp"

namespace gausscse {

namespace {

struct IndexArguments {
  std::string results, json;
  ExistingFile existing = ExistingFile::refuse;
};

int run_index(const IndexArguments& arguments, const CommonOptions&) {
  if (!is_first_process()) return 0;
  const StudyResults study = read_study(arguments.results);
  check_report_file(arguments.json, {}, arguments.existing);
  const std::filesystem::path index = study.folder / study_layout::index;
  write_index(study, index);
  std::size_t done = 0;
  for (const StudyTrial& trial : study.trials) done += trial.status == TrialStatus::done;
  const nlohmann::ordered_json report{{"format", "gausscse-indexed/1"},
                                      {"study", study.study},
                                      {"index", index.string()},
                                      {"trials", study.trials.size()},
                                      {"done", done}};
  print_with_report(concat(index.string(), ": ", done, " of ", study.trials.size(), " trials are done\n"),
                    json_text(report), arguments.json);
  return warn_of_damaged_files(study);
}

}  // namespace

void add_index_command(CLI::App& app, Action& action) {
  const auto [command, arguments] = add_command<IndexArguments>(
      app, action, "index", "write links to all results of a study, and a table of their metrics", run_index);
  command->add_option("RESULTS", arguments->results, "results folder of a study; its index.h5 is written")->required();
  add_json_option(*command, arguments->json, "the index's path and the number of trials");
  add_overwrite_option(*command, arguments->existing, "the file of --json");
}

}  // namespace gausscse
