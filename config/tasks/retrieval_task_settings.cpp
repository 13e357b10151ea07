#include "config/tasks/retrieval_task_settings.hpp"

#include "config/schema/key_kinds.hpp"
#include "config/tasks/retrieval_metrics.hpp"
#include "config/tasks/task_layout.hpp"

namespace gausscse {

Keys<RetrievalTaskSettings> RetrievalTaskSettings::keys() {
  using namespace key_kinds;
  using Retrieval = RetrievalTaskSettings;
  return with_layout_keys<Retrieval>(
      {
          required(key_kinds::key("files", at(&Retrieval::path), one_path("folder or file"),
                                  "A folder in BEIR's layout, or an NLI file.")),
          key("from", at(&Retrieval::from),
              "What gives queries and documents: a folder in BEIR's layout; entailed hypotheses and premises of an NLI "
              "file; sentences of SICK.txt that are entailed one way. Without it beir for a folder, sick for SICK.txt, "
              "nli for other files."),
          key("split", at(&Retrieval::split), text("a name"), "Name of BEIR's file of judgements, qrels/NAME.tsv."),
          key("rows", at(&Retrieval::rows), "Rows of SICK.txt that give queries: TRIAL (dev) or TEST."),
      },
      TaskPairs::labelled);
}

bool RetrievalTaskSettings::reads_beir() const {
  return from ? *from == RetrievalFrom::beir : std::filesystem::is_directory(path);
}

std::optional<std::vector<std::filesystem::path>> RetrievalTaskSettings::files_of_folder() const {
  if (!reads_beir()) return std::nullopt;
  const BeirFiles files = beir_files(path, split);
  return std::vector{files.corpus, files.queries, files.judgements};
}

MetricNames RetrievalTaskSettings::metric_names(bool has_directions) const {
  MetricNames names{.whole = {"queries", "documents"}, .of_directions = {entailed_by_prefix}};
  for (const char* prefix : {"", entailed_by_prefix, cosine_prefix}) {
    if (*prefix && !has_directions) continue;
    for (const std::string_view metric : retrieval_metrics) names.whole.push_back(concat(prefix, metric));
  }
  return names;
}

std::vector<KeyProblem> RetrievalTaskSettings::problems_in(const TrialAroundTask&) const {
  std::vector<KeyProblem> problems = problems_of_labels(layout);
  if (split.empty() || split.find('/') != std::string::npos)
    problems.push_back({"split", concat(quoted(split), " is no name of a file: give NAME of qrels/NAME.tsv")});
  const RetrievalTaskSettings defaults;
  if (reads_beir()) {
    const std::vector<KeyProblem> of_names =
        problems_of_names(layout, "has no effect on a folder in BEIR's layout: remove it");
    problems.insert(problems.end(), of_names.begin(), of_names.end());
    if (rows != defaults.rows)
      problems.push_back({"rows", "goes with SICK.txt, not with a folder in BEIR's layout: remove it"});
  } else if (split != defaults.split && (from || std::filesystem::is_regular_file(path))) {
    problems.push_back({"split", "goes with a folder in BEIR's layout, not with a file of NLI: remove it"});
  }
  return problems;
}

}  // namespace gausscse
