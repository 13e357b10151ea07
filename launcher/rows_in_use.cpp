#include "launcher/rows_in_use.hpp"

#include <ATen/ops/cat.h>
#include <unistd.h>

#include <utility>

#include "base/error.hpp"
#include "base/process.hpp"
#include "inference/search/merge_hits.hpp"
#include "launcher/model_in_use.hpp"
#include "launcher/progress.hpp"

namespace gausscse {

void read_logged_rows(RowsFile& file, SentenceModel& model, Process& process, const LoggedRowsSettings& settings,
                      const std::function<void(const at::Tensor& rows, std::uint64_t first_row)>& take) {
  Notes bad_lines;
  if (file.is_text()) note_bad_lines(file.path().string(), file.text().report(), bad_lines);
  log_notes(bad_lines);
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

std::unique_ptr<TopRows> search_logged_rows(RowsFile& corpus, RowsFile& queries, SentenceModel& model, Process& process,
                                            const LoggedSearchSettings& settings) {
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
  read_logged_rows(
      corpus, model, process,
      {.of_rank = RowsOfRank::part, .show_progress = settings.show_progress, .choose = settings.choose_rows},
      [&](const at::Tensor& rows, std::uint64_t first_row) { search->add(rows, first_row); });
  merge_hits_of_ranks(*search, process.communicator());
  return search;
}

}  // namespace gausscse
