#include "dist/control_group.hpp"

#include "dist/group_work.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST(ControlGroup, AllRanksSeeAllTexts) {
  const auto ranks = make_mpi_control_group();
  const std::string own(static_cast<std::size_t>(ranks->rank()) * 5, 'x');
  const std::vector<std::string> texts = ranks->all_gather_text(own);
  ASSERT_EQ(static_cast<int>(texts.size()), ranks->size());
  for (std::size_t r = 0; r < texts.size(); ++r) EXPECT_EQ(texts[r], std::string(r * 5, 'x'));
}

/// The ranks of these tests are all on one node; tests/network has those of two.
TEST(ControlGroup, RanksOfOneNodeAreNumberedInRankOrder) {
  const auto ranks = make_mpi_control_group();
  EXPECT_EQ(ranks->local_rank(), ranks->rank());
  EXPECT_EQ(ranks->local_size(), ranks->size());
  EXPECT_EQ(ranks->is_root(), ranks->rank() == 0);
}

TEST(ControlGroup, NumbersAreThoseOfRankZero) {
  const auto ranks = make_mpi_control_group();
  const double rank = ranks->rank();
  std::vector<double> numbers{rank + 0.5, 10 * rank - 2};
  ranks->broadcast_numbers(numbers);
  EXPECT_EQ(numbers, (std::vector<double>{0.5, -2}));
  // As many as rank 0 has, be it none.
  for (const std::size_t of_root : {3u, 0u}) {
    std::vector<double> of_rank(ranks->is_root() ? of_root : 1, rank);
    broadcast_numbers(of_rank, *ranks);
    EXPECT_EQ(of_rank, std::vector<double>(of_root, 0.0));
  }
}

TEST(ControlGroup, OneProcessIsAllThatThereIs) {
  const auto self = make_self_control_group();
  EXPECT_EQ(self->rank(), 0);
  EXPECT_EQ(self->size(), 1);
  EXPECT_EQ(self->local_rank(), 0);
  EXPECT_EQ(self->local_size(), 1);
  EXPECT_TRUE(self->is_root());
  EXPECT_EQ(self->all_gather_text("own"), std::vector<std::string>{"own"});
  std::vector<double> numbers{3, 4};
  broadcast_numbers(numbers, *self);
  EXPECT_EQ(numbers, (std::vector<double>{3, 4}));
}

}  // namespace
}  // namespace gausscse
