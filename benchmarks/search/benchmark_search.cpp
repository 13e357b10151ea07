// Exact search among Gaussians compared with a matmul, with tensors as in PyTorch, and with cosines: a table.
//   benchmark_search [--rows 1000000] [--queries 1000] [--dimension 384] [--top 10] [--threads 2]
//                    [--checked 10] [--tensor_queries 8] [--tensor_rows 20000]
// `checked` queries are compared with float64 over all rows. The loop over tensors takes `tensor_queries` queries and
// `tensor_rows` rows, and its time is multiplied.

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "benchmarks/search/rivals.hpp"
#include "benchmarks/search/structured_gaussians.hpp"
#include "inference/search/best_hits.hpp"
#include "inference/search/top_rows.hpp"
#include "model/objective/similarity.hpp"
#include "model/parallel_tasks.hpp"

namespace gausscse {
namespace {

using Hits = std::vector<std::vector<SearchHit>>;

struct Cost {
  double wall, processor;
};

Cost cost_of(const std::function<void()>& work) {
  const auto processor = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  };
  const double before = processor();
  const auto begin = std::chrono::steady_clock::now();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), processor() - before};
}

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024 * static_cast<double>(usage.ru_maxrss);
}

void print(const std::string& what, const Cost& cost, const std::string& more = "") {
  std::printf("| %s | %.2f | %.2f | %s |\n", what.c_str(), cost.wall, cost.processor, more.c_str());
  std::fflush(stdout);
}

/// Hits of a corpus in blocks of 65,536 rows, of which the first `width` columns count.
Hits search(const at::Tensor& queries, const at::Tensor& rows, std::int64_t width, Similarity similarity,
            std::size_t top, std::size_t threads, double& exact_share) {
  constexpr std::int64_t block = 65536;
  TopRows best(queries.narrow(1, 0, width), similarity, SearchDirection::entails, top, threads);
  for (std::int64_t begin = 0; begin < rows.size(0); begin += block)
    best.add(rows.narrow(0, begin, std::min(block, rows.size(0) - begin)).narrow(1, 0, width),
             static_cast<std::uint64_t>(begin));
  exact_share = static_cast<double>(best.exact_pairs()) /
                (static_cast<double>(queries.size(0)) * static_cast<double>(rows.size(0)));
  return best.hits();
}

/// Hits of the first queries by float64 over all rows.
Hits float64_hits(const at::Tensor& queries, std::int64_t checked, const at::Tensor& rows, Similarity similarity,
                  std::size_t top, int threads) {
  const std::int64_t width = rows.size(1);
  const float *const of_queries = queries.const_data_ptr<float>(), *const of_rows = rows.const_data_ptr<float>();
  Hits hits(static_cast<std::size_t>(checked));
  run_tasks(checked, threads, [&](std::int64_t query, int) {
    BestHits best(SearchDirection::entails, top);
    for (std::int64_t row = 0; row < rows.size(0); ++row)
      best.add({static_cast<std::uint64_t>(row),
                row_similarity(of_queries + query * width, of_rows + row * width, width, similarity), 0, 0});
    hits[static_cast<std::size_t>(query)] = best.sorted();
  });
  return hits;
}

/// Share of the rows of `expected` that are among those of `hits`, over the queries of `expected`.
double recall(const Hits& hits, const Hits& expected) {
  std::size_t found = 0, all = 0;
  for (std::size_t query = 0; query < expected.size(); ++query)
    for (const SearchHit& wanted : expected[query]) {
      found += std::any_of(hits[query].begin(), hits[query].end(),
                           [&](const SearchHit& hit) { return hit.row == wanted.row; });
      ++all;
    }
  return static_cast<double>(found) / static_cast<double>(all);
}

/// The best `top` of each query's hits, by `similarity` in float64.
Hits second_look(const Hits& hits, const at::Tensor& queries, const at::Tensor& rows, Similarity similarity,
                 std::size_t top) {
  const std::int64_t width = rows.size(1);
  Hits best;
  for (std::size_t query = 0; query < hits.size(); ++query) {
    BestHits of_query(SearchDirection::entails, top);
    for (const SearchHit& hit : hits[query])
      of_query.add(exact_hit(queries.const_data_ptr<float>() + static_cast<std::int64_t>(query) * width,
                             rows.const_data_ptr<float>() + static_cast<std::int64_t>(hit.row) * width, width,
                             similarity, hit.row));
    best.push_back(of_query.sorted());
  }
  return best;
}

