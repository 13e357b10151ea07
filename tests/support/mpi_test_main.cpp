#include <mpi.h>

#include <cstdio>

#include "tests/support/testing.hpp"

// Each rank runs every test; the program fails if a test failed on any rank, or if no test ran.
int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  testing::InitGoogleTest(&argc, argv);
  int failed = RUN_ALL_TESTS() != 0 ? 1 : 0;
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) failed = 1;
  if (failed) std::fprintf(stderr, "rank %d: failed\n", rank);
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
