#include "data/transfer/transfer_layout.hpp"

#include <array>

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// Returns the layout of two files, of label 1 and of label 0.
TransferLayout two_classes(const std::string& folder, const std::string& first, const std::string& second,
                           std::vector<std::string> classes) {
  return {TransferProtocol::nested_cross_validation,
          false,
          std::move(classes),
          {fs::path(folder) / first, fs::path(folder) / second}};
}

TransferLayout sentiment_treebank(const std::string& folder, std::vector<std::string> classes) {
  const fs::path files = fs::path("SST") / folder;
  return {TransferProtocol::development_set,
          false,
          std::move(classes),
          {files / "sentiment-train", files / "sentiment-dev", files / "sentiment-test"}};
}

}  // namespace

const TransferLayout& layout_of(TransferDataset dataset) {
  using enum TransferProtocol;
  static const std::vector<std::string> opinions{"negative", "positive"};
  // In the order of TransferDataset.
  static const auto layouts = std::to_array<TransferLayout>(
      {two_classes("MR", "rt-polarity.pos", "rt-polarity.neg", opinions),
       two_classes("CR", "custrev.pos", "custrev.neg", opinions),
       two_classes("SUBJ", "subj.objective", "subj.subjective", {"subjective", "objective"}),
       two_classes("MPQA", "mpqa.pos", "mpqa.neg", opinions),
       sentiment_treebank("binary", {"0", "1"}),
       sentiment_treebank("fine", {"0", "1", "2", "3", "4"}),
       {cross_validation,
        false,
        {"ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"},
        {"TREC/train_5500.label", "TREC/TREC_10.label"}},
       {cross_validation, true, {"0", "1"}, {"MRPC/msr_paraphrase_train.txt", "MRPC/msr_paraphrase_test.txt"}},
       {development_set,
        true,
        {"CONTRADICTION", "NEUTRAL", "ENTAILMENT"},
        {"SICK/SICK_train.txt", "SICK/SICK_trial.txt", "SICK/SICK_test_annotated.txt"}}});
  static_assert(std::tuple_size_v<decltype(layouts)> == names<TransferDataset>.size());
  return layouts.at(static_cast<std::size_t>(dataset));
}

std::vector<fs::path> transfer_files(TransferDataset dataset, const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::path& file : layout_of(dataset).files) files.push_back(folder / file);
  return files;
}

std::vector<fs::path> missing_transfer_files(TransferDataset dataset, const fs::path& folder) {
  std::vector<fs::path> missing;
  for (const fs::path& file : transfer_files(dataset, folder))
    if (!fs::exists(file)) missing.push_back(file);
  return missing;
}

}  // namespace gausscse
