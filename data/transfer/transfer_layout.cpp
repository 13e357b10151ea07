#include "data/transfer/transfer_layout.hpp"

#include <stdexcept>

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
  static const std::vector<std::string> opinions{"negative", "positive"};
  static const TransferLayout mr = two_classes("MR", "rt-polarity.pos", "rt-polarity.neg", opinions);
  static const TransferLayout cr = two_classes("CR", "custrev.pos", "custrev.neg", opinions);
  static const TransferLayout subj =
      two_classes("SUBJ", "subj.objective", "subj.subjective", {"subjective", "objective"});
  static const TransferLayout mpqa = two_classes("MPQA", "mpqa.pos", "mpqa.neg", opinions);
  static const TransferLayout sst2 = sentiment_treebank("binary", {"0", "1"});
  static const TransferLayout sst5 = sentiment_treebank("fine", {"0", "1", "2", "3", "4"});
  static const TransferLayout trec{TransferProtocol::cross_validation,
                                   false,
                                   {"ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"},
                                   {"TREC/train_5500.label", "TREC/TREC_10.label"}};
  static const TransferLayout mrpc{TransferProtocol::cross_validation,
                                   true,
                                   {"0", "1"},
                                   {"MRPC/msr_paraphrase_train.txt", "MRPC/msr_paraphrase_test.txt"}};
  static const TransferLayout sick{TransferProtocol::development_set,
                                   true,
                                   {"CONTRADICTION", "NEUTRAL", "ENTAILMENT"},
                                   {"SICK/SICK_train.txt", "SICK/SICK_trial.txt", "SICK/SICK_test_annotated.txt"}};
  switch (dataset) {
    case TransferDataset::mr:
      return mr;
    case TransferDataset::cr:
      return cr;
    case TransferDataset::subj:
      return subj;
    case TransferDataset::mpqa:
      return mpqa;
    case TransferDataset::sst2:
      return sst2;
    case TransferDataset::sst5:
      return sst5;
    case TransferDataset::trec:
      return trec;
    case TransferDataset::mrpc:
      return mrpc;
    case TransferDataset::sick_entailment:
      return sick;
  }
  throw std::logic_error("no transfer task of this number");
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
