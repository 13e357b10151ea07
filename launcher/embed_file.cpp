#include "launcher/embed_file.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <vector>

#include "experiments/evaluation/embed_sentences.hpp"
#include "launcher/reading_notes.hpp"
#include "launcher/status_line.hpp"

namespace gausscse {

namespace {

/// Lines done, rate and time left.
class EmbeddingProgress {
 public:
  EmbeddingProgress(bool shown, std::size_t lines) : line_(shown, isatty(STDERR_FILENO) != 0), lines_(lines) {}

  void on_block(std::size_t lines_done) {
    const bool last = lines_done == lines_;
    if (!line_.due(last)) return;
    const std::chrono::duration<double> elapsed = Clock::now() - start_;
    const double rate = static_cast<double>(lines_done) / elapsed.count();
    char text[128];
    std::snprintf(text, sizeof text, "%zu/%zu lines  %.0f lines/s  %s left", lines_done, lines_, rate,
                  readable_duration(static_cast<double>(lines_ - lines_done) / rate).c_str());
    line_.show(text, last);
  }

 private:
  using Clock = std::chrono::steady_clock;

  StatusLine line_;
  std::size_t lines_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

void embed_file(SentenceFile& file, MeasuredModel& model, Process& process, const EmbedFileSettings& settings,
                const std::function<void(const at::Tensor&)>& take) {
  tell_bad_lines(settings.name, file.report());
  Communicator& communicator = process.communicator();
  EmbeddingProgress progress(settings.show_progress && communicator.is_root(), file.lines());
  std::size_t cut_sentences = 0;
  for (std::vector<std::string> sentences; file.next_block(sentences);) {
    const TokenStore store =
        TokenStore::from_sentences(sentences, *model.tokenizer, model.max_tokens, process.threads());
    cut_sentences += store.cut_sentences();
    const at::Tensor embeddings = embed_sentences_on_root(*model.embedder, store, communicator);
    if (communicator.is_root()) take(embeddings);
    progress.on_block(file.lines_given());
  }
  tell_cut_sentences(settings.name, cut_sentences, static_cast<std::int64_t>(model.max_tokens));
}

}  // namespace gausscse
