#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>
#include <string>

#include "dist/communicator.hpp"
#include "tests/training/recording_observer.hpp"
#include "tests/training/tiny_training.hpp"
#include "training/trial_data.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

/// Each rank has its own cache folder here, so that only the memory of the first brings tokens to the others.
TEST(SharedTokens, AreOneMemoryForTheRanksOfANode) {
  const auto ranks = make_mpi_communicator();
  const testing_support::TinyTraining training;
  const Trial trial = training.trial({});
  testing_support::RecordingObserver told;
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

}  // namespace
}  // namespace gausscse
