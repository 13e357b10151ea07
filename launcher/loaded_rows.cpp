#include "launcher/loaded_rows.hpp"

#include <ATen/ops/cat.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"
#include "inference/search/check_embeddings.hpp"
#include "inference/search/merge_hits.hpp"
#include "launcher/loaded_model.hpp"
#include "launcher/progress.hpp"

namespace gausscse {

void log_notes_on(const RowsFile& file) {
  Notes notes;
  if (file.is_text())
    note_bad_lines(file.path().string(), file.text().report(), notes);
  else if (const std::string note = file.embeddings().note(); !note.empty())
    notes.info.push_back(note);
  log_notes(notes);
}

void read_logged_rows(RowsFile& file, SentenceModel& model, Process& process, const LoggedRowsSettings& settings,
                      const std::function<void(const at::Tensor& rows, std::uint64_t first_row)>& take) {
  log_notes_on(file);
  EmbeddingProgress progress(settings.show_progress && process.communicator().is_root(),
                             is_drawing_terminal(STDERR_FILENO), file.rows(), StatusLine::Clock::now,
                             file.is_text() ? "lines" : "rows");
  log_notes(read_rows(file, model, process.communicator(),
                      {.of_rank = settings.of_rank,
                       .threads = process.threads(),
                       .on_block = [&](std::uint64_t rows_done) { progress.on_block(rows_done); },
                       .choose = settings.choose},
                      take));
}

namespace {

/// Adds the rows of a corpus's file, of which the first one is row `first` of the corpus. Returns their number.
std::uint64_t add_file(RowsFile& file, std::uint64_t first, SentenceModel& model, Process& process,
                       const LoggedSearchSettings& settings, TopRows& search) {
  std::uint64_t chosen = 0;
  std::function<void(std::vector<std::string>&)> choose;
  if (settings.choose_rows)
    choose = [&](std::vector<std::string>& sentences) {
      settings.choose_rows(sentences);
      chosen += sentences.size();
    };
  read_logged_rows(file, model, process,
                   {.of_rank = RowsOfRank::part, .show_progress = settings.show_progress, .choose = choose},
                   [&](const at::Tensor& rows, std::uint64_t first_row) {
                     try {
                       search.add(rows, first + first_row);
                     } catch (const InputError&) {
                       // Its message has the number in the corpus: the file's own comes first.
                       check_embeddings(rows, model.properties.similarity, "row", first_row);
                       throw;
                     }
                   });
  return choose ? chosen : file.rows();
}

}  // namespace

std::unique_ptr<TopRows> search_logged_rows(CorpusFiles& corpus, RowsFile& queries, SentenceModel& model,
                                            Process& process, const LoggedSearchSettings& settings) {
  std::vector<at::Tensor> blocks;
  read_logged_rows(queries, model, process,
                   {.show_progress = settings.show_progress, .choose = settings.choose_queries},
                   [&](const at::Tensor& rows, std::uint64_t) { blocks.push_back(rows); });
  std::unique_ptr<TopRows> search;
  try {
    search = std::make_unique<TopRows>(at::cat(std::exchange(blocks, {})), model.properties.similarity,
                                       settings.direction, settings.top(), process.threads());
  } catch (const InputError& error) {
    throw InputError(concat(queries.path().string(), ": ", error.what()));
  }
  const std::shared_ptr<const Tokenizer> of_queries = model.tokenizer;
  if (settings.corpus_tokenizer) model.tokenizer = settings.corpus_tokenizer;
  std::uint64_t rows = 0;
  for (RowsFile& file : corpus) rows += add_file(file, rows, model, process, settings, *search);
  model.tokenizer = of_queries;
  merge_hits_of_ranks(*search, process.communicator());
  return search;
}

}  // namespace gausscse
