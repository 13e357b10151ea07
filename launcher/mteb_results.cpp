#include "launcher/mteb_results.hpp"

#include <algorithm>
#include <optional>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/output_paths.hpp"
#include "evaluation/mteb/known_tasks.hpp"
#include "launcher/version.hpp"

namespace gausscse {

namespace {

const TaskSettings* find_task(const std::vector<TaskSettings>& settings, const std::string& name) {
  const auto found =
      std::find_if(settings.begin(), settings.end(), [&](const TaskSettings& task) { return task.name == name; });
  return found == settings.end() ? nullptr : &*found;
}

void check_kind(const TaskSettings& task, const std::string& name) {
  const setting::TaskKind kind = kind_of(task);
  if (kind != setting::TaskKind::sts && kind != setting::TaskKind::nli)
    throw InputError(concat("--mteb-task ", task.name, "=", name, ": a task of kind ", name_of(kind),
                            " is none of MTEB's, or measured in another way there: only sts and nli can be written"));
  if (kind == setting::TaskKind::nli && mteb::pairs_of_sts_task(name))
    throw InputError(concat("--mteb-task ", task.name, "=", name, ": the task is of kind nli, but MTEB's ", name,
                            " is one of sts: give the name of a pair classification"));
}

std::string data_revision(const TaskSettings& task) {
  std::string hashes = concat("kind ", name_of(kind_of(task)), "\n");
  for (const std::filesystem::path& file : content_files_of(task))
    hashes += concat(file.filename().string(), " ", content_hash(file), "\n");
  return "files-" + content_hash_of(hashes);
}

std::vector<std::string> names_at_mteb(const MtebNames& names) {
  std::vector<std::string> all;
  for (const auto& [task, name] : names) all.push_back(name);
  return all;
}

}  // namespace

MtebNames names_for_mteb(const MtebArguments& arguments, const std::vector<TaskSettings>& settings) {
  MtebNames names;
  if (arguments.folder.empty()) return names;
  for (const std::string& given : arguments.tasks) {
    const std::size_t equals = given.find('=');
    if (equals == std::string::npos) throw InputError(concat("--mteb-task ", quoted(given), ": give TASK=NAME"));
    const std::string task = given.substr(0, equals), name = given.substr(equals + 1);
    const TaskSettings* found = find_task(settings, task);
    if (!found) {
      std::vector<std::string> all;
      for (const TaskSettings& each : settings) all.push_back(each.name);
      throw InputError(concat("--mteb-task ", given, ": there is no task ", quoted(task), nearest_name(task, all)));
    }
    check_kind(*found, name);
    for (const auto& [other, other_name] : names)
      if (other_name == name || other == task)
        throw InputError(concat("--mteb-task ", given, ": ", quoted(other), " is ", other_name,
                                " already: each task has one name, and each name one task"));
    names.emplace(task, name);
  }
  return names;
}

void check_pairs_for_mteb(const MtebNames& names, const TaskList& tasks) {
  for (const ListedTask& listed : tasks) {
    const auto name = names.find(listed.task->name());
    if (name == names.end()) continue;
    const auto pairs = mteb::pairs_of_sts_task(name->second);
    if (pairs && *pairs != listed.pairs)
      throw InputError(concat("--mteb-task ", name->first, "=", name->second, ": MTEB's ", name->second, " has ",
                              *pairs, " pairs, but the task has ", listed.pairs, ", so its metrics are not those of ",
                              name->second, ": give the task all of its files, and no others, or another name"));
  }
}

void check_mteb_output(const MtebArguments& arguments, const std::vector<TaskSettings>& settings,
                       const std::string& report) {
  const MtebNames names = names_for_mteb(arguments, settings);
  if (names.empty()) return;
  const auto revision = arguments.revision.empty() ? std::nullopt : std::optional(arguments.revision);
  mteb::check_results(arguments.folder, arguments.model, revision, names_at_mteb(names));
  const std::filesystem::path results = mteb::folder_of_model(arguments.folder, arguments.model);
  if (!report.empty() && lies_in(report, results))
    throw InputError(concat("--json ", report, " lies among the results of --mteb-json, in ", results.string(),
                            ": give another path"));
}

mteb::ResultFolder folder_for_mteb(const MtebArguments& arguments, const MtebNames& names, const SentenceModel& model) {
  const std::int64_t width = model.embedder->width();
  mteb::ModelDescription description{
      .name = arguments.model,
      .revision = arguments.revision.empty() ? content_hash_of(model.agreement) : arguments.revision,
      .parameters = model.parameters,
      .embedding_parameters = model.embedding_parameters,
      .width = is_gaussian(model.properties.similarity) ? width / 2 : width,
      .cosine = !is_gaussian(model.properties.similarity)};
  if (model.max_tokens != no_limit_of_tokens) description.max_tokens = static_cast<std::int64_t>(model.max_tokens);
  return {arguments.folder, std::move(description), names_at_mteb(names), version()};
}

std::vector<mteb::TaskScores> results_for_mteb(const MtebNames& names, const std::vector<TaskSettings>& settings,
                                               const std::vector<Measurement>& measurements) {
  std::vector<mteb::TaskScores> results;
  for (const Measurement& measured : measurements)
    if (const auto name = names.find(measured.task); name != names.end())
      results.push_back(
          {name->second, data_revision(*find_task(settings, measured.task)), measured.mteb_scores, measured.seconds});
  return results;
}

}  // namespace gausscse
