#include <sys/wait.h>
#include <unistd.h>

#include "base/content_hash.hpp"
#include "base/process.hpp"
#include "data/corpus/token_store.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

/// As ByteTokenizer; does something when its fingerprint is asked for, which is after the files were hashed and before
/// they are read.
class InterveningTokenizer final : public Tokenizer {
 public:
  explicit InterveningTokenizer(std::function<void()> action) : action_(std::move(action)) {}

  bool encode(std::string_view sentence, std::size_t max_tokens, std::vector<std::uint32_t>& ids) const override {
    return of_bytes_.encode(sentence, max_tokens, ids);
  }
  std::size_t vocabulary_size() const override { return of_bytes_.vocabulary_size(); }
  std::vector<std::string> tokens() const override { return of_bytes_.tokens(); }
  const std::string& fingerprint() const override {
    action_();
    return of_bytes_.fingerprint();
  }
  const std::vector<fs::path>& files() const override { return of_bytes_.files(); }

 private:
  std::function<void()> action_;
  ByteTokenizer of_bytes_;
};

/// Two corpora, each with the sentences of a triple.
class TokenStoreOfTwoFiles : public testing::Test {
 protected:
  TokenStoreOfTwoFiles() {
    options_.cache_folder = folder_ / "cache";
    write_bytes(first_, text_of("p"));
    write_bytes(second_, text_of("q"));
  }

  static std::string text_of(const std::string& premise) {
    return jsonl("entailment", premise, "e") + jsonl("contradiction", premise, "c");
  }

  TokenStore open(const std::vector<fs::path>& files, const Tokenizer& tokenizer = ByteTokenizer()) const {
    return TokenStore::open_or_build(files, tokenizer, options_);
  }

  /// Returns the premises' only characters, in the order of the examples.
  static std::string premises_of(const TokenStore& store) {
    std::string premises;
    for (std::size_t i = 0; i < store.examples(); ++i) {
      std::vector<std::uint32_t> ids;
      store.append_tokens(store.sentence(i, 0), ids);
      premises += static_cast<char>(ids.at(1) - 3);
    }
    return premises;
  }

  const TemporaryFolder folder_;
  const fs::path first_ = folder_ / "first.jsonl", second_ = folder_ / "second.jsonl";
  TokenStoreOptions options_;
};

TEST_F(TokenStoreOfTwoFiles, AnotherLayoutIsAnotherStore) {
  const fs::path file = folder_ / "triples.csv";
  write_bytes(file, "anchor,good,better,negative\na,b,c,d\n");
  std::vector<std::string> entailed;
  for (const char* column : {"good", "better", "good"}) {
    options_.corpus.layout.entailed = column;
    const TokenStore store = open({file});
    std::vector<std::uint32_t> ids;
    store.append_tokens(store.sentence(0, 1), ids);
    entailed.push_back(concat(ids.at(1), store.from_cache() ? " again" : ""));
  }
  EXPECT_NE(entailed[0], entailed[1]);
  EXPECT_EQ(entailed[1].find("again"), std::string::npos);
  EXPECT_EQ(entailed[2], entailed[0] + " again");
  // Names that are one text together.
  write_bytes(file, "anchor,a,bc,ab,c\nx,1,2,3,4\n");
  for (const auto& [good, bad] : {std::pair{"a", "bc"}, {"ab", "c"}}) {
    options_.corpus.layout.entailed = good;
    options_.corpus.layout.contradicted = bad;
    EXPECT_FALSE(open({file}).from_cache()) << good;
  }
}

TEST_F(TokenStoreOfTwoFiles, IsOfTheContentOfEachInTheirOrder) {
  EXPECT_EQ(premises_of(open({first_, second_})), "pq");
  EXPECT_TRUE(open({first_, second_}).from_cache());
  write_bytes(second_, text_of("r"));
  EXPECT_FALSE(open({first_, second_}).from_cache());
  EXPECT_EQ(premises_of(open({first_, second_})), "pr");
  write_bytes(first_, text_of("s"));
  EXPECT_FALSE(open({first_, second_}).from_cache());
  EXPECT_EQ(premises_of(open({first_, second_})), "sr");
  EXPECT_FALSE(open({second_, first_}).from_cache());
  EXPECT_EQ(premises_of(open({second_, first_})), "rs");
  EXPECT_FALSE(open({first_}).from_cache());
  // The names have no part in it.
  write_bytes(folder_ / "third", text_of("p"));
  write_bytes(second_, text_of("q"));
  const TokenStore known = open({folder_ / "third", second_});
  EXPECT_TRUE(known.from_cache());
  EXPECT_EQ(premises_of(known), "pq");
  EXPECT_EQ(known.content_hashes(),
            (std::vector<std::string>{content_hash_of(text_of("p")), content_hash_of(text_of("q"))}));
}

TEST_F(TokenStoreOfTwoFiles, IsNotBuiltOfOneThatChangesWhileItIsRead) {
  for (const fs::path& file : {first_, second_}) {
    const InterveningTokenizer tokenizer([&] { write_bytes(file, text_of("other")); });
    EXPECT_EQ(input_error([&] {
                open({first_, second_}, tokenizer);
              }),
              file.string() + ": the file changed while it was read: start again when nothing writes to it");
    EXPECT_FALSE(fs::exists(options_.cache_folder));
    write_bytes(file, text_of("p"));
  }
  const InterveningTokenizer same([&] { write_bytes(second_, text_of("p")); });
  EXPECT_EQ(open({first_, second_}, same).examples(), 1u);
}

/// Temporary names as writers of the cache make them: of a process that is gone, of this one, of another host, and for
/// another store.
TEST_F(TokenStoreOfTwoFiles, RemovesWhatWritersOfItsCacheThatDiedLeft) {
  open({first_});
  const fs::path cache = fs::directory_iterator(options_.cache_folder)->path();
  fs::remove(cache);
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ::waitpid(dead, nullptr, 0);
  const auto left_by = [&](const std::string& name, const std::string& host, pid_t process) {
    fs::path path = options_.cache_folder / concat(name, ".tmp-", host, "-", process, "-0");
    write_bytes(path, "x");
    return path;
  };
  const std::string own = cache.filename().string();
  const fs::path abandoned = left_by(own, host_name(), dead);
  const std::vector<fs::path> others{left_by(own, host_name(), ::getpid()), left_by(own, host_name() + "x", dead),
                                     left_by("another.tokens", host_name(), dead)};
  EXPECT_TRUE(open({first_}).warnings().empty());
  EXPECT_FALSE(fs::exists(abandoned));
  for (const fs::path& other : others) EXPECT_TRUE(fs::exists(other)) << other;
  EXPECT_TRUE(fs::exists(cache));
  EXPECT_EQ(std::distance(fs::directory_iterator(options_.cache_folder), {}), 4);
}

}  // namespace
}  // namespace gausscse
