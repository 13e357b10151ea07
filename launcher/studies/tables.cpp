#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/output_paths.hpp"
#include "experiments/manifest/manifest.hpp"
#include "experiments/study/study_results.hpp"
#include "experiments/tables/make_table.hpp"
#include "experiments/tables/table_formats.hpp"
#include "experiments/tables/trial_items.hpp"
#include "launcher/command.hpp"
#include "launcher/json_option.hpp"
#include "launcher/overwrite_option.hpp"
#include "launcher/standard_output.hpp"
#include "launcher/studies/study_commands.hpp"
#include "results/json_report.hpp"

namespace gausscse {

namespace {

struct TablesArguments {
  std::string results;
  std::string format = std::string(name_of(TableFormat::text));
  std::string table;  ///< empty: all
  TableFlags flags;
  std::string output;  ///< empty: standard output
  std::string json;
  ExistingFile existing = ExistingFile::refuse;
};

std::vector<TableSettings> tables_of(const Manifest& manifest, const StudyResults& results, const std::string& name) {
  if (name.empty())
    return manifest.tables.empty() ? std::vector<TableSettings>{default_table(results)} : manifest.tables;
  if (const TableSettings* table = find_by(manifest.tables, &TableSettings::name, name)) return {*table};
  const std::vector<std::string> known = members_of(manifest.tables, &TableSettings::name);
  if (known.empty())
    throw InputError(concat("--table ", quoted(name), ": the study ", quoted(manifest.name),
                            " names no tables: leave the flag out to print all its metrics"));
  throw InputError(concat("--table ", quoted(name), ": the study ", quoted(manifest.name), " has no such table",
                          nearest_name(name, known), " (its tables: ", joined(known), ")"));
}

/// Names on standard error the trials that tests and intervals leave out. Returns 1 where there is such a thing, else
/// 0.
int warn_of_unread_items(const TrialItems& items) {
  const std::vector<std::string> problems = items.problems();
  for (const std::string& problem : problems) print_warning(concat("not tested: ", problem));
  return problems.empty() ? 0 : 1;
}

int run_tables(const TablesArguments& arguments, const CommonOptions& common) {
  if (!is_first_process()) return 0;
  const auto format = parse_choice<TableFormat>("--format", arguments.format);
  const TableOptions options = table_options(arguments.flags, threads_of(common));
  const StudyResults results = read_study(arguments.results);
  const Manifest manifest = read_manifest_of(results);
  const std::vector<TableSettings> settings = tables_of(manifest, results, arguments.table);
  if (!arguments.output.empty()) check_output_file("--output", arguments.output, {}, arguments.existing);
  check_report_file(arguments.json, {}, arguments.existing);
  TrialItems items;
  std::vector<StudyTable> tables;
  for (const TableSettings& table : settings) tables.push_back(make_table(table, results, options, items));
  const std::string text = format_tables(tables, format);
  if (!arguments.output.empty())
    write_file_atomically(arguments.output, text);
  else
    print_answer(is_standard_output(arguments.json) ? "" : text);
  if (!arguments.json.empty()) write_report(arguments.json, tables_json(tables));
  const int of_trials = warn_of_damaged_trials(results);
  return std::max(of_trials, warn_of_unread_items(items));
}

}  // namespace

void add_tables_command(CLI::App& app, Action& action) {
  const auto [command, arguments] = add_command<TablesArguments>(
      app, action, "tables", "print the tables of a study, with a row for each backbone", run_tables);
  command->add_option("RESULTS", arguments->results, "results folder of a study")->required();
  command->add_option("--format", arguments->format, "form of the tables")
      ->capture_default_str()
      ->check(one_of(words_of<TableFormat>()));
  command->add_option("--table", arguments->table, "print only this table");
  add_table_flags(*command, arguments->flags);
  command->add_option("--output", arguments->output, "file to write");
  add_json_option(*command, arguments->json, "the tables");
  add_overwrite_option(*command, arguments->existing, "the file of --output or --json");
}

}  // namespace gausscse
