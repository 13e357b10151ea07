#include <algorithm>
#include <limits>
#include <memory>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/lists.hpp"
#include "config/schema/key_reader.hpp"
#include "config/schema/key_writer.hpp"
#include "config/schema/yaml_document.hpp"
#include "config/schema/yaml_node.hpp"
#include "experiments/manifest/manifest.hpp"
#include "experiments/manifest/manifest_draft.hpp"
#include "experiments/manifest/stage_map.hpp"
#include "results/measurement.hpp"

namespace gausscse {

namespace {

using namespace key_kinds;  // the tables below read as tables

Key<ManifestDraft> format_key() {
  return {.name = "format",
          .allowed = manifest_format,
          .meaning = "Version of the manifest format.",
          .required = true,
          .read =
              [](const YamlNode& node, const KeyContext&, ManifestDraft&) {
                if (read_text(node) != manifest_format)
                  throw ValueProblem{node.position, concat(describe(node), " is not a format this program knows")};
              },
          .write = [](const ManifestDraft&, YAML::Emitter& out) { out << manifest_format; }};
}

Codec<std::string> name_text() {
  Codec<std::string> name = text("letters, digits, dashes and underscores");
  name.read = [](const YamlNode& node, const auto&) {
    if (!is_test_name(read_text(node))) throw ValueProblem{node.position, concat(describe(node), no_name)};
    return node.text;
  };
  return name;
}

Key<ManifestDraft> tables_key() {
  return only_read<ManifestDraft>("tables", "a map from names to tables",
                                  "Tables that `gausscse tables` prints; their keys are below.",
                                  [](const YamlNode& node, const KeyContext& context, ManifestDraft& draft) {
                                    draft.manifest.tables = read_table_map(node, context);
                                  });
}

/// Returns `false` as 0, `true` as 1, and numbers in between.
Codec<double> share_of_gpu() {
  const Codec<bool> whole = boolean();
  const Codec<double> part = number({.lowest = 0, .highest = 1, .above_lowest = true});
  return {.allowed = concat(whole.allowed, ", or ", part.allowed),
          .read =
              [=](const YamlNode& node, const std::filesystem::path& base_folder) {
                const bool is_word =
                    node.kind == YamlNode::Kind::scalar && (node.text == "true" || node.text == "false");
                if (!is_word) return part.read(node, base_folder);
                return whole.read(node, base_folder) ? 1.0 : 0.0;
              },
          .write =
              [=](YAML::Emitter& out, const double& share) {
                if (share > 0 && share < 1)
                  part.write(out, share);
                else
                  whole.write(out, share > 0);
              }};
}

Keys<ManifestDraft> make_manifest_keys() {
  using Kind = YamlNode::Kind;
  return {
      format_key(),
      required(key("name", at(&ManifestDraft::manifest, &Manifest::name), name_text(),
                   "Name of the study; a results folder belongs to the study of one name.")),
      key("title", at(&ManifestDraft::manifest, &Manifest::title), text("a text"),
          "Title of the study in tables and reports."),
      key("keep_models", at(&ManifestDraft::manifest, &Manifest::keep_models),
          "Whether the models of trials are kept with their results."),
      kept_node("defaults", at(&ManifestDraft::manifest, &Manifest::defaults), Kind::map, "a trial without `output`",
                "Keys of all trials; see docs/trial.md."),
      kept_node("axes", at(&ManifestDraft::axes), Kind::map, "a map from names to maps from labels to keys of trials",
                "Axes whose values are sets of keys: AXIS: {LABEL: {KEY: VALUE, ...}, ...}."),
      required(kept_node("stages", at(&ManifestDraft::stages), Kind::map, "a map from names to stages",
                         "Stages of the study, in their order; their keys are below.")),
      key("resources.launcher", at(&ManifestDraft::manifest, &Manifest::resources, &Resources::launcher),
          "Program that starts the ranks of a trial."),
      key("resources.ranks", at(&ManifestDraft::manifest, &Manifest::resources, &Resources::ranks), integer(1, 65'536),
          "Ranks of a trial."),
      key("resources.threads", at(&ManifestDraft::manifest, &Manifest::resources, &Resources::threads),
          integer(1, 4096), "Threads of a rank."),
      key("resources.gpus", at(&ManifestDraft::manifest, &Manifest::resources, &Resources::gpus), share_of_gpu(),
          "GPU of each rank; with a number such as 0.25, four trials of one rank share a GPU."),
      key("resources.launcher_arguments",
          at(&ManifestDraft::manifest, &Manifest::resources, &Resources::launcher_arguments), texts("a list of texts"),
          "Further arguments of the launcher."),
      tables_key(),
  };
}

Codec<std::vector<std::int64_t>> distinct_seeds() {
  return {.allowed = "a list of integers from 0",
          .read =
              [](const YamlNode& node, const auto&) {
                std::vector<std::int64_t> seeds;
                for (const YamlNode& item : items_of(node, "a list of numbers")) {
                  const std::int64_t seed = read_integer_in(item, 0, std::numeric_limits<std::int64_t>::max());
                  if (is_among(seeds, seed))
                    throw ValueProblem{item.position, concat(describe(item), " is there twice")};
                  seeds.push_back(seed);
                }
                return seeds;
              },
          .write =
              [](YAML::Emitter& out, const std::vector<std::int64_t>& seeds) {
                out << YAML::Flow << YAML::BeginSeq;
                for (const std::int64_t seed : seeds) out << std::to_string(seed);
                out << YAML::EndSeq;
              }};
}

Keys<StageDraft> make_stage_keys() {
  using Kind = YamlNode::Kind;
  return {
      kept_node(
          "grid", at(&StageDraft::grid), Kind::map, "a map from axes to lists of values, or all",
          "Axes: keys of trials (training.batch_size) with values, and names of `axes` with labels. Each combination "
          "is a point."),
      key("seeds", at(&StageDraft::seeds), distinct_seeds(),
          "Values of training.seed; each point of the grid is trained with each of them."),
      kept_node("include", at(&StageDraft::include), Kind::sequence, "a list of maps from axes to labels",
                "Points besides those of the grid."),
      kept_node("exclude", at(&StageDraft::exclude), Kind::sequence,
                "a list of maps from axes to labels or lists of them",
                "Points of the grid that are left out: those with these labels on these axes."),
      key("best_of.stage", at(&StageDraft::best_of, &BestOf::stage), text("the name of an earlier stage"),
          "Earlier stage from which this stage takes the best settings."),
      key("best_of.figure", at(&StageDraft::best_of, &BestOf::figure), text("TASK.METRIC, or mean(TASK.METRIC, ...)"),
          "Metric of the state that is kept; the highest mean over seeds is the best."),
      key("best_of.within", at(&StageDraft::best_of, &BestOf::within), texts("a list of axes of both stages"),
          "Axes: one choice is made for each combination of their labels; without it, one choice for all trials."),
      key("best_of.failed", at(&StageDraft::best_of, &BestOf::failed),
          "Whether a failed trial blocks the choice, or is left out of it."),
  };
}

}  // namespace

const std::vector<YamlNode::Entry>& entries_of(const YamlNode& node, std::string_view what) {
  if (node.kind != YamlNode::Kind::map) throw ValueProblem{node.position, concat(describe(node), " is not ", what)};
  return node.entries;
}

const std::vector<YamlNode>& items_of(const YamlNode& node, std::string_view what) {
  if (node.kind != YamlNode::Kind::sequence || node.items.empty())
    throw ValueProblem{node.position, concat(describe(node), " is not ", what)};
  return node.items;
}

const Keys<ManifestDraft>& manifest_keys() {
  static const Keys<ManifestDraft> keys = make_manifest_keys();
  return keys;
}

const Keys<StageDraft>& stage_keys() {
  static const Keys<StageDraft> keys = make_stage_keys();
  return keys;
}

namespace {

template <typename Record>
std::string table_of(const Keys<Record>& keys, const std::string& prefix) {
  std::string table = reference_header;
  for (const Key<Record>& key : keys) table += reference_row(key, prefix + key.name, default_of(key, Record()));
  return table;
}

}  // namespace

std::string manifest_reference() {
  return concat(table_of(manifest_keys(), ""), "\n", table_of(stage_keys(), "stages.NAME."), "\n",
                table_of(table_keys(), "tables.NAME."), "\n", table_of(table_figure_keys(), "tables.NAME.figures."));
}

namespace {

/// Checks that the stage and axes that a table names are there; the place is that of the table.
void check_table(const TableSettings& table, const Manifest& manifest, const YamlNode& root, ProblemList& problems) {
  const YamlNode::Entry* entry = find_entry(find_entry(root, "tables")->value, table.name);
  const auto add = [&](const std::string& problem) {
    problems.add(concat(to_string(entry->position), ": tables.", table.name, problem));
  };
  const Stage* stage =
      table.stage.empty() ? &manifest.stages.back() : find_by(manifest.stages, &Stage::name, table.stage);
  if (!stage)
    return add(concat(".stage: ", quoted(table.stage), " is no stage",
                      nearest_name(table.stage, members_of(manifest.stages, &Stage::name))));
  const std::vector<std::string> axes = axes_of(manifest.stages, *stage);
  const auto check = [&](const char* key, const std::string& axis) {
    if (!is_among(axes, axis))
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
  if (draft.stages.kind == YamlNode::Kind::map) manifest.stages = read_stages(draft, context);
  if (problems.empty())
    for (TableSettings& table : manifest.tables) {
      check_table(table, manifest, root, problems);
      table.choice = choice_of(manifest.stages, table.stage);
    }
  problems.throw_if_any();
  manifest.defaults.kind = YamlNode::Kind::map;
  manifest.base_folder = absolute_folder;
  manifest.text = yaml;
  return manifest;
}

Manifest read_manifest(const std::filesystem::path& path, Links links) {
  return parse_manifest(read_whole_file(path, max_yaml_bytes, links), path.string(),
                        std::filesystem::absolute(path).parent_path());
}

}  // namespace gausscse
