#include "config/tasks/transfer_task_settings.hpp"

#include "config/schema/key_kinds.hpp"

namespace gausscse {

Keys<TransferTaskSettings> TransferTaskSettings::keys() {
  using namespace key_kinds;
  using Transfer = TransferTaskSettings;
  return {
      required(key("files", at(&Transfer::folder), one_path("folder"),
                   "A folder laid out as SentEval's `data/downstream`.")),
      key("tasks", at(&Transfer::tasks),
          "Data sets that are classified and averaged; SimCSE averages the seven of the default, Liao SST5, too."),
      key("mode", at(&Transfer::mode), "10 folds with Adam, as papers report, or 5 with RMSprop and fewer passes."),
      key("seed", at(&Transfer::seed), integer(0, std::numeric_limits<std::uint32_t>::max()),
          "Seed of weights and of the order of examples, as in SentEval."),
  };
}

std::optional<std::vector<std::filesystem::path>> TransferTaskSettings::files_of_folder() const {
  std::vector<std::filesystem::path> files;
  for (const TransferDataset dataset : tasks)
    for (const std::filesystem::path& file : transfer_files(dataset, folder))
      if (std::filesystem::exists(file)) files.push_back(file);
  return files;
}

MetricNames TransferTaskSettings::metric_names(bool) const {
  MetricNames names{{"accuracy"}};
  for (const TransferDataset dataset : tasks) {
    for (const char* metric : {"accuracy", "dev_accuracy"})
      names.whole.push_back(concat(metric, ".", name_of(dataset)));
    if (dataset == TransferDataset::mrpc) names.whole.push_back(concat("f1.", name_of(dataset)));
  }
  return names;
}

}  // namespace gausscse
