#include <thread>

#include "inference/search/similarity_matrix.hpp"
#include "inference/search/top_rows.hpp"
#include "tests/inference/search/brute_force.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Watch of a computation that counts its calls, and throws at one of them.
struct CountedWatch {
  void operator()() {
    EXPECT_EQ(std::this_thread::get_id(), asking);
    if (++calls == last) throw std::domain_error("ended");
  }

  int last = 0;  ///< 0: none
  int calls = 0;
  std::thread::id asking = std::this_thread::get_id();
};

void compute_matrix(Similarity similarity, std::size_t threads, CountedWatch& watch) {
  const at::Tensor a = random_gaussians(37, 5, 1), b = random_gaussians(9, 5, 2);
  const at::Tensor matrix = similarity_matrix(a, b, similarity, threads, [&] { watch(); });
  EXPECT_TRUE(matrix.equal(similarity_matrix(a, b, similarity, threads)));
}

void search_rows(std::size_t threads, CountedWatch& watch) {
  const at::Tensor queries = random_gaussians(5, 4, 1), rows = random_gaussians(2500, 4, 2);
  TopRows search(queries, Similarity::joint, SearchDirection::entails, 3, threads);
  search.add(rows, 0, [&] { watch(); });
}

/// 37 rows are three groups of at most 16, and 2,500 rows three of at most 1,024.
TEST(WatchOfComparisons, IsCalledForEachPartOfOneThread) {
  CountedWatch gaussians, cosines, search;
  compute_matrix(Similarity::joint, 1, gaussians);
  compute_matrix(Similarity::cosine, 1, cosines);
  search_rows(1, search);
  EXPECT_EQ(gaussians.calls, 3);
  EXPECT_EQ(cosines.calls, 37);
  EXPECT_EQ(search.calls, 3 * 5);
}

TEST(WatchOfComparisons, IsCalledOnTheThreadThatAsked) {
  CountedWatch watch;
  compute_matrix(Similarity::joint, 3, watch);
  compute_matrix(Similarity::cosine, 3, watch);
  search_rows(3, watch);
}

TEST(WatchOfComparisons, EndsThemByAnException) {
  for (const Similarity similarity : {Similarity::joint, Similarity::cosine}) {
    CountedWatch watch{.last = 2};
    EXPECT_THROW(compute_matrix(similarity, 1, watch), std::domain_error);
    EXPECT_EQ(watch.calls, 2);
  }
  CountedWatch watch{.last = 2};
  EXPECT_THROW(search_rows(1, watch), std::domain_error);
  EXPECT_EQ(watch.calls, 2);
}

}  // namespace
}  // namespace gausscse
