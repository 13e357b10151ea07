#include "inference/embed_file.hpp"

#include <vector>

#include "dist/group_work.hpp"
#include "inference/embed_sentences.hpp"

namespace gausscse {

Notes embed_file(SentenceFile& file, SentenceModel& model, Communicator& communicator,
                 const EmbedFileSettings& settings, const std::function<void(const at::Tensor&)>& take) {
  TokenCounts counts;
  std::vector<std::string> sentences;
  const auto read_block = [&] {
    const LongOperation reading(communicator);
    return file.next_block(sentences);
  };
  const auto embed_block = [&] {
    const TokenStore store =
        TokenStore::from_sentences(sentences, *model.tokenizer, model.max_tokens, settings.threads);
    counts.add(store.token_counts().front());
    if (settings.on_every_rank) {
      take(embed_sentences(*model.embedder, store, communicator));
      return;
    }
    const at::Tensor embeddings = embed_sentences_on_root(*model.embedder, store, communicator);
    if (!communicator.is_root()) return;
    const LongOperation taking(communicator);
    take(embeddings);
  };
  while (read_block()) {
    if (settings.choose) settings.choose(sentences);
    if (!sentences.empty()) embed_block();
    if (settings.on_block) settings.on_block(file.lines_given());
  }
  if (settings.counts) *settings.counts = counts;
  Notes notes;
  note_token_counts(settings.name, counts, model.max_tokens, model.positions, notes);
  note_exceeded_limits(*model.tokenizer, model.max_tokens, cut_by_option, notes);
  return notes;
}

}  // namespace gausscse
