#include "tests/experiments/manifests/small_corpora.hpp"

#include "data/sts/semeval_year.hpp"
#include "data/transfer/transfer_layout.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

/// Enough for folds of ten within folds of ten.
constexpr int examples_of_class = 40;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  write_bytes(file, text);
}

/// Returns a premise with a hypothesis of each label.
std::string snli(const std::string& name) {
  std::string text;
  for (const char* label : {"entailment", "neutral", "contradiction", "-"})
    text += concat(R"({"gold_label": ")", label, R"(", "sentence1": ")", name, R"( walks", "sentence2": ")", label,
                   " of it\"}\n");
  return text;
}

std::string full_sick(const std::string& name) {
  std::string text =
      "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tentailment_AB\tentailment_BA\tSemEval_"
      "set\n";
  for (const char* set : {"TRAIN", "TRIAL", "TEST"})
    text += concat("1\t", name, " walks\tit walks\tENTAILMENT\t4.5\tA_entails_B\tB_neutral_A\t", set, "\n2\t", name,
                   " runs\tit moves\tENTAILMENT\t5\tA_entails_B\tB_entails_A\t", set, "\n3\t", name,
                   " sits\tit stands\tNEUTRAL\t1\tA_neutral_B\tB_neutral_A\t", set, "\n");
  return text;
}

std::string semeval_sick(const std::string& name) {
  return concat("pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n1\t", name,
                " walks\tit walks\t4.5\tENTAILMENT\n2\t", name, " sits\tit stands\t1\tNEUTRAL\n3\t", name,
                " sits\tit does not sit\t3\tCONTRADICTION\n");
}

std::string sts_benchmark(const std::string& name) {
  return concat("main-captions\tMSRvid\t2012test\t1\t2.5\t", name, " walks\tit walks\n",
                "main-captions\tMSRvid\t2012test\t2\t4\t", name, " sits\tit stands\n");
}

void write_semeval_year(const fs::path& folder, int year) {
  const std::string prefix = year == 16 ? "STS2016." : "STS.";
  for (const std::string& subset : semeval_subsets(year)) {
    write(folder / concat(prefix, "input.", subset, ".txt"),
          concat(subset, " walks\tit walks\n", year, "\tit stands\n"));
    write(folder / concat(prefix, "gs.", subset, ".txt"), "4.5\n1\n");
  }
}

/// Returns a file of a transfer task, with `lines` lines a class; `line` makes one.
std::string lines_of_classes(const std::vector<std::string>& classes,
                             const std::function<std::string(const std::string& label, int i)>& line) {
  std::string text;
  for (const std::string& label : classes)
    for (int i = 0; i < examples_of_class; ++i) text += line(label, i) + "\n";
  return text;
}

std::string transfer_file(TransferDataset dataset) {
  const std::vector<std::string>& classes = layout_of(dataset).classes;
  switch (dataset) {
    case TransferDataset::sst2:
      return lines_of_classes(classes, [](const std::string& label, int i) { return concat("film ", i, "\t", label); });
    case TransferDataset::sst5:
      return lines_of_classes(classes, [](const std::string& label, int i) { return concat(label, " film ", i); });
    case TransferDataset::trec:
      return lines_of_classes(classes,
                              [](const std::string& label, int i) { return concat(label, ":x Who ", i, " ?"); });
    case TransferDataset::mrpc:
      return "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n" +
             lines_of_classes(classes, [](const std::string& label, int i) {
               return concat(label, "\t1\t2\tone ", i, "\tother ", i);
             });
    case TransferDataset::sick_entailment:
      return semeval_sick("SICK");
    case TransferDataset::mr:
    case TransferDataset::cr:
    case TransferDataset::subj:
    case TransferDataset::mpqa:
      return lines_of_classes({"x"}, [](const std::string&, int i) { return concat("film ", i); });
  }
  throw std::logic_error("no task of this number");
}

void write_senteval(const fs::path& folder) {
  for (const auto& [dataset, name] : names<TransferDataset>)
    if (dataset != TransferDataset::sick_entailment)
      for (const fs::path& file : transfer_files(dataset, folder)) write(file, transfer_file(dataset));
}

}  // namespace

void write_small_corpus(const fs::path& root, const fs::path& name) {
  const std::string text = name.native(), file = name.filename().native();
  if (text.starts_with("models/") || text == "runs/head/") {
    for (const char* part : {"config.json", "model.safetensors", "vocab.txt"}) write(root / name / part, text + part);
  } else if (text == "corpora/senteval/") {
    write_senteval(root / name);
  } else if (text.starts_with("corpora/sts/sts") && text.ends_with('/')) {
    write_semeval_year(root / name, std::stoi(text.substr(text.size() - 3)));
  } else if (file.ends_with(".jsonl")) {
    write(root / name, snli(text));
  } else if (file == "SICK.txt") {
    write(root / name, full_sick(text));
  } else if (file.starts_with("SICK_")) {
    write(root / name, semeval_sick(text));
  } else if (file.starts_with("sts-")) {
    write(root / name, sts_benchmark(text));
  } else {
    throw std::logic_error(concat(text, " is of no layout that is known here"));
  }
}

}  // namespace gausscse
