#include "training/row_vectors.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "data/corpus/text_readers.hpp"
#include "data/source/text_source.hpp"
#include "inference/search/given_rows.hpp"
#include "inference/sentence_file.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// Token ids are int32, and one of them is that of no row.
constexpr std::uint64_t most_rows = std::numeric_limits<std::int32_t>::max() - 1;
constexpr std::size_t shown_bytes = 100;
/// Sentences without a vector that are looked for in the trial's files.
constexpr std::ptrdiff_t looked_for = 8;

void check_finite(const EmbeddingsReader& file, const fs::path& path) {
  for (std::uint64_t first = 0; first < file.rows(); first += rows_of_vectors) read_vectors(file, path, first);
}

/// Adds the texts of the rows to `texts`; returns the first row of each. Throws InputError for a text with two vectors.
std::vector<std::uint32_t> add_texts(const fs::path& path, SentenceFile& lines, const EmbeddingsReader& file,
                                     StringTable& texts) {
  std::vector<std::uint32_t> row_of_text;
  std::vector<std::string> block;
  std::uint32_t row = 0;
  while (lines.next_block(block)) {
    for (const std::string& text : block) {
      const std::uint32_t number = texts.intern(text);
      if (number == row_of_text.size()) {
        row_of_text.push_back(row);
      } else if (const std::uint32_t first = row_of_text[number]; file.read(first, 1) != file.read(row, 1)) {
        throw InputError(concat(path.string(), ": lines ", first + 1, " and ", row + 1, " have the same text, ",
                                quoted(text, shown_bytes),
                                ", but their vectors differ: keep one of the two, in both files"));
      }
      ++row;
    }
  }
  return row_of_text;
}

/// Returns whether `text` is a field of a line, in the layouts that corpora have.
bool has_field(std::string_view line, std::string_view text) {
  constexpr std::string_view borders = "\",\t";
  const auto is_border = [&](std::size_t i) { return i >= line.size() || borders.find(line[i]) != borders.npos; };
  for (std::size_t at = line.find(text); at != line.npos; at = line.find(text, at + 1))
    if ((at == 0 || is_border(at - 1)) && is_border(at + text.size())) return true;
  return false;
}

struct FoundText {
  std::uint64_t line;
  std::string text;
};

/// Returns the first line of a file with one of `texts`; nothing where no line has one as it is, such as behind
/// escapes.
std::optional<FoundText> find_line(const fs::path& path, std::span<const std::string> texts) {
  if (!fs::is_regular_file(path)) return std::nullopt;
  try {
    TextSource source(path);
    LineReader reader(source, path.string());
    for (std::string_view line; reader.next(line);)
      for (const std::string& text : texts)
        if (has_field(line, text)) return FoundText{reader.line_number(), text};
  } catch (const InputError&) {
    // The file was read by its columns: the message does without the line.
  }
  return std::nullopt;
}

std::vector<fs::path> files_with_sentences(const Trial& trial) {
  std::vector<fs::path> files = trial.data.train;
  for (const TaskSettings& task : trial.tasks)
    for (const fs::path& file : content_files_of(task)) files.push_back(file);
  return files;
}

}  // namespace

RowVectors::RowVectors(const Trial& trial) : texts_path_(trial.model.backbone.texts) {
  const fs::path& path = trial.model.backbone.vectors;
  file_ = open_vectors(path);
  SentenceFile lines(texts_path_, {.trim = trial.data.trim});
  if (rows() != lines.lines())
    throw InputError(concat(path.string(), ": has ", rows(), " rows, but ", texts_path_.string(), " has ",
                            lines.lines(), " lines: give one sentence per line for each row, in their order"));
  if (rows() > most_rows)
    throw InputError(concat(path.string(), ": has ", rows(), " rows, more than ", most_rows, ": give fewer"));
  check_finite(*file_, path);
  StringTable texts;
  std::vector<std::uint32_t> row_of_text = add_texts(texts_path_, lines, *file_, texts);
  vectors_hash_ = content_hash(path);
  texts_hash_ = lines.content_hash();
  tokenizer_ = std::make_shared<const RowTokenizer>(std::move(texts), std::move(row_of_text), rows(),
                                                    content_hash_of(concat(vectors_hash_, texts_hash_)));
}

std::unique_ptr<GivenVectors> RowVectors::embedder(at::Device device) const {
  return std::make_unique<GivenVectors>(
      [file = file_](std::uint32_t row, std::span<float> values) { file->read(row, values); }, width(), device);
}

void RowVectors::check_complete(const Trial& trial) const {
  const std::set<std::string> missing = tokenizer_->missing();
  if (missing.empty()) return;
  const std::vector<std::string> some(missing.begin(),
                                      std::next(missing.begin(), std::min(std::ssize(missing), looked_for)));
  std::string place, text = some.front();
  for (const fs::path& file : files_with_sentences(trial)) {
    const auto found = find_line(file, some);
    if (!found) continue;
    place = concat(file.string(), ":", found->line, ": ");
    text = found->text;
    break;
  }
  throw InputError(concat(place, quoted(text, shown_bytes), " has no vector in ", trial.model.backbone.vectors.string(),
                          ", as it is no line of ", texts_path_.string(), "; ",
                          counted(static_cast<std::int64_t>(missing.size()), "sentence"), " of the trial ",
                          missing.size() == 1 ? "has" : "have",
                          " none: encode these texts, too, and add them to both files"));
}

}  // namespace gausscse
