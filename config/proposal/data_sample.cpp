#include "config/proposal/data_sample.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "data/corpus/corpus_readers.hpp"
#include "data/corpus/string_table.hpp"
#include "data/source/text_source.hpp"
#include "data/sts/sts_file.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

/// Bytes of all files together that are looked at behind the sampled rows: some seconds of a disk.
constexpr std::size_t max_counted_bytes = std::size_t{1} << 30;

[[noreturn]] void refuse_columns(const RowSource& rows) {
  rows.refuse_header(concat("these names are not known",
                            rows.is_json() ? "" : " (the first line must name the columns)",
                            ": name them by --columns premise=NAME,entailed=NAME,contradicted=NAME (triples; pairs "
                            "without negatives have no contradicted), or premise=NAME,hypothesis=NAME,label=NAME "
                            "(pairs with labels)"));
}

/// Source that counts its bytes. It gives few at a time, so that readers are never far ahead of their rows.
class CountedSource final : public ByteSource {
 public:
  explicit CountedSource(const fs::path& path) : source_(path) {}

  std::size_t read(char* buffer, std::size_t capacity) override {
    const std::size_t count = source_.read(buffer, std::min<std::size_t>(capacity, 512));
    bytes_ += count;
    at_end_ = count == 0;
    return count;
  }

  std::size_t bytes() const { return bytes_; }
  bool at_end() const { return at_end_; }

  /// Reads on to the end, but at most about `most` bytes.
  void read_rest(std::size_t most) {
    std::vector<char> buffer(std::size_t{1} << 20);
    for (std::size_t rest = 0; !at_end_ && rest < most;) {
      const std::size_t count = source_.read(buffer.data(), buffer.size());
      rest += count;
      bytes_ += count;
      at_end_ = count == 0;
    }
  }

 private:
  TextSource source_;
  std::size_t bytes_ = 0;
  bool at_end_ = false;
};

FileContent content_of(const RowSource& rows, bool has_scores, const CorpusLayout& layout) {
  std::optional<CorpusFormat> format;
  try {
    format = recognise_format(rows, layout);
  } catch (const InputError&) {
    if (has_scores) return FileContent::scored_pairs;
    refuse_columns(rows);
  }
  if (format == CorpusFormat::triples)
    return has_contradictions(rows, layout) ? FileContent::triples : FileContent::pairs;
  // The reader names the fault of a first row without any key.
  if (format != CorpusFormat::nli || has_labels(rows, layout) || rows.header().empty())
    return FileContent::labelled_pairs;
  if (has_scores) return FileContent::scored_pairs;
  refuse_columns(rows);
}

/// Examples of some rows.
struct ExampleCounts {
  std::size_t triples = 0, pairs = 0, labelled_pairs = 0;
};

/// Reader of the beginnings of files.
class Sampler {
 public:
  Sampler(const CorpusLayout& layout, BadLines bad_lines, std::size_t max_rows, bool with_contradictions)
      : layout_(layout), bad_lines_(bad_lines), max_rows_(max_rows), with_contradictions_(with_contradictions) {}

  /// Adds a file, of which at most about `max_bytes` are looked at behind the sample.
  void add(const FileColumns& file, std::size_t max_bytes) {
    CountedSource source(file.path);
    ReadReport report;
    const ExampleCounts counts = file.content == FileContent::labelled_pairs
                                     ? read_labelled(source, file.path.string(), report)
                                     : read_triples(source, file.path.string(), report);
    double scale = 1;
    if (!source.at_end()) {
      const auto bytes_of_sample = static_cast<double>(source.bytes());
      source.read_rest(max_bytes);
      scale = static_cast<double>(source.bytes()) / bytes_of_sample;
      sample_.is_whole = false;
      if (!source.at_end()) sample_.is_lower_bound = true;
    }
    const auto scaled = [&](std::size_t count) { return scale * static_cast<double>(count); };
    sample_.rows_read += report.good_lines;
    sample_.rows += scaled(report.good_lines);
    sample_.triples += scaled(counts.triples);
    sample_.pairs += scaled(counts.pairs);
    sample_.labelled_pairs += scaled(counts.labelled_pairs);
    sample_.reports.push_back(std::move(report));
  }

  /// Returns the sample of all files. Premises of labelled pairs are gathered over all files. In a part of the rows
  /// most of a premise's hypotheses may be missing; then the rarer label bounds the triples.
  DataSample finish() {
    std::size_t premises_of_triples = 0, of_every_entailment = 0;
    hypotheses_.for_each_group([&](const HypothesesOfPremises::Group& group) {
      ++sample_.premises;
      premises_of_triples += !group.entailed.empty() && !group.contradicted.empty();
      const std::size_t kinds = !group.contradicted.empty() + !group.neutral.empty();
      of_every_entailment += group.entailed.size() * std::max<std::size_t>(kinds, 1);
    });
    const bool is_labelled = sample_.labelled_pairs > 0;
    sample_.triples_of_every_entailment = is_labelled ? sample_.pairs : sample_.triples;
    if (sample_.is_whole && is_labelled) {
      sample_.triples = static_cast<double>(premises_of_triples);
      sample_.triples_of_every_entailment = static_cast<double>(of_every_entailment);
    }
    return std::move(sample_);
  }

  const std::string& labels_text() const { return labels_text_; }

