#include "config/tasks/sts_task_settings.hpp"

#include "config/schema/key_kinds.hpp"
#include "config/tasks/task_layout.hpp"

namespace gausscse {

Keys<StsTaskSettings> StsTaskSettings::keys() {
  using namespace key_kinds;
  using Sts = StsTaskSettings;
  Key<Sts> year_key = key("year", at(&Sts::year), integer(12, 16),
                          "Year of SemEval's folders, needed if the names of their subsets do not show it.");
  year_key.is_set = [](const Sts& task) { return task.year != 0; };
  return with_layout_keys<Sts>(
      {
          required(key_kinds::key(
              "files", at(&Sts::files),
              "Folders of a SemEval year; files of the STS benchmark, with a header or without; files of SICK.")),
          year_key,
          key("collapse_white_space", at(&Sts::collapse_white_space),
              "Whether runs of white space become one blank, as SentEval reads."),
      },
      TaskPairs::scored);
}

std::vector<std::filesystem::path*> StsTaskSettings::paths() {
  std::vector<std::filesystem::path*> all;
  for (std::filesystem::path& file : files) all.push_back(&file);
  return all;
}

MetricNames StsTaskSettings::metric_names(bool has_directions) const {
  MetricNames names{{"pairs", "missing_subsets"}};
  for (const char* prefix : {"", "symmetric_"}) {
    if (*prefix && !has_directions) continue;
    for (const char* metric : {"spearman", "spearman_mean", "spearman_wmean"})
      names.whole.push_back(concat(prefix, metric));
    names.beginnings.push_back(concat(prefix, "spearman."));
  }
  return names;
}

}  // namespace gausscse
