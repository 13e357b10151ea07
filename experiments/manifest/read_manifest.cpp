#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/lists.hpp"
#include "config/schema/key_reader.hpp"
#include "config/schema/yaml_document.hpp"
#include "experiments/manifest/manifest_draft.hpp"
#include "experiments/manifest/plan.hpp"
#include "experiments/manifest/stage_map.hpp"

namespace gausscse {

namespace {

/// Checks that the stage and axes that a table names are there; the place is that of the table.
void check_table(const TableSettings& table, const Manifest& manifest, const YamlNode& root, ProblemList& problems) {
  const YamlNode::Entry* entry = find_entry(find_entry(root, "tables")->value, table.name);
  const auto add = [&](const std::string& problem) {
    problems.add(concat(to_string(entry->position), ": tables.", table.name, problem));
  };
  const YamlNode& stages = find_entry(root, "stages")->value;
  const std::string& name = table.stage.empty() ? stages.entries.back().key : table.stage;
  const Stage* stage = find_by(manifest.stages, &Stage::name, name);
  // A stage that cannot be read has its own problem.
  if (!stage && find_entry(stages, name)) return;
  if (!stage)
    return add(concat(".stage: ", quoted(table.stage), " is no stage",
                      nearest_name(table.stage, members_of(manifest.stages, &Stage::name))));
  const std::vector<std::string> axes = axes_of(manifest.stages, *stage);
  const auto check = [&](const char* key, const std::string& axis) {
    if (!is_among(axes, axis) && std::none_of(manifest.stages.begin(), manifest.stages.end(),
                                              [&](const Stage& s) { return is_unread(s, axis); }))
      add(concat(key, ": ", quoted(axis), " is no axis of the stage ", stage->name, nearest_name(axis, axes)));
  };
  for (const std::string& axis : table.rows) check(".rows", axis);
  for (const std::string& axis : table.columns) check(".columns", axis);
  if (!table.compare.empty()) check(".compare", table.compare);
  for (const auto& [column, axis] : table.paper.columns) check(".paper.columns", axis);
  for (const std::string& axis : table.rows)
    if (is_among(table.columns, axis)) add(concat(": ", quoted(axis), " is among rows and columns"));
  if (table.paper.source.empty() != table.paper.table.empty()) add(".paper: source and table go together");
}

}  // namespace

Manifest parse_manifest(std::string_view yaml, std::string_view source, const std::filesystem::path& base_folder) {
  const YamlNode root = parse_yaml_document(yaml, std::make_shared<const std::string>(source));
  if (root.kind != YamlNode::Kind::map)
    throw InputError(concat(source, ": is not a map of keys: begin with format: ", manifest_format));
  const std::filesystem::path absolute_folder = std::filesystem::absolute(base_folder);
  ManifestDraft draft;
  // Other keys are no mistakes until the format is known to be this one.
  ProblemList of_format;
  KeyReader(manifest_keys(), KeyContext{absolute_folder, of_format}).read_alone(root, "format", draft);
  of_format.throw_if_any();
  ProblemList problems;
  const KeyContext context{absolute_folder, problems};
  KeyReader(manifest_keys(), context).read_all(root, draft);
  Manifest manifest = std::move(draft.manifest);
  if (const YamlNode::Entry* output = find_entry(manifest.defaults, "output"))
    problems.add(concat(to_string(output->position),
                        ": defaults.output: each trial has its own folder in the results folder: remove it"));
  manifest.defaults.kind = YamlNode::Kind::map;
  manifest.base_folder = absolute_folder;
  manifest.text = yaml;
  ProblemList of_stages;
  if (draft.stages.kind == YamlNode::Kind::map) manifest.stages = read_stages(draft, {absolute_folder, of_stages});
  problems.add(of_stages);
  if (!draft.stages.entries.empty()) {
    for (TableSettings& table : manifest.tables) {
      check_table(table, manifest, root, problems);
      table.choice = choice_of(manifest.stages, table.stage);
    }
  }
  // All problems at once: a study without any is looked at when it is planned.
  if (!problems.empty())
    add_problems_of_trials(manifest, !of_stages.empty() || !find_entry(root, "defaults"), problems);
  problems.throw_if_any();
  return manifest;
}

Manifest read_manifest(const std::filesystem::path& path, Links links) {
  return parse_manifest(read_whole_file(path, max_yaml_bytes, links), path.string(),
                        std::filesystem::absolute(path).parent_path());
}

}  // namespace gausscse
