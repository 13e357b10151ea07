#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpus/string_table.hpp"
#include "data/tokenizer/tokenizer.hpp"

namespace gausscse {

/// Tokenizer of sentences whose vectors are given as the rows of a matrix. A sentence has one token: the number of its
/// row, that of the first one where several rows have its text. Sentences without a row get the number behind the last
/// row, and are remembered.
class RowTokenizer : public Tokenizer {
 public:
  /// `row_of_text` is the row of each text's number, `rows` the number of all rows.
  RowTokenizer(StringTable texts, std::vector<std::uint32_t> row_of_text, std::size_t rows, std::string fingerprint);

  /// Appends the number of the sentence's row. The texts are compared byte by byte; none is cut.
  bool encode(std::string_view sentence, std::size_t max_tokens, std::vector<std::uint32_t>& ids) const override;
  /// Returns the number of rows, and one for sentences that have none.
  std::size_t vocabulary_size() const override { return rows_ + 1; }
  std::vector<std::string> tokens() const override;
  const std::string& fingerprint() const override { return fingerprint_; }
  const std::vector<std::filesystem::path>& files() const override { return no_files_; }

  /// Returns the distinct sentences without a row that `encode` has met.
  std::set<std::string> missing() const;

 private:
  StringTable texts_;
  std::vector<std::uint32_t> row_of_text_;
  std::size_t rows_;
  std::string fingerprint_;
  std::vector<std::filesystem::path> no_files_;
  mutable std::mutex mutex_;  ///< guards `missing_`
  mutable std::set<std::string> missing_;
};

}  // namespace gausscse
