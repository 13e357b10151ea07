#include <ATen/Parallel.h>

#include "base/philox.hpp"
#include "data/word_vectors/word_vectors.hpp"
#include "dist/communicator.hpp"
#include "evaluation/task_list.hpp"
#include "inference/embed_sentences.hpp"
#include "model/mean_of_vectors.hpp"
#include "tests/evaluation/task/model_to_read_for.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Vector = std::vector<double>;

constexpr std::size_t width = 7;

/// 150 words with a vector, of which 50 more are without, and tasks whose sentences are made of both. Each rank has its
/// own files, which are the same.
class WordVectorTasks : public testing::Test {
 protected:
  WordVectorTasks() {
    std::string text;
    for (std::size_t i = 0; i < 150; ++i) {
      const std::string word = "w" + std::to_string(i);
      text += word;
      for (std::size_t d = 0; d < width; ++d) {
        const float value = static_cast<float>(static_cast<int>(stream_.below(2001)) - 1000) / 64;
        vectors_[word].push_back(static_cast<double>(value));
        text += " " + std::to_string(value);
      }
      text += "\n";
    }
    write_bytes(folder_ / "vectors.txt", text);
    opened_ = std::make_shared<const WordVectors>(folder_ / "vectors.txt");
    tokenizer_.emplace(opened_);
    model_.emplace([this](std::uint32_t word) { return opened_->row(word); },
                   static_cast<std::int64_t>(opened_->width()));
  }

  /// Returns `words` of them; a quarter has no vector.
  std::string sentence(std::size_t words) {
    std::string text;
    for (std::size_t i = 0; i < words; ++i) text += (text.empty() ? "w" : " w") + std::to_string(stream_.below(200));
    return text;
  }

  /// By the definition.
  Vector mean_of(const std::string& sentence) const {
    Vector mean(width, 0.0);
    double count = 0;
    std::istringstream words(sentence);
    for (std::string word; words >> word;) {
      const auto found = vectors_.find(word);
      if (found == vectors_.end()) continue;
      for (std::size_t d = 0; d < width; ++d) mean[d] += found->second[d];
      ++count;
    }
    for (double& value : mean) value /= std::max(count, 1.0);
    return mean;
  }

  double cosine_of(const std::string& a, const std::string& b) const {
    const Vector p = mean_of(a), q = mean_of(b);
    const double length = std::sqrt(std::inner_product(p.begin(), p.end(), p.begin(), 0.0)) *
                          std::sqrt(std::inner_product(q.begin(), q.end(), q.begin(), 0.0));
    return length == 0 ? 0 : std::inner_product(p.begin(), p.end(), q.begin(), 0.0) / length;
  }

  SentenceModel task_model() const {
    SentenceModel model = model_to_read_for(*tokenizer_, 1000, 1000, {.similarity = Similarity::cosine});
    model.embedder = std::make_unique<MeanOfVectors>(*model_);
    return model;
  }

  PhiloxStream stream_{7, 1};
  TemporaryFolder folder_;
  std::unique_ptr<Communicator> communicator_ = make_mpi_communicator();
  std::map<std::string, Vector> vectors_;
  std::shared_ptr<const WordVectors> opened_;
  std::optional<WordTokenizer> tokenizer_;
  std::optional<MeanOfVectors> model_;
};

/// Batches of about 1,000 words: several for each rank and thread.
TEST_F(WordVectorTasks, EmbeddingsAreTheMeansForAnyRanksAndThreads) {
  std::vector<std::string> sentences{"", "w199 unknown"};
  for (std::size_t i = 0; i < 700; ++i) sentences.push_back(sentence(i % 40));
  const TokenStore store = TokenStore::from_sentences(sentences, *tokenizer_, 1000, 2);
  EXPECT_EQ(store.cut_sentences(), 0u);
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    const at::Tensor rows = embed_sentences(*model_, store, *communicator_);
    ASSERT_EQ(rows.sizes(), (std::vector<std::int64_t>{702, width}));
    const float* row = rows.const_data_ptr<float>();
    for (std::size_t i = 0; i < sentences.size(); ++i, row += width) {
      const Vector expected = mean_of(sentences[i]);
      for (std::size_t d = 0; d < width; ++d) ASSERT_EQ(row[d], static_cast<float>(expected[d])) << sentences[i];
    }
  }
  at::set_num_threads(1);
}

