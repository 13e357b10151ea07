#include "data/corpus/token_store.hpp"

#include <bit>
#include <cstdint>
#include <future>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/cache_file.hpp"
#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/sealed_memory.hpp"
#include "data/corpus/token_image.hpp"
#include "data/corpus/tokenized_sentences.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> hashes_of(const std::vector<fs::path>& files) {
  std::vector<std::string> hashes;
  for (const fs::path& file : files) hashes.push_back(content_hash(file));
  return hashes;
}

/// Returns a hash of all that decides the content of a store.
std::string store_key(const std::vector<std::string>& content_hashes, const Tokenizer& tokenizer,
                      const CorpusOptions& corpus, std::size_t max_tokens) {
  std::string text =
      concat("version ", token_image_version, "\ntokenizer ", tokenizer.fingerprint(), "\nvocabulary ",
             tokenizer.vocabulary_size(), "\nmax_tokens ", max_tokens, "\nexamples ", name_of(corpus.examples));
  text += concat("\nskip ", corpus.bad_lines == BadLines::skip, "\ntriples ", name_of(corpus.triples_per_premise),
                 "\nseed ", corpus.seed, "\ntrim ", corpus.trim);
  if (corpus.layout != CorpusLayout())
    for (const std::string& name : corpus.layout.names()) text += concat("\nname ", name.size(), " ", name);
  if (corpus.dev_fraction > 0) text += concat("\ndev_fraction ", std::bit_cast<std::uint64_t>(corpus.dev_fraction));
  for (const std::string& hash : content_hashes) text += "\nfile " + hash;
  return content_hash_of(text);
}

/// Returns, for each example, the first sentence with its premise's ids.
std::vector<std::uint32_t> groups_of(const TrainingCorpus& corpus, const TokenizedSentences& tokens) {
  const std::vector<std::uint32_t> firsts = first_of_same_ids(tokens);
  std::vector<std::uint32_t> groups;
  groups.reserve(corpus.counts.examples);
  for (std::size_t i = 0; i < corpus.example_sentences.size(); i += corpus.roles)
    groups.push_back(firsts[corpus.example_sentences[i]]);
  return groups;
}

/// Writes the cache file. Returns a warning where it cannot be written.
std::vector<std::string> write_cache(const fs::path& cache_file, const TokenImage& image) {
  try {
    write_own_cache(cache_file, image.pieces());
    return {};
  } catch (const std::runtime_error& error) {
    return {concat("the token cache ", cache_file.string(), " cannot be kept (", error.what(),
                   "); the run goes on without, and the next one tokenises again, unless `data.cache` or "
                   "GAUSSCSE_CACHE names a folder that can be written")};
  }
}

void check_unchanged(const std::vector<fs::path>& files, const std::vector<std::string>& content_hashes) {
  const std::vector<std::string> now = hashes_of(files);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (now[i] == content_hashes[i]) continue;
    throw InputError(
        concat(files[i].string(), ": the file changed while it was read: start again when nothing writes to it"));
  }
}

}  // namespace

/// Checks an image before it replaces the present content.
void TokenStore::take(SealedMemory candidate, const std::string& key) {
  image_ = view_token_image(candidate.bytes(), key);
  memory_ = std::move(candidate);
}

TokenStore TokenStore::open_or_build(const std::vector<fs::path>& files, const Tokenizer& tokenizer,
                                     const TokenStoreOptions& options) {
  const CorpusOptions corpus_options = effective_options(files, options.corpus);
  TokenStore store;
  store.content_hashes_ = hashes_of(files);
  const std::string key = store_key(store.content_hashes_, tokenizer, corpus_options, options.max_tokens);
  for (const std::string& place : options.places) {
    try {
      store.take(SealedMemory::shared(place), key);
      store.from_cache_ = true;
      return store;
    } catch (const std::runtime_error&) {
      // The memory belongs to another node or has other content: the store is made as if there were none.
    }
  }
  bool caching = !options.cache_folder.empty();
  const fs::path cache_file = options.cache_folder / (key + ".tokens");
  std::error_code ignored;
  if (caching && fs::exists(cache_file, ignored)) {
    try {
      store.take(SealedMemory::copy_of(open_own_cache(cache_file), cache_file), key);
      store.from_cache_ = true;
      return store;
    } catch (const ForeignCache& error) {
      caching = false;
      store.warnings_.push_back(concat("the token cache ", cache_file.string(), " is not used: ", error.what(),
                                       ": remove it, or give another `data.cache`"));
    } catch (const std::runtime_error& error) {
      store.warnings_.push_back(
          concat("the token cache ", cache_file.string(), " cannot be used (", error.what(), "); it is made again"));
    }
  }

  SentenceTokenizer sentences(tokenizer, options.max_tokens, options.threads);
  TrainingCorpus corpus = build_training_corpus(files, corpus_options, &sentences);
  corpus.sentences = {};
  // Files are read and written on another thread, if there may be one.
  const std::launch policy = options.threads > 1 ? std::launch::async : std::launch::deferred;
  std::future<void> unchanged = std::async(policy, [&] { check_unchanged(files, store.content_hashes_); });
  const TokenizedSentences tokens = sentences.finish();
  unchanged.get();
  const std::vector<std::uint32_t> groups =
      corpus.labels.empty() ? std::vector<std::uint32_t>() : groups_of(corpus, tokens);
  const TokenImage image(key, tokenizer.vocabulary_size(), tokens, corpus, groups);
  std::future<std::vector<std::string>> warnings;
  if (caching) warnings = std::async(policy, [&] { return write_cache(cache_file, image); });
  store.take(SealedMemory(image.pieces()), key);
  if (caching)
    for (std::string& warning : warnings.get()) store.warnings_.push_back(std::move(warning));
  return store;
}

