#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"
#include "experiments/study/study_index.hpp"
#include "experiments/study/study_layout.hpp"
#include "launcher/json_option.hpp"
#include "launcher/studies/study_commands.hpp"
#include "results/json_report.hpp"

namespace gausscse {

void add_index_command(CLI::App& app, Action& action) {
  auto results = std::make_shared<std::string>(), json = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("index", "write links to all results of a study, and a table of their metrics");
  command->add_option("RESULTS", *results, "results folder of a study; its index.h5 is written")->required();
  add_json_option(*command, *json, "the index's path and the number of trials");
  command->callback([results, json, &action] {
    action = [results, json](const CommonOptions&) {
      if (!is_first_process()) return 0;
      const StudyResults study = read_study(*results);
      if (!json->empty()) check_report_file("--json", *json, {});
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
                        report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n", *json);
      return warn_of_damaged_files(study);
    };
  });
}

}  // namespace gausscse
