#include <sys/stat.h>

#include "dist/communicator.hpp"
#include "model/initialize.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/recording_observer.hpp"
#include "tests/training/tiny_training.hpp"
#include "training/frozen_encoder.hpp"
#include "training/trial_data.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

/// Each rank has its own cache folder here, so that only the memory of the first brings tokens to the others.
TEST(SharedTokens, AreOneMemoryForTheRanksOfANode) {
  const auto ranks = make_mpi_communicator();
  const TinyTraining training;
  const Trial trial = training.trial({});
  RecordingObserver told;
  const TrialData data = load_trial_data(trial, 1, *ranks, told);
  EXPECT_EQ(data.train->from_cache(), ranks->local_rank() != 0);
  EXPECT_EQ(fs::exists(trial.data.cache), ranks->local_rank() == 0);
  EXPECT_EQ(data.train->content_hashes().size(), 1u);
  std::vector<std::uint32_t> ids;
  for (std::uint32_t i = 0; i < data.train->sentences(); ++i) data.train->append_tokens(i, ids);
  ASSERT_FALSE(ids.empty());

  struct stat memory {};
  ASSERT_EQ(::stat(data.train->place().c_str(), &memory), 0) << data.train->place();
  std::string seen = std::to_string(memory.st_ino);
  for (const std::uint32_t id : ids) seen += concat(' ', id);
  const std::vector<std::string> all = ranks->all_gather_text(seen);
  if (ranks->size() == ranks->local_size()) {
    EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 1u);
  }
}

/// By PyPI's xxhash (see held_out_training_test.cpp) w2 and w11 are held out, w1 and w3 are not.
TEST(HeldOutExamples, AreTheSameOnEveryRank) {
  const auto ranks = make_mpi_communicator();
  const TinyTraining training;
  std::string corpus;
  for (const char* premise : {"w1", "w2", "w3", "w11"})
    corpus += nli_line("entailment", premise, "w4") + nli_line("contradiction", premise, "w5");
  Trial trial = training.trial({"data.train=" + training.write("c.jsonl", corpus).string(), "training.batch_size=2"});
  trial.data.dev_fraction = 0.3;
  std::get<NliTaskSettings>(trial.tasks.front().of_kind).file.clear();
  RecordingObserver told;
  const TrialData data = load_trial_data(trial, 1, *ranks, told);
  EXPECT_EQ(data.train->examples(), 2u);
  EXPECT_EQ(data.tasks.front().pairs, 4u);
  EXPECT_TOLD(told.notes, "dev: held out of training: 4 of 8 rows, 2 of 4 premises");
  const auto sentence = data.train->sentence(0, 0);
  std::vector<std::uint32_t> ids;
  data.train->append_tokens(sentence, ids);
  for (const std::string& other : ranks->all_gather_text(testing::PrintToString(ids)))
    EXPECT_EQ(other, testing::PrintToString(ids));
}

/// Sentences for an encoder whose weights are random, and the folder of this rank and that of rank 0.
class EmbeddedTogether : public testing::Test {
 protected:
  EmbeddedTogether() : encoder_({.encoder = read_encoder_config(training_.folder / "model")}) {
    initialize_encoder(encoder_.parameters(), 1);
    encoder_.parameters_changed();
    std::vector<std::string> sentences;
    for (int i = 0; i < 6000 * ranks_->size(); ++i)
      sentences.push_back(concat("w", i % 50, " w", i / 50 % 50, " w", i / 2500));
    store_.emplace(TokenStore::from_sentences(sentences, *open_tokenizer(training_.folder / "model"), 16, 1));
  }
  ~EmbeddedTogether() override { ranks_->barrier(); }

  RecordingObserver embed(const fs::path& folder, TrainingRequests&& requests) {
    ranks_->barrier();
    RecordingObserver told;
    FrozenEncoder(encoder_).embed(*store_, {folder, "here"}, *ranks_, told, requests);
    return told;
  }

  const std::unique_ptr<Communicator> ranks_ = make_mpi_communicator();
  const TinyTraining training_;
  const fs::path own_ = training_.folder / "cache",
                 shared_ = fs::path(ranks_->all_gather_text(training_.folder.path().string()).front()) / "shared";
  SentenceEncoder encoder_;
  std::optional<TokenStore> store_;
};

/// The first rank of a node writes them.
TEST_F(EmbeddedTogether, VectorsAreReadWhereAllRanksHaveThem) {
  EXPECT_FALSE(embed(own_, NoRequests()).embedded.empty());
  EXPECT_EQ(fs::exists(own_), ranks_->local_rank() == 0);
  EXPECT_EQ(embed(own_, NoRequests()).embedded.empty(), ranks_->size() == 1);
  EXPECT_FALSE(embed(shared_, NoRequests()).embedded.empty());
  const auto told = embed(shared_, NoRequests());
  EXPECT_TRUE(told.embedded.empty());
  EXPECT_TOLD(told.notes, "sentence vectors: read from " + shared_.string());
}

TEST_F(EmbeddedTogether, AllRanksStopWhereOneIsAsked) {
  const bool is_asked = ranks_->rank() == ranks_->size() - 1;
  EXPECT_THROW(embed(own_, StopAfter(is_asked ? 1 : -1)), TrainingStopped);
  EXPECT_FALSE(fs::exists(own_));
}

}  // namespace
}  // namespace gausscse
