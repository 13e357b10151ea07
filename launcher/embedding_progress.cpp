#include "launcher/embedding_progress.hpp"

#include <chrono>
#include <cstdio>
#include <utility>

namespace gausscse {

EmbeddingProgress::EmbeddingProgress(bool shown, bool terminal, std::size_t lines, StatusLine::Now now)
    : line_(shown, terminal, now), lines_(lines), now_(std::move(now)), start_(now_()) {}

void EmbeddingProgress::on_block(std::size_t lines_done) {
  const bool last = lines_done == lines_;
  if (!line_.due(last)) return;
  const std::chrono::duration<double> elapsed = now_() - start_;
  const double rate = static_cast<double>(lines_done) / elapsed.count();
  char text[128];
  std::snprintf(text, sizeof text, "%zu/%zu lines  %.0f lines/s  %s left", lines_done, lines_, rate,
                readable_duration(static_cast<double>(lines_ - lines_done) / rate).c_str());
  line_.show(text, last);
}

}  // namespace gausscse
