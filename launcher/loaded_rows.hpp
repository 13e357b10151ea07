#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "inference/search/rows_file.hpp"
#include "inference/search/top_rows.hpp"
#include "launcher/process.hpp"

namespace gausscse {

/// Settings of `read_logged_rows`.
struct LoggedRowsSettings {
  RowsOfRank of_rank = RowsOfRank::all;
  bool show_progress = true;
  std::function<void(std::vector<std::string>&)> choose = {};  ///< as in EmbedFileSettings
};

/// Logs notes on an open file: bad lines of a text, embeddings without a checksum.
void log_notes_on(const RowsFile& file);

/// Reads the rows of `file` as `read_rows` does; logs notes on it, with the progress of rank 0 if `show_progress` is
/// set.
void read_logged_rows(RowsFile& file, SentenceModel& model, Process& process, const LoggedRowsSettings& settings,
                      const std::function<void(const at::Tensor& rows, std::uint64_t first_row)>& take);

/// Settings of `search_logged_rows`.
struct LoggedSearchSettings {
  SearchDirection direction = SearchDirection::entails;
  std::function<std::size_t()> top;  ///< rows to find for each query; called when the queries are read
  bool show_progress = true;
  std::shared_ptr<const Tokenizer> corpus_tokenizer =
      {};  ///< with the prompt of the corpus's sentences; null: the model's
  /// Remove sentences of a text that are no queries or no rows, as in EmbedFileSettings.
  std::function<void(std::vector<std::string>&)> choose_queries = {}, choose_rows = {};
};

/// Files of a corpus. Their rows are numbered through, in the order of the files.
using CorpusFiles = std::deque<RowsFile>;

/// Returns the search of all ranks over the rows of `corpus`, each rank over a part; rank 0's has all hits. Logs as
/// `read_logged_rows`. Throws InputError for embeddings without similarities, with the file. Collective.
std::unique_ptr<TopRows> search_logged_rows(CorpusFiles& corpus, RowsFile& queries, SentenceModel& model,
                                            Process& process, const LoggedSearchSettings& settings);

}  // namespace gausscse
