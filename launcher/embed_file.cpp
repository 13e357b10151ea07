#include "launcher/embed_file.hpp"

#include <unistd.h>

#include <vector>

#include "base/terminal.hpp"
#include "dist/slow_work.hpp"
#include "inference/embed_sentences.hpp"
#include "launcher/embedding_progress.hpp"
#include "launcher/reading_notes.hpp"

namespace gausscse {

void embed_file(SentenceFile& file, MeasuredModel& model, Communicator& communicator, const EmbedFileSettings& settings,
                const std::function<void(const at::Tensor&)>& take) {
  tell_bad_lines(settings.name, file.report());
  EmbeddingProgress progress(settings.show_progress && communicator.is_root(), is_drawing_terminal(STDERR_FILENO),
                             file.lines());
  std::size_t cut_sentences = 0;
  std::vector<std::string> sentences;
  const auto read_block = [&] {
    const SlowWork reading(communicator);
    return file.next_block(sentences);
  };
  while (read_block()) {
    const TokenStore store =
        TokenStore::from_sentences(sentences, *model.tokenizer, model.max_tokens, settings.threads);
    cut_sentences += store.cut_sentences();
    const at::Tensor embeddings = embed_sentences_on_root(*model.embedder, store, communicator);
    if (communicator.is_root()) {
      const SlowWork taking(communicator);
      take(embeddings);
    }
    progress.on_block(file.lines_given());
  }
  tell_cut_sentences(settings.name, cut_sentences, static_cast<std::int64_t>(model.max_tokens));
  tell_unknown_tokens(*model.tokenizer);
  tell_exceeded_limits(*model.tokenizer, model.max_tokens, cut_by_option);
}

}  // namespace gausscse
