#include <stdexcept>

#include "config/schema/key_kinds.hpp"
#include "config/trial/trial_keys.hpp"

namespace gausscse {

namespace {

using namespace key_kinds;  // the tables below read as tables

/// Returns a member of a task's settings of its kind.
template <typename Settings, typename... Members>
auto of(Members... members) {
  const auto inner = at<Settings>(members...);
  using Value = std::remove_reference_t<decltype(inner.get(std::declval<Settings&>()))>;
  return Field<TaskSettings, Value>{
      [inner](TaskSettings& task) -> Value& { return inner.get(std::get<Settings>(task.of_kind)); }};
}

/// Returns the key `kind`, which is read before the other keys, as they depend on it.
Key<TaskSettings> kind_key() {
  return {.name = "kind",
          .allowed = listed_words<setting::TaskKind>(),
          .meaning = "Kind of the task.",
          .required = true,
          .read = [](const YamlNode&, const KeyContext&, TaskSettings&) {},
          .write = [](const TaskSettings& task, YAML::Emitter& out) { out << std::string(name_of(kind_of(task))); }};
}

/// Returns a path, or a list of one. `what` is what lies there.
Key<TaskSettings> one_file(const Field<TaskSettings, std::filesystem::path>& field, const std::string& meaning,
                           const std::string& what = "file") {
  Key<TaskSettings> key = path("files", field, meaning);
  key.allowed = "a path, or a list of one";
  key.read = [=](const YamlNode& node, const KeyContext& context, TaskSettings& task) {
    const std::vector<std::filesystem::path> files = read_paths(node, context.base_folder);
    if (files.size() != 1) throw ValueProblem{node.position, concat("a task of this kind takes one ", what)};
    field.get(task) = files.front();
  };
  return required(key);
}

Keys<TaskSettings> with_common_keys(Keys<TaskSettings> of_kind) {
  Keys<TaskSettings> keys{kind_key()};
  for (Key<TaskSettings>& key : of_kind) keys.push_back(std::move(key));
  keys.push_back(integer("eval_every", at(&TaskSettings::eval_every), 0, many,
                         "Steps between evaluations during training; 0: evaluate only at the end."));
  return keys;
}

Key<TaskSettings> threshold_key() {
  const auto field = of<NliTaskSettings>(&NliTaskSettings::threshold);
  Key<TaskSettings> key = text(
      "threshold", field, "own, the name of another NLI task, or a number",
      "Smallest similarity that counts as entailment: the best for the set itself, that of another task, or a number.");
  key.read = [=](const YamlNode& node, const KeyContext&, TaskSettings& task) {
    if (read_text(node).empty()) throw ValueProblem{node.position, "the text is empty"};
    field.get(task) = node.text;
  };
  return key;
}

Keys<TaskSettings> nli_keys() {
  using Nli = NliTaskSettings;
  return with_common_keys({
      one_file(of<Nli>(&Nli::file), "NLI file: jsonl or txt of SNLI and MNLI, SICK.txt or another file of SICK."),
      threshold_key(),
      optional_choice("rows", of<Nli>(&Nli::rows),
                      "Rows of SICK.txt: TRIAL (dev) or TEST; without it dev if the threshold is own, else test."),
      optional_choice("two_way_pairs", of<Nli>(&Nli::two_way_pairs), "As `evaluation.two_way_pairs`, for this task."),
      optional_choice("no_gold_label", of<Nli>(&Nli::no_gold_label), "As `evaluation.no_gold_label`, for this task."),
      optional_choice("auprc", of<Nli>(&Nli::auprc), "As `evaluation.auprc`, for this task."),
      text("by", of<Nli>(&Nli::by), "a column or JSON key of the file",
           "Metrics are computed for each value of this key as well, such as genre or category."),
  });
}

Keys<TaskSettings> sts_keys() {
  using Sts = StsTaskSettings;
  Key<TaskSettings> year = integer("year", of<Sts>(&Sts::year), 12, 16,
                                   "Year of SemEval's folders, needed if the names of their subsets do not show it.");
  year.is_set = [](const TaskSettings& task) { return std::get<Sts>(task.of_kind).year != 0; };
  return with_common_keys({
      required(
          paths("files", of<Sts>(&Sts::files),
                "Folders of a SemEval year; files of the STS benchmark, with a header or without; files of SICK.")),
      year,
      boolean("collapse_white_space", of<Sts>(&Sts::collapse_white_space),
              "Whether runs of white space become one blank, as SentEval reads."),
  });
}

Keys<TaskSettings> geometry_keys() {
  using Geometry = GeometryTaskSettings;
  using Measured = GeometrySettings;
  return with_common_keys({
      one_file(of<Geometry>(&Geometry::file), "Text file, one sentence per line, or a file of the STS benchmark."),
      boolean("pads", of<Geometry>(&Geometry::measured, &Measured::pads),
              "Whether padding counts as a token id, as in the released notebook."),
      integer("samples", of<Geometry>(&Geometry::measured, &Measured::samples), 2, 100'000,
              "Sentences of a sampled metric."),
      integer("draws", of<Geometry>(&Geometry::measured, &Measured::draws), 0, 1000,
              "Number of samples over which informativity is averaged; 0: it is not measured."),
      integer("seed", of<Geometry>(&Geometry::measured, &Measured::seed), 0, std::numeric_limits<std::int64_t>::max(),
              "Seed of the samples."),
      boolean("vectors", of<Geometry>(&Geometry::measured, &Measured::vectors),
              "Whether the result keeps each sentence's vector, the mean of its tokens' states in the last layer."),
      integer("vectors_at", of<Geometry>(&Geometry::vectors_at), 0, 1'000'000'000,
              "Step, a multiple of eval_every, after which the result keeps the measurement and its vectors as the "
              "state step_N; 0: none."),
  });
}

Keys<TaskSettings> nli_labels_keys() {
  using Labels = NliLabelsTaskSettings;
  return with_common_keys({
      one_file(of<Labels>(&Labels::file), "NLI file: jsonl or txt of SNLI and MNLI, SICK.txt or another file of SICK."),
      choice("rows", of<Labels>(&Labels::rows), "Rows of SICK.txt: TRIAL (dev) or TEST."),
  });
}

Keys<TaskSettings> transfer_keys() {
  using Transfer = TransferTaskSettings;
  return with_common_keys({
      one_file(of<Transfer>(&Transfer::folder), "A folder laid out as SentEval's `data/downstream`.", "folder"),
      choices("tasks", of<Transfer>(&Transfer::tasks),
              "Data sets that are classified and averaged; SimCSE averages the seven of the default, Liao SST5, too."),
      choice("mode", of<Transfer>(&Transfer::mode),
             "10 folds with Adam, as papers report, or 5 with RMSprop and fewer passes."),
      integer("seed", of<Transfer>(&Transfer::seed), 0, std::numeric_limits<std::uint32_t>::max(),
              "Seed of weights and of the order of examples, as in SentEval."),
  });
}

}  // namespace

const Keys<TaskSettings>& task_keys(setting::TaskKind kind) {
  static const Keys<TaskSettings> nli = nli_keys(), sts = sts_keys(), geometry = geometry_keys(),
                                  nli_labels = nli_labels_keys(), transfer = transfer_keys();
  switch (kind) {
    case setting::TaskKind::nli:
      return nli;
    case setting::TaskKind::sts:
      return sts;
    case setting::TaskKind::geometry:
      return geometry;
    case setting::TaskKind::nli_labels:
      return nli_labels;
    case setting::TaskKind::transfer:
      return transfer;
  }
  throw std::logic_error("no kind of task of this number");
}

}  // namespace gausscse
