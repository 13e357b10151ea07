#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpus/nli_pair.hpp"
#include "data/corpus/read_report.hpp"
#include "data/corpus/text_readers.hpp"
#include "data/source/text_source.hpp"

namespace gausscse {

/// Gives `sink` each line of a text file, without line end and byte order mark; memory does not grow with the file.
/// Throws InputError for a file that cannot be read or has no line.
void for_each_line(const std::filesystem::path& path, const std::function<void(std::string_view)>& sink);

/// Settings of reading a text file of sentences.
struct SentenceFileSettings {
  std::size_t sentences_of_line = 1;  ///< at least 1
  BadLines bad_lines = BadLines::error;
  bool trim = false;  ///< true if sentences lose the white space at their ends
  /// True if a line ends with a label, behind another tab: a word or number of `parse_nli_label`.
  bool labelled = false;
};

/// A text file of sentences: one a line, or several with tabs between them; an empty sentence is one, too. It is read
/// in blocks, so that memory does not grow with its length, and twice: the first time to find bad lines before any work
/// is done. A bad line is one that is not UTF-8, has another number of sentences or a label that is
/// not known.
class SentenceFile {
 public:
  /// Lines, and bytes of text, after which a block ends. Blocks are the same for any number of ranks and threads.
  static constexpr std::size_t lines_of_block = 16384;
  static constexpr std::size_t bytes_of_block = std::size_t{32} << 20;

  /// Reads the whole file. Throws InputError for a file that cannot be read or has no good line, and for a bad line if
  /// the settings say so.
  SentenceFile(std::filesystem::path path, const SentenceFileSettings& settings);
  SentenceFile(const SentenceFile&) = delete;
  SentenceFile& operator=(const SentenceFile&) = delete;

  /// Returns the number of good lines of the whole file.
  std::size_t lines() const { return lines_; }
  /// Returns the number of good lines of the blocks so far.
  std::size_t lines_given() const { return lines_given_; }
  /// Returns the XXH3-128 of the file.
  const std::string& content_hash() const { return content_hash_; }
  /// Returns the lines left out: `bad_lines` and their messages.
  const ReadReport& report() const { return report_; }

  /// Sets `sentences` to those of the next block's good lines, a line's one after another; false after the last block.
  /// Throws InputError where the file was changed.
  bool next_block(std::vector<std::string>& sentences);
  /// Returns the lengths of the last block's sentences, in Unicode code points.
  const std::vector<std::size_t>& characters() const { return characters_; }
  /// Returns the labels of the last block's lines; empty unless the file is labelled.
  const std::vector<NliLabel>& labels() const { return labels_; }
  /// Has `next_block` begin again with the first block.
  void restart();

 private:
  /// Reads on to the next good line and sets `fields_` to its sentences, valid until the next call. Bad lines are added
  /// to `report`; null: they were added before.
  bool next_line(ReadReport* report);
  void open();
  /// Sets `fields_` and `label_`. Throws InputError, without the place, for a bad line.
  void split(std::string_view line);
  [[noreturn]] void fail_as_changed() const;

  std::filesystem::path path_;
  SentenceFileSettings settings_;
  std::string content_hash_;
  ReadReport report_;
  std::size_t lines_ = 0;
  std::size_t lines_given_ = 0;
  std::optional<TextSource> source_;
  std::optional<LineReader> reader_;
  std::vector<std::string_view> fields_;
  NliLabel label_ = NliLabel::none;  ///< label of the same line
  std::vector<std::size_t> characters_;
  std::vector<NliLabel> labels_;
};

}  // namespace gausscse
