#include "config/proposal/proposed_trial.hpp"

#include <algorithm>
#include <cmath>

#include "base/choice.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "config/proposal/proposed_recipe.hpp"

namespace gausscse {

namespace {

/// Steps below which a training learns little.
constexpr std::int64_t few_steps = 1000;

/// Steps that a head needs, and epochs beyond which it would only see the same few examples again.
constexpr std::int64_t steps_of_head = 2400, most_epochs = 30;

/// Measurements of a dev set in an epoch.
constexpr std::int64_t measurements_per_epoch = 10;

/// Premises that a dev set should have at least, and bounds of the share of the data that becomes one.
constexpr double wanted_dev_premises = 20, least_dev_fraction = 0.05, most_dev_fraction = 0.25;
constexpr std::size_t least_premises = 40;
constexpr const char* held_out_name = "dev";

/// Writer of a trial: sets keys one after another, each with a remark.
class Proposer {
 public:
  explicit Proposer(const ProposalRequest& request) : request_(request) {}

  ProposedTrial propose() {
    trial_ = propose_recipe(request_, proposed_.remarks);
    trial_.model.backbone.path = request_.backbone;
    remark("model.backbone.path", concat("This one has ", request_.backbone_text, "."));
    set_data();
    set_training();
    set_tasks();
    trial_.output = request_.output;
    remark("output", "The same command continues an interrupted training in it.");
    return std::move(proposed_);
  }

 private:
  void remark(const std::string& key, const std::string& why) { proposed_.remarks.push_back({key, why}); }

  void set_data() {
    const DataSample& data = request_.data;
    examples_ = data.examples(trial_.data.examples, trial_.data.triples);
    proposed_.data_text = concat(data.count_text(data.rows), data.rows == 1 ? " row gives " : " rows give ",
                                 data.count_text(examples_), " ", name_of(trial_.data.examples),
                                 data.is_whole ? "" : concat(" (the first ", data.rows_read, " rows were read)"));
    std::replace(proposed_.data_text.begin(), proposed_.data_text.end(), '_', ' ');
    trial_.data.train = request_.train;
    remark("data.train", concat("Columns: ", data.files.front().text, "; ", proposed_.data_text, "."));
    trial_.data.layout = request_.layout;
    const CorpusLayout& layout = request_.layout;
    for (const auto& [key, value] : {std::pair{"data.columns.premise", layout.premise},
                                     {"data.columns.hypothesis", layout.hypothesis},
                                     {"data.columns.label", layout.label},
                                     {"data.columns.entailed", layout.entailed},
                                     {"data.columns.contradicted", layout.contradicted},
                                     {"data.columns.score", layout.score},
                                     {"data.labels.entailment", layout.entailment},
                                     {"data.labels.neutral", layout.neutral},
                                     {"data.labels.contradiction", layout.contradiction}})
      if (!value.empty()) remark(key, "");
    if (layout.none) remark("data.labels.none", "");
    trial_.data.bad_lines = request_.bad_lines;
    if (request_.bad_lines == BadLines::skip) remark("data.bad_lines", "");
    const bool has_negatives = data.triples > 0 || data.labelled_pairs > data.pairs;
    if (!request_.dev.empty() || !has_negatives || data.premises < least_premises) return;
    const double share = wanted_dev_premises / static_cast<double>(data.premises);
    trial_.data.dev_fraction = std::round(100 * std::clamp(share, least_dev_fraction, most_dev_fraction)) / 100;
    examples_ *= 1 - trial_.data.dev_fraction;
    remark("data.dev_fraction", "The dev set, as none was given. Give a file of labels or scores by --dev instead.");
  }

  void set_training() {
    Trial::Training& training = trial_.training;
    const std::int64_t usual_batch = training.batch_size;
    // Ten steps at least, so that a training has a course.
    while (training.batch_size > 2 && static_cast<double>(training.batch_size) * 10 > examples_)
      training.batch_size /= 2;
    const double batches = examples_ / static_cast<double>(training.batch_size);
    steps_per_epoch_ = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(trial_.data.last_batch == setting::LastBatch::drop ? std::floor(batches)
                                                                                        : std::ceil(batches)));
    const bool is_head = training.parameters == setting::TrainedParameters::head;
    if (is_head)
      training.epochs =
          std::clamp<std::int64_t>((steps_of_head + steps_per_epoch_ - 1) / steps_per_epoch_, 1, most_epochs);
    proposed_.steps = steps_per_epoch_ * training.epochs;
    const bool has_few_steps = !is_head && proposed_.steps < few_steps;
    remark("training.epochs", concat("About ", counted(steps_per_epoch_, "step"), " each.",
                                     is_head ? concat(" A head learns in about ", steps_of_head, " steps.") : "",
                                     has_few_steps ? " So few steps change a model little: try more epochs." : ""));
    remark("training.batch_size",
           training.batch_size < usual_batch
               ? concat("The recipe has ", usual_batch, ", which would leave fewer than 10 steps an epoch.")
               : std::string(
                     "A larger batch has more negatives and takes more memory, which training.micro_batch bounds."));
    remark("training.learning_rate",
           has_few_steps
               ? "The recipe's. A training of few steps may want a higher one: docs/examples/first.yaml, of 80 "
                 "steps, has 4.0e-4."
               : "The recipe's.");
    set_max_tokens(training);
    training.keep_checkpoint = true;
    remark("training.keep_checkpoint", "So another run can --continue this one.");
  }