TokenStore TokenStore::from_sentences(std::span<const std::string> sentences, const Tokenizer& tokenizer,
                                      std::size_t max_tokens, std::size_t threads, const std::function<void()>& watch) {
  TrainingCorpus no_examples;
  no_examples.counts.sentences = sentences.size();
  const std::string key = content_hash_of({});
  TokenStore store;
  const TokenizedSentences tokens = tokenize_sentences(sentences, tokenizer, max_tokens, threads, watch);
  const std::vector<std::uint32_t> no_groups;
  store.take(SealedMemory(TokenImage(key, tokenizer.vocabulary_size(), tokens, no_examples, no_groups).pieces()), key);
  return store;
}

TokenStore TokenStore::from_rows(std::span<const std::uint32_t> examples, std::size_t roles, std::size_t rows) {
  std::vector<std::uint32_t> number_of_row(rows), rows_named;
  TrainingCorpus corpus;
  corpus.roles = roles;
  for (const std::uint32_t row : examples) {
    std::uint32_t& number = number_of_row.at(row);
    if (number == 0) {
      rows_named.push_back(row);
      number = static_cast<std::uint32_t>(rows_named.size());
    }
    corpus.example_sentences.push_back(number - 1);
  }
  corpus.counts.examples = examples.size() / roles;
  corpus.counts.sentences = rows_named.size();
  TokenizedSentences tokens;
  tokens.id_bytes = sizeof rows_named[0];
  for (std::size_t i = 0; i <= rows_named.size(); ++i) tokens.offsets.push_back(i);
  tokens.ids.emplace_back(reinterpret_cast<const char*>(rows_named.data()), rows_named.size() * tokens.id_bytes);
  const std::string key = content_hash_of({});
  const std::vector<std::uint32_t> no_groups;
  TokenStore store;
  store.take(SealedMemory(TokenImage(key, rows, tokens, corpus, no_groups).pieces()), key);
  return store;
}

std::size_t TokenStore::cut_sentences() const {
  std::size_t cut = 0;
  for (const TokenCounts& counts : token_counts()) cut += static_cast<std::size_t>(counts.cut);
  return cut;
}

std::size_t TokenStore::length(std::uint32_t sentence) const {
  GAUSSCSE_CHECK(sentence < sentences(), "sentence ", sentence, " of ", sentences());
  return static_cast<std::size_t>(image_.offsets[sentence + 1] - image_.offsets[sentence]);
}

void TokenStore::append_tokens(std::uint32_t sentence, std::vector<std::uint32_t>& ids) const {
  const std::size_t count = length(sentence);
  const auto begin = static_cast<std::size_t>(image_.offsets[sentence]);
  const auto append = [&](const auto& all) {
    const auto own = all.subspan(begin, count);
    ids.insert(ids.end(), own.begin(), own.end());
  };
  if (!image_.narrow_ids.empty()) {
    append(image_.narrow_ids);
  } else {
    append(image_.wide_ids);
  }
}

std::uint32_t TokenStore::sentence(std::size_t example, std::size_t role) const {
  GAUSSCSE_CHECK(example < examples() && role < image_.roles, "sentence ", role, " of example ", example, " of ",
                 examples());
  return image_.example_sentences[example * image_.roles + role];
}

std::uint32_t TokenStore::label(std::size_t example) const {
  GAUSSCSE_CHECK(example < image_.labels.size(), "label of example ", example, " of ", image_.labels.size());
  return image_.labels[example];
}

std::uint32_t TokenStore::group(std::size_t example) const {
  GAUSSCSE_CHECK(example < image_.groups.size(), "group of example ", example, " of ", image_.groups.size());
  return image_.groups[example];
}

}  // namespace gausscse
