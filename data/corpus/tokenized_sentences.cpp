#include "data/corpus/tokenized_sentences.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/process.hpp"

namespace gausscse {

namespace {

/// Sentences that are tokenised for one piece of work.
constexpr std::size_t sentences_of_work = 256;

constexpr std::size_t fewest_sentences_of_block = 1024;
constexpr std::size_t most_sentences_of_block = 65536;
constexpr std::size_t most_bytes_of_block = std::size_t{16} << 20;

/// Blocks that a list has at least, unless they would be too small.
constexpr std::size_t blocks_at_least = 16;

/// Blocks that may wait, for each thread that tokenises them.
constexpr std::size_t most_waiting = 4;

}  // namespace

SentenceTokenizer::SentenceTokenizer(const Tokenizer& tokenizer, std::size_t max_tokens, std::size_t threads)
    : tokenizer_(tokenizer),
      max_tokens_(max_tokens),
      threads_(threads),
      narrow_(tokenizer.vocabulary_size() <= std::size_t{std::numeric_limits<std::uint16_t>::max()} + 1) {
  GAUSSCSE_CHECK(threads >= 1, "no thread to tokenise with");
}

void SentenceTokenizer::add(std::string_view sentence) {
  next_.text += sentence;
  next_.ends.push_back(next_.text.size());
  // Few sentences make enough blocks for all threads, many make large ones.
  const std::size_t most = std::clamp(submitted_ / blocks_at_least, fewest_sentences_of_block, most_sentences_of_block);
  if (next_.ends.size() >= most || next_.text.size() >= most_bytes_of_block) submit();
}

void SentenceTokenizer::end_file() {
  submit();
  ++file_;
}

/// Gives the sentences that came to a thread, or tokenises a block where too many wait.
void SentenceTokenizer::submit() {
  if (next_.ends.empty()) return;
  submitted_ += next_.ends.size();
  std::unique_lock lock(mutex_);
  blocks_.push_back({.file = file_, .sentences = std::exchange(next_, {})});
  if (!spare_.empty()) {
    next_ = std::move(spare_.back());
    spare_.pop_back();
  }
  // The thread that adds has enough to do if there is one block.
  if (blocks_.size() > 1 && workers_.size() + 1 < threads_)
    workers_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  if (blocks_.size() - taken_ > most_waiting * workers_.size()) {
    tokenize_next(lock);
  } else {
    changed_.notify_one();
  }
}

/// Tokenises the next block that no thread has taken, without the lock meanwhile; false if there is none.
bool SentenceTokenizer::tokenize_next(std::unique_lock<std::mutex>& lock) {
  if (taken_ == blocks_.size()) return false;
  Block& block = blocks_[taken_++];
  lock.unlock();
  try {
    tokenize(block);
  } catch (...) {
    block.error = std::current_exception();
  }
  lock.lock();
  block.sentences.text.clear();
  block.sentences.ends.clear();
  spare_.push_back(std::exchange(block.sentences, {}));
  ++done_;
  changed_.notify_all();
  return true;
}

void SentenceTokenizer::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return taken_ < blocks_.size(); }) && !stop.stop_requested())
    tokenize_next(lock);
}

void SentenceTokenizer::tokenize(Block& block) const {
  if (narrow_) {
    tokenize_as<std::uint16_t>(block);
  } else {
    tokenize_as<std::uint32_t>(block);
  }
}

template <typename Id>
void SentenceTokenizer::tokenize_as(Block& block) const {
  const std::size_t vocabulary_size = tokenizer_.vocabulary_size();
  std::vector<std::uint32_t> ids;
  std::vector<Id> narrowed;
  block.lengths.reserve(block.sentences.ends.size());
  std::size_t begin = 0;
  for (const std::size_t end : block.sentences.ends) {
    const std::string_view sentence = std::string_view(block.sentences.text).substr(begin, end - begin);
    begin = end;
    ids.clear();
    const bool is_cut = tokenizer_.encode(sentence, max_tokens_, ids);
    block.counts.add(tokenizer_, sentence, ids, is_cut);
    GAUSSCSE_CHECK(ids.size() <= max_tokens_, ids.size(), " tokens of ", quoted(sentence));
    GAUSSCSE_CHECK(std::all_of(ids.begin(), ids.end(), [=](std::uint32_t id) { return id < vocabulary_size; }),
                   "token id of ", quoted(sentence));
    narrowed.insert(narrowed.end(), ids.begin(), ids.end());
    block.lengths.push_back(static_cast<std::uint32_t>(ids.size()));
    if (block.lengths.size() % sentences_of_work == 0) count_work();
  }
  block.ids.assign(reinterpret_cast<const char*>(narrowed.data()), narrowed.size() * sizeof(Id));
}

TokenizedSentences SentenceTokenizer::finish() {
  GAUSSCSE_CHECK(next_.ends.empty(), "sentences of a file without end");
  {
    std::unique_lock lock(mutex_);
    while (tokenize_next(lock)) {
    }
    changed_.wait(lock, [&] { return done_ == blocks_.size(); });
  }
  TokenizedSentences result;
  result.id_bytes = narrow_ ? sizeof(std::uint16_t) : sizeof(std::uint32_t);
  result.counts.resize(file_);
  std::size_t sentences = 0;
  for (const Block& block : blocks_) {
    if (block.error) std::rethrow_exception(block.error);
    sentences += block.lengths.size();
  }
  result.offsets.reserve(sentences + 1);
  result.offsets.push_back(0);
  for (Block& block : blocks_) {
    for (const std::uint32_t length : block.lengths) result.offsets.push_back(result.offsets.back() + length);
    result.ids.push_back(std::move(block.ids));
    result.counts[block.file].add(block.counts);
  }
  return result;
}

TokenizedSentences tokenize_sentences(std::span<const std::string> sentences, const Tokenizer& tokenizer,
                                      std::size_t max_tokens, std::size_t threads, const std::function<void()>& watch) {
  constexpr std::size_t between_watches = 64;
  SentenceTokenizer tokens(tokenizer, max_tokens, threads);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    if (watch && i % between_watches == 0) watch();
    tokens.add(sentences[i]);
  }
  tokens.end_file();
  return tokens.finish();
}

std::vector<std::uint32_t> first_of_same_ids(const TokenizedSentences& tokens) {
  const std::size_t sentences = tokens.offsets.size() - 1;
  std::unordered_map<std::string_view, std::uint32_t> first_of;
  first_of.reserve(sentences);
  std::vector<std::uint32_t> firsts;
  firsts.reserve(sentences);
  for (const TokenizedSentences::Ids& piece : tokens.ids) {
    std::string_view rest = piece;
    while (!rest.empty()) {
      const auto i = static_cast<std::uint32_t>(firsts.size());
      GAUSSCSE_CHECK(i < sentences, "ids behind those of the last sentence");
      const auto bytes = static_cast<std::size_t>(tokens.offsets[i + 1] - tokens.offsets[i]) * tokens.id_bytes;
      GAUSSCSE_CHECK(bytes > 0 && bytes <= rest.size(), bytes, " bytes of sentence ", i, " in ", rest.size());
      firsts.push_back(first_of.try_emplace(rest.substr(0, bytes), i).first->second);
      rest.remove_prefix(bytes);
    }
  }
  GAUSSCSE_CHECK(firsts.size() == sentences, "ids of ", firsts.size(), " of ", sentences, " sentences");
  return firsts;
}

}  // namespace gausscse