  void set_max_tokens(Trial::Training& training) {
    const SampledLengths& lengths = request_.lengths;
    const auto encoder_tokens = static_cast<std::int64_t>(lengths.encoder_tokens);
    const auto needed = static_cast<std::int64_t>(lengths.of_most);
    constexpr std::int64_t multiple = 32;
    const std::int64_t usual = training.max_tokens;
    if (needed > usual) training.max_tokens = (needed + multiple - 1) / multiple * multiple;
    training.max_tokens = std::min(training.max_tokens, encoder_tokens);
    if (training.max_tokens == usual) return;
    remark("training.max_tokens",
           concat("The recipe has ", usual, ". ",
                  training.max_tokens == encoder_tokens ? "The encoder takes no more than this. " : "",
                  "99 % of the sampled sentences have at most ", needed, ", the longest has ", lengths.longest,
                  lengths.longest == lengths.encoder_tokens ? " or more." : "."));
  }

  void set_tasks() {
    std::string dev_threshold = own_threshold;
    for (const MeasuredSet& dev : request_.dev) set_dev_task(task_of(dev, own_threshold));
    if (trial_.data.dev_fraction > 0) set_dev_task(nli_task_of(held_out_name, {}, own_threshold));
    if (!trial_.tasks.empty() && has_threshold(trial_.tasks.front())) dev_threshold = trial_.tasks.front().name;
    for (const MeasuredSet& test : request_.tests) {
      trial_.tasks.push_back(task_of(test, dev_threshold));
      const bool has_own = has_threshold(trial_.tasks.back()) && dev_threshold == own_threshold;
      remark(concat("tasks.", test.name),
             concat("Measured at the end",
                    has_own ? ", with the best threshold for this set, as no dev set gives one." : "."));
    }
  }

  void set_dev_task(TaskSettings task) {
    if (trial_.training.parameters == setting::TrainedParameters::head) return set_dev_task_of_head(std::move(task));
    task.eval_every =
        std::max<std::int64_t>(1, (steps_per_epoch_ + measurements_per_epoch / 2) / measurements_per_epoch);
    trial_.select.task = task.name;
    trial_.select.metric = metric_of(task);
    remark(concat("tasks.", task.name),
           concat(files_of(task).empty() ? "The examples that data.dev_fraction holds out. " : "", "Measured about ",
                  measurements_per_epoch, " times an epoch, and chooses the state that is kept",
                  has_threshold(task) ? " and the threshold of similarity." : "."));
    remark("select.task", "");
    remark("select.figure", concat("docs/tasks.md lists the metrics of the kind ", name_of(kind_of(task)), "."));
    if (trial_.training.epochs > 1) {
      trial_.select.patience = std::max<std::int64_t>(1, steps_per_epoch_ / task.eval_every);
      remark("select.patience", "The training ends early after an epoch without a better state.");
    }
    trial_.tasks.push_back(std::move(task));
  }

  /// The last state of a head is kept: its first one has the backbone's order of pairs, but no direction.
  void set_dev_task_of_head(TaskSettings task) {
    task.eval_every = std::max<std::int64_t>(1, (proposed_.steps + 1) / 2);
    remark(concat("tasks.", task.name),
           concat(files_of(task).empty() ? "The examples that data.dev_fraction holds out. " : "",
                  "Measured before, amid and after the training",
                  has_threshold(task) ? "; chooses the threshold of similarity." : "."));
    trial_.tasks.push_back(std::move(task));
  }

  static bool has_threshold(const TaskSettings& task) { return std::holds_alternative<NliTaskSettings>(task.of_kind); }

  static std::string metric_of(const TaskSettings& task) {
    if (has_threshold(task)) return "auprc";
    return std::holds_alternative<StsTaskSettings>(task.of_kind) ? "spearman" : "accuracy";
  }

  TaskSettings task_of(const MeasuredSet& set, const std::string& threshold) const {
    const std::filesystem::path& file = set.columns.path;
    if (set.columns.content == FileContent::scored_pairs) return {set.name, 0, StsTaskSettings{.files = {file}}};
    if (set.columns.content != FileContent::labelled_pairs)
      throw InputError(
          concat(file.string(), ": has ", set.columns.text,
                 ", and a set that is measured needs labels or scores: leave it out, or give it to --train"));
    return nli_task_of(set.name, file, threshold);
  }

  TaskSettings nli_task_of(const std::string& name, const std::filesystem::path& file,
                           const std::string& threshold) const {
    if (classifier_of(trial_.objective)) return {name, 0, NliLabelsTaskSettings{.file = file}};
    return {name, 0, NliTaskSettings{.file = file, .threshold = threshold}};
  }

  const ProposalRequest& request_;
  ProposedTrial proposed_;
  Trial& trial_ = proposed_.trial;
  double examples_ = 0;
  std::int64_t steps_per_epoch_ = 1;
};

}  // namespace

ProposedTrial propose_trial(const ProposalRequest& request) {
  return Proposer(request).propose();
}

}  // namespace gausscse
