#include "inference/sentence_file.hpp"

#include <algorithm>
#include <utility>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_kind.hpp"
#include "base/text.hpp"
#include "data/corpus/sentence.hpp"

namespace gausscse {

namespace {

/// Throws InputError for a Parquet table, whose rows would be taken for sentences in JSON.
void refuse_table(const std::filesystem::path& path) {
  const OpenFile file = open_regular_file(path);
  char bytes[file_kind_bytes];
  const FileKind* kind = find_file_kind({bytes, read_some(file, bytes, sizeof bytes, path)});
  if (kind && kind->name == parquet_kind)
    throw InputError(concat(path.string(), ": this is ", kind->name, ": give a text file, a sentence a line"));
}

}  // namespace

void for_each_line(const std::filesystem::path& path, const std::function<void(std::string_view)>& sink) {
  TextSource source(path);
  LineReader reader(source, path.string());
  for (std::string_view line; reader.next(line);) sink(line);
  if (reader.line_number() == 0)
    throw InputError(concat(path.string(), ": the file is empty: give one sentence a line"));
}

SentenceFile::SentenceFile(std::filesystem::path path, const SentenceFileSettings& settings)
    : path_(std::move(path)), settings_(settings), content_hash_(gausscse::content_hash(path_)) {
  GAUSSCSE_CHECK(settings.sentences_of_line >= 1, "a line has sentences");
  refuse_table(path_);
  open();
  while (next_line(&report_)) ++lines_;
  if (lines_ == 0 && report_.bad_lines > 0)
    throw InputError(concat(path_.string(), ": all of its ", report_.bad_lines,
                            " lines are bad; the first: ", report_.causes.front().examples.front()));
  if (lines_ == 0)
    throw InputError(
        concat(path_.string(), ": the file is empty: give ",
               settings.sentences_of_line == 1 ? "one sentence" : concat(settings.sentences_of_line, " sentences"),
               " a line"));
  open();
}

void SentenceFile::open() {
  reader_.reset();
  source_.emplace(path_);
  reader_.emplace(*source_, path_.string());
}

void SentenceFile::split(std::string_view line) {
  check_utf8(line);
  fields_.clear();
  const auto found = static_cast<std::size_t>(std::count(line.begin(), line.end(), '\t')) + 1;
  const std::size_t wanted = settings_.sentences_of_line + (settings_.labelled ? 1 : 0);
  if (wanted > 1 && found != wanted)
    throw InputError(concat(quoted(line), found == 1 ? " has no tab" : concat(" has ", found - 1, " tabs"),
                            ", so it is not ",
                            counted(static_cast<std::int64_t>(settings_.sentences_of_line), "sentence"),
                            settings_.labelled ? " and a label" : "", ": put one tab between them"));
  if (settings_.labelled) {
    const std::size_t last_tab = line.rfind('\t');
    // No option renames these labels, so a message must not advise it.
    label_ = parse_nli_label(trimmed(line.substr(last_tab + 1)), NliLabels::three_or_two, {.none = "-"});
    line = line.substr(0, last_tab);
  }
  for (std::size_t field = 1; field < settings_.sentences_of_line; ++field) {
    const std::size_t tab = line.find('\t');
    fields_.push_back(line.substr(0, tab));
    line.remove_prefix(tab + 1);
  }
  fields_.push_back(line);
  if (settings_.trim)
    for (std::string_view& field : fields_) field = trimmed(field);
}

bool SentenceFile::next_line(ReadReport* report) {
  ReadReport earlier_report;
  LineTally tally(path_.string(), report ? settings_.bad_lines : BadLines::skip, report ? *report : earlier_report);
  for (std::string_view line; reader_->next(line);)
    if (tally.read(reader_->line_number(), [&] { split(line); })) return true;
  return false;
}

bool SentenceFile::next_block(std::vector<std::string>& sentences) {
  sentences.clear();
  characters_.clear();
  labels_.clear();
  std::size_t bytes = 0;
  for (std::size_t lines = 0; lines < lines_of_block && bytes < bytes_of_block; ++lines) {
    if (!next_line(nullptr)) {
      // The rows of a file that changed would belong to no one's lines.
      if (lines_given_ != lines_ || gausscse::content_hash(path_) != content_hash_) fail_as_changed();
      break;
    }
    if (++lines_given_ > lines_) fail_as_changed();
    for (const std::string_view sentence : fields_) {
      sentences.emplace_back(sentence);
      characters_.push_back(code_points(sentence));
      bytes += sentence.size();
    }
    if (settings_.labelled) labels_.push_back(label_);
  }
  return !sentences.empty();
}

void SentenceFile::restart() {
  lines_given_ = 0;
  open();
}

void SentenceFile::fail_as_changed() const {
  throw InputError(
      concat(path_.string(), ": the file changed while it was read: start again when nothing writes to it"));
}

}  // namespace gausscse
