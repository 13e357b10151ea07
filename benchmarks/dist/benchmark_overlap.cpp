// Compares summing gradients while backward still computes with summing them afterwards. It times products like those
// of a backward of MiniLM's shape with the sums of its gradients, in four buckets, done in three ways.
//
//   mpirun -np 2 benchmark_overlap [--elements 22700000] [--products 80] [--rows 1024] [--repeats 5]

#include <ATen/Parallel.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "dist/mpi/communicator_handle.hpp"

namespace {

constexpr int buckets = 4;

struct Work {
  at::Tensor rows, weight, product, gradient;
  long products;  ///< products of a bucket
  MPI_Comm ranks;

  void compute() {
    for (long i = 0; i < products; ++i) at::mm_out(product, rows, weight);
  }
  float* bucket(int number) const { return gradient.mutable_data_ptr<float>() + number * bucket_size(); }
  int bucket_size() const { return static_cast<int>(gradient.numel() / buckets); }
  void sum(int number) const {
    GAUSSCSE_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, bucket(number), bucket_size(), MPI_FLOAT, MPI_SUM, ranks));
  }
};

void sum_afterwards(Work& work) {
  for (int i = 0; i < buckets; ++i) work.compute();
  for (int i = 0; i < buckets; ++i) work.sum(i);
}

/// Sums while MPI goes on whenever it is called, and in the end.
void sum_without_waiting(Work& work) {
  MPI_Request requests[buckets];
  for (int i = 0; i < buckets; ++i) {
    work.compute();
    GAUSSCSE_MPI_CHECK(
        MPI_Iallreduce(MPI_IN_PLACE, work.bucket(i), work.bucket_size(), MPI_FLOAT, MPI_SUM, work.ranks, &requests[i]));
  }
  GAUSSCSE_MPI_CHECK(MPI_Waitall(buckets, requests, MPI_STATUSES_IGNORE));
}

/// Sums in a thread that waits for each sum.
void sum_in_a_thread(Work& work) {
  std::thread previous;
  for (int i = 0; i < buckets; ++i) {
    work.compute();
    if (previous.joinable()) previous.join();
    previous = std::thread([&work, i] { work.sum(i); });
  }
  previous.join();
}

double seconds_of(Work& work, const std::function<void(Work&)>& way) {
  MPI_Barrier(work.ranks);
  const auto begin = std::chrono::steady_clock::now();
  way(work);
  MPI_Barrier(work.ranks);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, long> options{{"--elements", 22700000}, {"--products", 80}, {"--rows", 1024}, {"--repeats", 5}};
  for (int i = 1; i < argc; ++i) {
    if (!options.count(argv[i]) || i + 1 == argc) {
      std::fprintf(stderr, "benchmark_overlap: unknown option or missing value: %s\n", argv[i]);
      return 2;
    }
    options[argv[i]] = std::stol(argv[i + 1]);
    ++i;
  }
  int level = 0, rank = 0, size = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  at::set_num_threads(std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / size));
  Work work{at::randn({options["--rows"], 384}), at::randn({384, 1536}),          at::ones({options["--rows"], 1536}),
            at::ones({options["--elements"]}),   options["--products"] / buckets, MPI_COMM_WORLD};

  const std::vector<std::pair<const char*, std::function<void(Work&)>>> ways = {
      {"products alone",
       [](Work& w) {
         for (int i = 0; i < buckets; ++i) w.compute();
       }},
      {"sums alone",
       [](Work& w) {
         for (int i = 0; i < buckets; ++i) w.sum(i);
       }},
      {"sums after the products", sum_afterwards},
      {"sums without waiting (MPI_Iallreduce)", sum_without_waiting},
      {"sums in a thread", sum_in_a_thread}};
  std::vector<std::vector<double>> seconds(ways.size());
  // One round of all ways after the other, so that a slow spell of the machine meets all of them.
  for (long repeat = 0; repeat < options["--repeats"] + 1; ++repeat) {
    for (std::size_t way = 0; way < ways.size(); ++way) {
      const double taken = seconds_of(work, ways[way].second);
      if (repeat > 0) seconds[way].push_back(taken);
    }
  }
  for (std::size_t way = 0; way < ways.size() && rank == 0; ++way) {
    std::sort(seconds[way].begin(), seconds[way].end());
    std::printf("%-40s median %.3f s (%.3f to %.3f)\n", ways[way].first, seconds[way][seconds[way].size() / 2],
                seconds[way].front(), seconds[way].back());
  }
  MPI_Finalize();
  return 0;
}