TEST_F(WordVectorTasks, SentencesWithoutAnyWordAreZero) {
  const TokenStore store = TokenStore::from_sentences(std::vector<std::string>{"none", "", "of"}, *tokenizer_, 9, 1);
  const at::Tensor rows = embed_sentences(*model_, store, *communicator_);
  for (std::int64_t i = 0; i < 3 * static_cast<std::int64_t>(width); ++i)
    EXPECT_EQ(rows.const_data_ptr<float>()[i], 0.0f);
}

/// Scores without ties: 1 - 6 sum of squared rank differences / (n (n^2 - 1)).
TEST_F(WordVectorTasks, StsAndNliAreThoseOfTheMeansCosines) {
  constexpr std::size_t pairs = 40;
  std::string sts, nli;
  Vector cosines;
  std::vector<bool> entailed;
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::string a = sentence(9 + i % 5), b = sentence(8 + i % 3);
    sts += "g\tf\ty\t1\t" + std::to_string(0.125 * static_cast<double>(i)) + "\t" + a + " \t" + b + "\n";
    nli += std::string("{\"gold_label\": \"") + (i % 3 == 0 ? "entailment" : "neutral") + "\", \"sentence1\": \"" + a +
           "\", \"sentence2\": \"" + b + "\"}\n";
    ASSERT_NE(cosine_of(a, b), 0);
    cosines.push_back(cosine_of(a, b));
    entailed.push_back(i % 3 == 0);
  }
  write_bytes(folder_ / "sts.csv", sts);
  write_bytes(folder_ / "nli.jsonl", nli);
  const std::vector<TaskSettings> settings{
      {"sts", 0, StsTaskSettings{.files = {folder_ / "sts.csv"}}},
      {"nli", 0, NliTaskSettings{.file = folder_ / "nli.jsonl", .threshold = "0.1"}}};
  const TaskList tasks = make_tasks(settings, task_model(), {});
  const auto measured = measure_tasks(
      tasks, [](const ListedTask&) { return true; }, *model_, *communicator_);
  if (!communicator_->is_root()) return;
  ASSERT_EQ(measured.size(), 2u);
  double squares = 0, right = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    double rank = 0;
    for (const double other : cosines) rank += other < cosines[i];
    squares += (rank - static_cast<double>(i)) * (rank - static_cast<double>(i));
    right += (cosines[i] >= 0.1) == entailed[i];
  }
  constexpr double n = pairs;
  EXPECT_NEAR(metric_of(measured[0], "spearman"), 1 - 6 * squares / (n * (n * n - 1)), 1e-12);
  EXPECT_NEAR(metric_of(measured[1], "accuracy"), right / n, 1e-12);
  const auto* of_pairs = find_column<Vector>(measured[0], "cosine");
  const auto* gold = find_column<Vector>(measured[0], "gold");
  ASSERT_TRUE(of_pairs && gold);
  ASSERT_EQ(of_pairs->size(), pairs);
  for (std::size_t i = 0; i < pairs; ++i) {
    EXPECT_NEAR((*of_pairs)[i], cosines[i], 1e-6);
    EXPECT_EQ(gold->at(i), 0.125 * static_cast<double>(i));
  }
  EXPECT_EQ(measured[0].columns.size(), 3u) << "vectors have no symmetric similarity";
  EXPECT_TRUE(std::isnan(metric_of(measured[1], "direction_sim")));
}

