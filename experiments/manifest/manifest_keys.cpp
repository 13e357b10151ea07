#include <limits>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "config/schema/key_writer.hpp"
#include "config/schema/yaml_node.hpp"
#include "experiments/manifest/manifest.hpp"
#include "experiments/manifest/manifest_draft.hpp"
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
      key("best_of.figure", at(&StageDraft::best_of, &BestOf::metric), text("TASK.METRIC, or mean(TASK.METRIC, ...)"),
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
                table_of(table_keys(), "tables.NAME."), "\n", table_of(table_metric_keys(), "tables.NAME.figures."));
}

}  // namespace gausscse