void measure(std::map<std::string, long> options) {
  const long count = options["--rows"], dimension = options["--dimension"], queries = options["--queries"];
  const auto threads = static_cast<int>(options["--threads"]);
  const auto top = static_cast<std::size_t>(options["--top"]);
  at::set_num_threads(threads);
  const at::Tensor rows = structured_gaussians(count, dimension, 1, threads),
                   asked = structured_gaussians(queries, dimension, 2, threads);
  std::printf("%ld rows, %ld queries, %ld dimensions, top %zu, %d threads\n\n", count, queries, dimension, top,
              threads);
  std::printf("| what | seconds | processor time, s | |\n|---|---|---|---|\n");
  std::map<Similarity, Hits> exact;
  char text[200];
  for (const Similarity similarity : {Similarity::joint, Similarity::per_dimension}) {
    double share = 0;
    const Cost cost = cost_of([&] {
      exact[similarity] = search(asked, rows, 2 * dimension, similarity, top, static_cast<std::size_t>(threads), share);
    });
    const double found = recall(exact[similarity], float64_hits(asked, std::min(options["--checked"], queries), rows,
                                                                similarity, top, threads));
    std::snprintf(text, sizeof text, "recall %.4f, compared in float64: %.2g of all pairs", found, share);
    print(concat("search, ", name_of(similarity)), cost, text);
  }
  const auto corpus = static_cast<double>(rows.nbytes());
  std::printf("| peak memory, of the corpus' %.2f GB | | | %.3f |\n", corpus / 1e9, peak_bytes() / corpus);
  for (const long block : {1024, 4096, 16384})
    print(concat("matmul alone, blocks of ", block),
          cost_of([&] { multiply_blocks(queries, dimension, count, block); }));

  const long some_queries = std::min(options["--tensor_queries"], queries),
             some_rows = std::min(options["--tensor_rows"], count);
  const at::Tensor few = rows.narrow(0, 0, some_rows);
  for (const long block : {64, 1024}) {
    at::Tensor found;
    Cost cost = cost_of([&] {
      found = per_dimension_by_tensors(asked.narrow(0, 0, some_queries), few, static_cast<std::int64_t>(top), block);
    });
    const double factor = static_cast<double>(queries) / static_cast<double>(some_queries) *
                          static_cast<double>(count) / static_cast<double>(some_rows);
    std::snprintf(text, sizeof text, "%ld queries of %ld rows, times %.0f; best row of the first: %ld", some_queries,
                  some_rows, factor, static_cast<long>(found[0][0].item<std::int64_t>()));
    print(concat("per_dimension by tensors, blocks of ", block), {cost.wall * factor, cost.processor * factor}, text);
  }

  Hits by_cosine;
  double share = 0;
  Cost cosine = cost_of([&] {
    by_cosine = search(asked, rows, dimension, Similarity::cosine, 100, static_cast<std::size_t>(threads), share);
  });
  print("cosine of means, top 100", cosine);
  for (const auto& [similarity, wanted] : exact) {
    Hits found;
    const Cost look = cost_of([&] { found = second_look(by_cosine, asked, rows, similarity, top); });
    std::snprintf(text, sizeof text, "recall %.4f", recall(found, wanted));
    print(concat("that, and a second look by ", name_of(similarity)),
          {cosine.wall + look.wall, cosine.processor + look.processor}, text);
  }
}

}  // namespace
}  // namespace gausscse

int main(int argc, char** argv) {
  std::map<std::string, long> options{{"--rows", 1000000},     {"--queries", 1000},     {"--dimension", 384},
                                      {"--top", 10},           {"--threads", 2},        {"--checked", 10},
                                      {"--tensor_queries", 8}, {"--tensor_rows", 20000}};
  for (int i = 1; i < argc; i += 2) {
    if (!options.count(argv[i]) || i + 1 == argc) {
      std::fprintf(stderr, "benchmark_search: unknown option or missing value: %s\n", argv[i]);
      return 2;
    }
    options[argv[i]] = std::stol(argv[i + 1]);
  }
  gausscse::measure(options);
  return 0;
}
