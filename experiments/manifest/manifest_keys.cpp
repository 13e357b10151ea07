#include <algorithm>
#include <limits>

#include "experiments/manifest/manifest_draft.hpp"
#include "experiments/manifest/map_entries.hpp"
#include "experiments/manifest/table_map.hpp"
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

Key<ManifestDraft> name_key() {
  const auto field = at(&ManifestDraft::manifest, &Manifest::name);
  Key<ManifestDraft> key = text("name", field, "letters, digits, dashes and underscores",
                                "Name of the study; a results folder belongs to the study of one name.");
  key.read = [=](const YamlNode& node, const KeyContext&, ManifestDraft& draft) {
    if (!is_test_name(read_text(node)))
      throw ValueProblem{node.position,
                         concat(describe(node), " is not 1 to 64 letters, digits, dashes and underscores")};
    field.get(draft) = node.text;
  };
  return required(key);
}

Key<ManifestDraft> tables_key() {
  return {.name = "tables",
          .allowed = "a map from names to tables",
          .meaning = "Tables that `gausscse tables` prints; their keys are below.",
          .read = [](const YamlNode& node, const KeyContext& context,
                     ManifestDraft& draft) { draft.manifest.tables = read_table_map(node, context); },
          .is_set = [](const ManifestDraft&) { return false; },
          .write = {}};
}

Keys<ManifestDraft> make_manifest_keys() {
  using Kind = YamlNode::Kind;
  return {
      format_key(),
      name_key(),
      text("title", at(&ManifestDraft::manifest, &Manifest::title), "a text",
           "Title of the study in tables and reports."),
      boolean("keep_models", at(&ManifestDraft::manifest, &Manifest::keep_models),
              "Whether the models of trials are kept with their results."),
      kept_node("defaults", at(&ManifestDraft::manifest, &Manifest::defaults), Kind::map, "a trial without `output`",
                "Keys of all trials; see docs/trial.md."),
      kept_node("axes", at(&ManifestDraft::axes), Kind::map, "a map from names to maps from labels to keys of trials",
                "Axes whose values are sets of keys: AXIS: {LABEL: {KEY: VALUE, ...}, ...}."),
      required(kept_node("stages", at(&ManifestDraft::stages), Kind::map, "a map from names to stages",
                         "Stages of the study, in their order; their keys are below.")),
      choice("resources.launcher", at(&ManifestDraft::manifest, &Manifest::resources, &Resources::launcher),
             "Program that starts the ranks of a trial."),
      integer("resources.ranks", at(&ManifestDraft::manifest, &Manifest::resources, &Resources::ranks), 1, 65'536,
              "Ranks of a trial."),
      integer("resources.threads", at(&ManifestDraft::manifest, &Manifest::resources, &Resources::threads), 1, 4096,
              "Threads of a rank."),
      boolean("resources.gpus", at(&ManifestDraft::manifest, &Manifest::resources, &Resources::gpus),
              "Whether each rank has its own GPU."),
      texts("resources.launcher_arguments",
            at(&ManifestDraft::manifest, &Manifest::resources, &Resources::launcher_arguments), "a list of texts",
            "Further arguments of the launcher."),
      tables_key(),
  };
}

Key<StageDraft> seeds_key() {
  const auto field = at(&StageDraft::seeds);
  return {.name = "seeds",
          .allowed = "a list of integers from 0",
          .meaning = "Values of training.seed; each point of the grid is trained with each of them.",
          .read =
              [=](const YamlNode& node, const KeyContext&, StageDraft& stage) {
                if (node.kind != YamlNode::Kind::sequence || node.items.empty())
                  throw ValueProblem{node.position, concat(describe(node), " is not a list of numbers")};
                std::vector<std::int64_t>& seeds = field.get(stage);
                seeds.clear();
                for (const YamlNode& item : node.items) {
                  const std::int64_t seed = read_integer_in(item, 0, std::numeric_limits<std::int64_t>::max());
                  if (std::find(seeds.begin(), seeds.end(), seed) != seeds.end())
                    throw ValueProblem{item.position, concat(describe(item), " is there twice")};
                  seeds.push_back(seed);
                }
              },
          .write =
              [=](const StageDraft& stage, YAML::Emitter& out) {
                out << YAML::Flow << YAML::BeginSeq;
                for (const std::int64_t seed : field.of(stage)) out << std::to_string(seed);
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
      seeds_key(),
      kept_node("include", at(&StageDraft::include), Kind::sequence, "a list of maps from axes to labels",
                "Points besides those of the grid."),
      kept_node("exclude", at(&StageDraft::exclude), Kind::sequence,
                "a list of maps from axes to labels or lists of them",
                "Points of the grid that are left out: those with these labels on these axes."),
      text("best_of.stage", at(&StageDraft::best_of, &BestOf::stage), "the name of an earlier stage",
           "Earlier stage from which this stage takes the best settings."),
      text("best_of.figure", at(&StageDraft::best_of, &BestOf::figure), "TASK.METRIC",
           "Metric of the state that is kept; the highest mean over seeds is the best."),
      texts("best_of.within", at(&StageDraft::best_of, &BestOf::within), "a list of axes of both stages",
            "Axes: one choice is made for each combination of their labels; without it, one choice for all trials."),
      choice("best_of.failed", at(&StageDraft::best_of, &BestOf::failed),
             "Whether a failed trial blocks the choice, or is left out of it."),
  };
}

}  // namespace

const Keys<ManifestDraft>& manifest_keys() {
  static const Keys<ManifestDraft> keys = make_manifest_keys();
  return keys;
}

const Keys<StageDraft>& stage_keys() {
  static const Keys<StageDraft> keys = make_stage_keys();
  return keys;
}

}  // namespace gausscse