/// Queries are hypotheses, of which each has one premise among all.
TEST_F(WordVectorTasks, RetrievalRanksTheMeansCosines) {
  constexpr std::size_t pairs = 60;
  std::string nli;
  std::vector<std::string> premises, queries;
  for (std::size_t i = 0; i < pairs; ++i) {
    premises.push_back(sentence(6 + i % 5) + " w1");
    // Some words of the premise, so that it is often, and not always, the first one.
    queries.push_back(premises.back().substr(0, premises.back().find(' ', 8)) + " " + sentence(3));
    nli += std::string("{\"gold_label\": \"entailment\", \"sentence1\": \"") + premises[i] + "\", \"sentence2\": \"" +
           queries[i] + "\"}\n";
  }
  write_bytes(folder_ / "nli.jsonl", nli);
  const std::vector<TaskSettings> settings{{"found", 0, RetrievalTaskSettings{.path = folder_ / "nli.jsonl"}}};
  const TaskList tasks = make_tasks(settings, task_model(), {});
  const auto measured = measure_tasks(
      tasks, [](const ListedTask&) { return true; }, *model_, *communicator_);
  ASSERT_EQ(measured.size(), communicator_->is_root() ? 1u : 0u);
  if (!communicator_->is_root()) return;
  const auto* precision = find_column<Vector>(measured[0], "map");
  const auto* first = find_column<Vector>(measured[0], "recall_at_1");
  ASSERT_TRUE(precision && first && precision->size() == pairs);
  double found = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    double rank = 1;
    for (const std::string& other : premises)
      rank += cosine_of(queries[i], other) > cosine_of(queries[i], premises[i]) + 1e-9;
    EXPECT_NEAR(precision->at(i), 1 / rank, 1e-12) << i;
    EXPECT_EQ(first->at(i), rank == 1) << i;
    found += rank == 1;
  }
  EXPECT_GT(found, 0);
  EXPECT_LT(found, pairs);
  EXPECT_NEAR(metric_of(measured[0], "recall_at_1"), found / pairs, 1e-12);
}

/// Subset after subset, each with its number.
TEST_F(WordVectorTasks, StsTellsTheSubsetOfEachPair) {
  write_bytes(folder_ / "one.csv", "g\tf\ty\t1\t2\tw1 w2\tw3\ng\tf\ty\t1\t4\tw4\tw5\n");
  write_bytes(folder_ / "two.csv", "g\tf\ty\t1\t3\tw6\tw7\ng\tf\ty\t1\t1\tw8\tw9\ng\tf\ty\t1\t0\tw1\tw9\n");
  const std::vector<TaskSettings> settings{
      {"sts", 0, StsTaskSettings{.files = {folder_ / "one.csv", folder_ / "two.csv"}}}};
  const TaskList tasks = make_tasks(settings, task_model(), {});
  const auto measured = measure_tasks(
      tasks, [](const ListedTask&) { return true; }, *model_, *communicator_);
  if (!communicator_->is_root()) return;
  EXPECT_EQ(*find_column<Vector>(measured.at(0), "gold"), (Vector{2, 4, 3, 1, 0}));
  EXPECT_EQ(*find_column<std::vector<std::int64_t>>(measured[0], "subset"), (std::vector<std::int64_t>{0, 0, 1, 1, 1}));
  EXPECT_NEAR(find_column<Vector>(measured[0], "cosine")->at(3), cosine_of("w8", "w9"), 1e-6);
}

TEST_F(WordVectorTasks, TasksOfLayersAreRefused) {
  write_bytes(folder_ / "text.txt", "w1 w2\nw3\n");
  const std::vector<TaskSettings> settings{{"tokens", 0, GeometryTaskSettings{.file = folder_ / "text.txt"}}};
  EXPECT_TRUE(says(refusal_of([&] { make_tasks(settings, task_model(), {}); }),
                   "the task \"tokens\" measures the layers of an encoder, and word vectors have none"));
}

}  // namespace
}  // namespace gausscse
