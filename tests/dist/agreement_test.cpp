#include "dist/communicator.hpp"
#include "dist/group_work.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST(Agreement, NamesTheRankAndTheLineThatDiffers) {
  const auto ranks = make_mpi_communicator();
  check_agreement(*ranks, "the configuration", "same\nfor all\n");
  if (ranks->size() == 1) return;
  const bool last = ranks->rank() + 1 == ranks->size();
  try {
    check_agreement(*ranks, "the configuration", last ? "a: 1\nb: 3\n" : "a: 1\nb: 2\n");
    FAIL() << "ranks that differ were accepted";
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("rank 0 has \"b: 2\""), std::string::npos) << message;
    EXPECT_NE(message.find(concat("rank ", ranks->size() - 1, " has \"b: 3\"")), std::string::npos) << message;
  }
  try {
    check_agreement(*ranks, "the program", last ? "a: 1\n" : "a: 1\nb: 2\n");
    FAIL() << "a text that is the beginning of another was accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(),
              concat("the program is not the same on all ranks: rank 0 has \"b: 2\", rank ", ranks->size() - 1,
                     " has \"nothing more\": start all ranks with the same program, files and options"));
  }
}

}  // namespace
}  // namespace gausscse