 private:
  ExampleCounts read_labelled(ByteSource& source, const std::string& name, ReadReport& report) {
    const ReadOptions options{.bad_lines = bad_lines_, .sick_set = "TRAIN", .layout = layout_, .max_rows = max_rows_};
    for_each_nli_pair(source, name, options, report, [&](NliPair&& pair) {
      hypotheses_.add(pair);
      sample_.sentences.push_back(std::move(pair.premise));
      sample_.sentences.push_back(std::move(pair.hypothesis));
    });
    labels_text_ += (labels_text_.empty() ? "" : "; ") + report.labels_text();
    const std::size_t entailed = report.pairs_with(NliLabel::entailment);
    return {.triples = std::min(entailed, report.pairs_with(NliLabel::contradiction)),
            .pairs = entailed,
            .labelled_pairs = report.pairs - report.pairs_with(NliLabel::none)};
  }

  ExampleCounts read_triples(ByteSource& source, const std::string& name, ReadReport& report) {
    const TripleOptions options{
        .bad_lines = bad_lines_,
        .contradictions = with_contradictions_ ? Contradictions::needed : Contradictions::left_out,
        .layout = layout_,
        .max_rows = max_rows_};
    ExampleCounts counts;
    std::string last_premise, last_entailment;
    // Triples of one row follow each other.
    for_each_triple(source, name, options, report, [&](const TripleTexts& triple) {
      if (triple.premise != last_premise) {
        ++sample_.premises;
        sample_.sentences.emplace_back(triple.premise);
      }
      if (triple.premise != last_premise || triple.entailment != last_entailment) {
        ++counts.pairs;
        sample_.sentences.emplace_back(triple.entailment);
      }
      if (with_contradictions_) sample_.sentences.emplace_back(triple.contradiction);
      last_premise = triple.premise;
      last_entailment = triple.entailment;
    });
    if (with_contradictions_) counts.triples = report.pairs;
    return counts;
  }

  const CorpusLayout& layout_;
  BadLines bad_lines_;
  std::size_t max_rows_;
  bool with_contradictions_;  ///< true if triples have contradicted hypotheses
  DataSample sample_;
  HypothesesOfPremises hypotheses_;
  std::string labels_text_;
};

void check_contents(const std::vector<FileColumns>& files) {
  const FileColumns* labelled = nullptr;
  const FileColumns* other = nullptr;
  for (const FileColumns& file : files) {
    if (file.content == FileContent::scored_pairs)
      throw InputError(concat(file.path.string(),
                              ": has pairs with scores, and no loss learns from scores: give it as --dev or --test, "
                              "where it becomes a task of kind sts, and train on pairs, triples or labels"));
    (file.content == FileContent::labelled_pairs ? labelled : other) = &file;
  }
  if (labelled && other)
    throw InputError(concat("the training files mix pairs with labels (", labelled->path.string(),
                            ") with files without labels (", other->path.string(), "): give one kind"));
}

}  // namespace

FileColumns read_columns(const std::filesystem::path& path, const CorpusLayout& layout) {
  FileColumns columns;
  columns.path = path;
  TextSource source(path), again(path);
  const RowSource rows(source, path.string());
  columns.names = rows.header();
  columns.content = content_of(rows, find_sts_layout(again, path.string(), layout).has_value(), layout);
  if (columns.content != FileContent::scored_pairs)
    columns.text = columns_text(
        path, columns.content == FileContent::pairs ? Contradictions::left_out : Contradictions::needed, layout);
  return columns;
}

std::string DataSample::count_text(double count) const {
  if (is_whole) return std::to_string(std::llround(count));
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(std::max(count, 1.0))) - 2));
  return concat(is_lower_bound ? "more than " : "about ", std::llround(std::floor(count / unit + 0.5) * unit));
}

double DataSample::examples(ExampleKind kind, TriplesPerPremise per_premise) const {
  switch (kind) {
    case ExampleKind::triples:
      return per_premise == TriplesPerPremise::every_entailment ? triples_of_every_entailment : triples;
    case ExampleKind::entailment_pairs:
      return pairs;
    case ExampleKind::labelled_pairs:
      return labelled_pairs;
  }
  throw std::logic_error("no kind of examples of this number");
}

DataSample sample_data(const std::vector<std::filesystem::path>& files, const CorpusLayout& layout, BadLines bad_lines,
                       std::size_t max_rows) {
  GAUSSCSE_CHECK(!files.empty(), "no training file");
  std::vector<FileColumns> columns;
  columns.reserve(files.size());
  for (const fs::path& file : files) columns.push_back(read_columns(file, layout));
  check_contents(columns);
  const bool with_contradictions = std::all_of(
      columns.begin(), columns.end(), [](const FileColumns& file) { return file.content == FileContent::triples; });
  Sampler sampler(layout, bad_lines, std::max<std::size_t>(max_rows / files.size(), 1), with_contradictions);
  for (const FileColumns& file : columns) sampler.add(file, max_counted_bytes / files.size());
  DataSample sample = sampler.finish();
  if (sample.pairs == 0)
    throw InputError(concat(files.front().string(), ": no pair is labelled entailment (", sampler.labels_text(),
                            "): name the label that means it, --labels entailment=VALUE, or give other data"));
  sample.files = std::move(columns);
  return sample;
}

}  // namespace gausscse
