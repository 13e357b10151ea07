#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/output_paths.hpp"
#include "experiments/manifest/manifest.hpp"
#include "experiments/report/sections/report_page.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/tables/make_table.hpp"
#include "experiments/tables/trial_items.hpp"
#include "launcher/overwrite_option.hpp"
#include "launcher/standard_output.hpp"
#include "launcher/studies/study_commands.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  std::string results;
  std::string output = "report.html";
  TableFlags tables;
  ExistingFile existing = ExistingFile::refuse;
};

/// Title and tables that the manifest adds to the results.
struct OfManifest {
  std::string title;
  std::vector<TableSettings> tables;
  bool is_damaged = false;  ///< it is there, and cannot be read or is not the one of the plan
};

/// Reads titles. A page is worth having without its manifest, which may be of another version of the program.
OfManifest read_titles(const StudyResults& results, std::vector<std::string>& notes) {
  OfManifest found;
  try {
    const Manifest manifest = read_manifest_of(results);
    found = {manifest.title, manifest.tables, false};
  } catch (const InputError& error) {
    std::error_code ignored;
    found.is_damaged = fs::exists(results.folder / study_layout::manifest, ignored);
    notes.push_back(concat("The manifest cannot be read, so its title and tables are missing: ", error.what()));
  }
  return found;
}

/// Returns each table by itself: one that cannot be made is a note.
std::vector<StudyTable> tables_of_page(std::vector<TableSettings> settings, const StudyResults& results,
                                       const TableOptions& options, TrialItems& items,
                                       std::vector<std::string>& notes) {
  if (settings.empty() && !results.trials.empty()) settings = {default_table(results)};
  std::vector<StudyTable> tables;
  for (const TableSettings& table : settings) {
    try {
      tables.push_back(make_table(table, results, options, items));
    } catch (const InputError& error) {
      notes.push_back(concat("The table ", quoted(table.name), " is missing: ", error.what()));
    }
  }
  return tables;
}

/// Returns "14 of 18 trials are done", and how many of them are untrained.
std::string counts_of(const StudyResults& results) {
  const auto count = [&](const auto& holds) {
    return std::count_if(results.trials.begin(), results.trials.end(), holds);
  };
  const auto done = count([](const StudyTrial& trial) { return trial.status == TrialStatus::done; });
  const auto untrained = count([](const StudyTrial& trial) { return kept_untrained_state(trial); });
  return concat(done, " of ", results.trials.size(), " trials are done",
                untrained > 0 ? concat(", ", untrained, " of these kept the untrained state") : "");
}

int run_report(const ReportArguments& arguments, const CommonOptions& common) {
  if (!is_first_process()) return 0;
  const TableOptions options = table_options(arguments.tables, threads_of(common));
  const StudyResults results = read_study(arguments.results);
  check_output_file("--output", arguments.output, {}, arguments.existing);
  std::vector<std::string> notes;
  const OfManifest found = read_titles(results, notes);
  TrialItems items;
  // Before the tables, which then find the items that they test: each result is read once.
  const bool are_tested = std::any_of(found.tables.begin(), found.tables.end(),
                                      [](const TableSettings& table) { return !table.compare.empty(); });
  const ReportData data = gather_report(
      results, [&](const StudyTrial& trial) { return shown_result(trial, are_tested ? &items : nullptr); });
  const std::vector<StudyTable> tables = tables_of_page(found.tables, results, options, items, notes);
  const std::optional<Headline> headline =
      find_headline(results, data, found.tables.empty() ? nullptr : &found.tables.front(), options, items);
  std::vector<std::string> notes_of_page = notes;
  notes_of_page.insert(notes_of_page.end(), results.doubts.begin(), results.doubts.end());
  write_file_atomically(arguments.output, report_page({results, data, found.title, tables, notes_of_page, headline}));
  print_text(concat(arguments.output, ": ", counts_of(results), "\n"));
  for (const auto* problems : {&std::as_const(notes), &data.problems})
    for (const std::string& problem : *problems) print_warning(problem);
  const int of_trials = warn_of_damaged_trials(results);
  return found.is_damaged || !data.problems.empty() ? 1 : of_trials;
}

}  // namespace

void add_report_command(CLI::App& app, Action& action) {
  const auto [command, arguments] = add_command<ReportArguments>(
      app, action, "report", "write a study as one HTML page, with the metrics of its backbones", run_report);
  command->add_option("RESULTS", arguments->results, "results folder of a study")->required();
  command->add_option("--output", arguments->output, "file of the page")->capture_default_str();
  add_table_flags(*command, arguments->tables);
  add_overwrite_option(*command, arguments->existing, "the page");
}

}  // namespace gausscse
