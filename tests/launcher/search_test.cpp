#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/philox.hpp"
#include "inference/calibration/calibration.hpp"
#include "results/embeddings_file.hpp"
#include "results/hdf5_values.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/results/read_matrix.hpp"
#include "tests/support/refusal.hpp"

namespace gausscse {
namespace {

using namespace testing_support;
using Formula = double (*)(const Embedding&, const Embedding&);

constexpr std::size_t dimension_of_search = 32;

/// Columns of a line that `search` prints.
struct PrintedRow {
  std::size_t query = 0, rank = 0, row = 0;
  double forward = 0, backward = 0;
  std::string probability, log_var_difference, text;
};

std::vector<PrintedRow> printed_rows(const std::string& output) {
  std::vector<PrintedRow> rows;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> columns;
    std::istringstream rest(line);
    for (std::string column; std::getline(rest, column, '\t');) columns.push_back(column);
    columns.resize(8);
    rows.push_back({std::stoul(columns[0]), std::stoul(columns[1]), std::stoul(columns[2]), std::stod(columns[3]),
                    std::stod(columns[4]), columns[5], columns[6], columns[7]});
  }
  return rows;
}

/// Rows of embeddings as `encode` wrote them, [mean | log_var].
std::vector<Embedding> encoded_rows(const std::string& path, std::size_t rows) {
  const std::vector<float> mean = read_matrix(path, "/mean", rows, dimension_of_search),
                           log_var = read_matrix(path, "/log_var", rows, dimension_of_search);
  std::vector<Embedding> embeddings;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto first = static_cast<std::ptrdiff_t>(row * dimension_of_search);
    Embedding embedding(mean.begin() + first, mean.begin() + first + dimension_of_search);
    embedding.insert(embedding.end(), log_var.begin() + first, log_var.begin() + first + dimension_of_search);
    embeddings.push_back(std::move(embedding));
  }
  return embeddings;
}

double mean_log_var_of(const Embedding& row) {
  double sum = 0;
  for (std::size_t d = dimension_of_search; d < row.size(); ++d) sum += static_cast<double>(row[d]);
  return sum / dimension_of_search;
}

/// Writes a file of embeddings as `encode` would, without attributes.
void write_rows(const std::string& path, const std::vector<Embedding>& rows) {
  const std::size_t dimension = rows.front().size() / 2;
  std::vector<float> mean, log_var;
  for (const Embedding& row : rows) {
    const auto middle = row.begin() + static_cast<std::ptrdiff_t>(dimension);
    mean.insert(mean.end(), row.begin(), middle);
    log_var.insert(log_var.end(), middle, row.end());
  }
  EmbeddingsWriter writer(path, {"mean", "log_var"}, static_cast<std::int64_t>(rows.size()),
                          static_cast<std::int64_t>(dimension));
  writer.append({mean, log_var});
  writer.commit();
}

std::vector<Embedding> random_rows(std::size_t count, std::uint64_t seed) {
  PhiloxStream stream(seed, 3);
  std::vector<Embedding> rows(count, Embedding(2 * dimension_of_search));
  for (Embedding& row : rows)
    for (std::size_t d = 0; d < row.size(); ++d)
      row[d] = static_cast<float>(d < dimension_of_search ? stream.uniform() - 0.5 : 2 * stream.uniform() - 2);
  return rows;
}

class Search : public TinyProjectTest {
 protected:
  Search() : model_(path("saved")) {
    save_tiny_model(project_, model_, {});
    sentences_ = tiny_sentences(300, 1);
    sentences_[200] = sentences_[100];
    sentences_[7] = "";
    queries_ = tiny_sentences(9, 2);
    queries_[3] = sentences_[100];
    corpus_file_ = file("corpus.txt", lines_of(sentences_));
    queries_file_ = file("queries.txt", lines_of(queries_));
  }

  /// Encodes both files and keeps their embeddings.
  void encode_both() {
    for (const std::string name : {"corpus", "queries"})
      ASSERT_TRUE(ended(run_program({"encode", model_, path(name + ".txt"), path(name + ".h5"), "--overwrite"}), 0));
    rows_ = encoded_rows(path("corpus.h5"), sentences_.size());
    query_rows_ = encoded_rows(path("queries.h5"), queries_.size());
  }

  /// Returns the rows that are the best for a query by the float64 formula, equal ones in their order.
  std::vector<std::size_t> best_rows(const Embedding& query, const std::string& direction, Formula similarity,
                                     std::size_t top) const {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const double forward = similarity(query, rows_[row]), backward = similarity(rows_[row], query);
      order.emplace_back(direction == "entails"       ? forward
                         : direction == "entailed-by" ? backward
                                                      : std::min(forward, backward),
                         row);
    }
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < std::min(top, order.size()); ++i) rows.push_back(order[i].second);
    return rows;
  }

  void expect_best(const std::string& output, const std::string& direction, Formula similarity, std::size_t top) {
    const std::vector<PrintedRow> printed = printed_rows(output);
    const std::size_t found = std::min(top, rows_.size());
    ASSERT_EQ(printed.size(), query_rows_.size() * found);
    for (std::size_t query = 0; query < query_rows_.size(); ++query) {
      const std::vector<std::size_t> best = best_rows(query_rows_[query], direction, similarity, top);
      for (std::size_t i = 0; i < found; ++i) {
        SCOPED_TRACE(concat("query ", query, ", rank ", i + 1));
        const PrintedRow& row = printed[query * found + i];
        EXPECT_EQ(row.query, query);
        EXPECT_EQ(row.rank, i + 1);
        ASSERT_EQ(row.row, best[i]);
        EXPECT_NEAR(row.forward, similarity(query_rows_[query], rows_[best[i]]), 5.1e-7);
        EXPECT_NEAR(row.backward, similarity(rows_[best[i]], query_rows_[query]), 5.1e-7);
        EXPECT_NEAR(std::stod(row.log_var_difference),
                    mean_log_var_of(rows_[best[i]]) - mean_log_var_of(query_rows_[query]), 5.1e-7);
      }
    }
  }

  std::vector<std::string> search(const std::vector<std::string>& more = {}) const {
    return with({"search", model_, corpus_file_, queries_file_}, more);
  }

  std::string model_, corpus_file_, queries_file_;
  std::vector<std::string> sentences_, queries_;
  std::vector<Embedding> rows_, query_rows_;
};

TEST_F(Search, FindsTheRowsOfBruteForceForAnyRanksThreadsAndFiles) {
  encode_both();
  for (const std::string direction : {"entails", "entailed-by", "both"}) {
    SCOPED_TRACE(direction);
    const ProgramRun run = run_program(search({"--direction", direction, "--top", "7"}));
    ASSERT_EQ(run.exit_code, 0) << run.errors;
    expect_best(run.output, direction, per_dimension_similarity, 7);
    for (const PrintedRow& row : printed_rows(run.output)) EXPECT_EQ(row.text, sentences_[row.row]);
    // Each direction with other ranks, and the first with all.
    for (const auto& [ranks, threads] : {std::pair{0, "3"}, {2, "1"}, {3, "2"}}) {
      if (direction != "entails" && ranks != 2) continue;
      const ProgramRun other =
          run_program(search({"--direction", direction, "--top", "7", "--threads", threads}), ranks);
      EXPECT_TRUE(other.output == run.output) << ranks << " ranks: " << other.errors;
    }
    for (const int ranks : {0, 3}) {
      if (direction == "both" && ranks == 3) continue;
      const ProgramRun encoded = run_program({"search", model_, path("corpus.h5"), path("queries.h5"), "--direction",
                                              direction, "--top", "7", "--text", corpus_file_},
                                             ranks);
      EXPECT_TRUE(encoded.output == run.output) << ranks << " ranks: " << encoded.errors;
    }
  }
  EXPECT_TRUE(ended(run_program(search({"--direction", "entails"})), 0, {"300/300 lines"}));
  const ProgramRun of_defaults = run_program(search());
  expect_best(of_defaults.output, "entails", per_dimension_similarity, 10);
}

TEST_F(Search, FollowsTheModelsSimilarityAndGivesAllRowsOfASmallCorpus) {
  save_tiny_model(project_, model_, {.similarity = Similarity::joint});
  encode_both();
  const ProgramRun run = run_program({"search", model_, path("corpus.h5"), queries_file_, "--top", "1000"}, 3);
  ASSERT_TRUE(ended(run, 0, {"300/300 rows"}));
  expect_best(run.output, "entails", joint_similarity, 1000);
}

/// More rows than three ranks read at once.
TEST_F(Search, ReadsLongFilesInParts) {
  rows_ = random_rows(27000, 1);
  query_rows_ = random_rows(3, 2);
  rows_[26999] = rows_[11];
  query_rows_[1] = rows_[11];
  write_rows(path("long.h5"), rows_);
  write_rows(path("short.safetensors"), query_rows_);
  for (const int ranks : {0, 2, 3}) {
    const ProgramRun run = run_program(
        {"search", model_, path("long.h5"), path("short.safetensors"), "--top", "5", "--direction", "both"}, ranks);
    ASSERT_TRUE(ended(run, 0, {"27000/27000 rows"})) << run.errors;
    expect_best(run.output, "both", per_dimension_similarity, 5);
  }
}

/// A text of more lines than a block has; rows of both blocks are found by their texts.
TEST_F(Search, ReadsLongTextsInBlocks) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < 16400; ++i) lines.push_back(concat("w", i % 55, " w", i % 7, " w", i % 31));
  lines[5] = "w1 w2 w3 w4 w5 w6";
  lines[16395] = "w7 w6 w5 w4 w3 w2 w1";
  const std::string corpus = file("long.txt", lines_of(lines)),
                    queries = file("two.txt", lines[5] + "\n" + lines[16395] + "\n");
  const ProgramRun run = run_program({"search", model_, corpus, queries, "--top", "40", "--direction", "both"}, 2);
  ASSERT_TRUE(ended(run, 0, {"16400/16400 lines"}));
  const std::vector<PrintedRow> printed = printed_rows(run.output);
  ASSERT_EQ(printed.size(), 80u);
  EXPECT_EQ(printed[0].row, 5u);
  EXPECT_EQ(printed[40].row, 16395u);
  for (const PrintedRow& row : printed) EXPECT_EQ(row.text, lines[row.row]) << row.row;
  ASSERT_TRUE(ended(run_program({"encode", model_, corpus, path("long.h5")}), 0));
  EXPECT_EQ(
      run_program({"search", model_, path("long.h5"), queries, "--top", "40", "--direction", "both", "--text", corpus})
          .output,
      run.output);
}

TEST_F(Search, NamesItsColumnsOnceAndWritesTheSameForPrograms) {
  const std::string header =
      "query\trank\trow\tsim(query||row)\tsim(row||query)\tprobability\tlog_var_difference\ttext\n";
  const ProgramRun bare = run_program(search({"--top", "4"}));
  const ProgramRun headed = run_program(search({"--top", "4", "--header", "--json", path("hits.json")}), 2);
  ASSERT_EQ(headed.exit_code, 0) << headed.errors;
  EXPECT_EQ(headed.output, header + bare.output);
  for (const std::string name : {"hits.tsv", "hits.jsonl", "hits.h5"}) {
    const ProgramRun run = run_program(search({"--top", "4", "--out", path(name)}), 2);
    EXPECT_TRUE(ended(run, 0, {"9 queries, 300 rows: "}));
    EXPECT_EQ(run.output, "");
  }
  EXPECT_EQ(read_whole_file(path("hits.tsv"), 1 << 20), header + bare.output);
  const nlohmann::json json = nlohmann::json::parse(read_whole_file(path("hits.json"), 1 << 20));
  EXPECT_EQ(run_program(search({"--top", "4", "--json", "-"})).output, read_whole_file(path("hits.json"), 1 << 20));
  EXPECT_EQ(json["format"], "gausscse-search/1");
  EXPECT_EQ(json["similarity"], "per_dimension");
  EXPECT_EQ(json["direction"], "entails");
  EXPECT_EQ(json["queries"], 9);
  EXPECT_EQ(json["rows"], 300);
  const std::vector<PrintedRow> printed = printed_rows(bare.output);
  ASSERT_EQ(json["hits"].size(), printed.size());
  std::istringstream lines(read_whole_file(path("hits.jsonl"), 1 << 20));
  const H5::H5File file(path("hits.h5"), H5F_ACC_RDONLY);
  EXPECT_EQ(read_text_attribute(file, "direction"), "entails");
  const auto queries = read_values<std::int64_t>(file, "query"), ranks = read_values<std::int64_t>(file, "rank"),
             rows = read_values<std::int64_t>(file, "row");
  const auto forward = read_values<double>(file, "sim(query||row)"),
             backward = read_values<double>(file, "sim(row||query)"),
             probability = read_values<double>(file, "probability"),
             difference = read_values<double>(file, "log_var_difference");
  const std::vector<std::string> texts = read_texts(file, "text");
  ASSERT_EQ(rows.size(), printed.size());
  for (std::size_t i = 0; i < printed.size(); ++i) {
    const nlohmann::json& hit = json["hits"][i];
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(nlohmann::json::parse(line), hit);
    EXPECT_EQ(hit["query"], printed[i].query);
    EXPECT_EQ(hit["rank"], printed[i].rank);
    EXPECT_EQ(hit["row"], printed[i].row);
    EXPECT_NEAR(hit["sim(query||row)"].get<double>(), printed[i].forward, 5.1e-7);
    EXPECT_NEAR(hit["sim(row||query)"].get<double>(), printed[i].backward, 5.1e-7);
    EXPECT_TRUE(hit["probability"].is_null());
    EXPECT_EQ(hit["text"], sentences_[printed[i].row]);
    EXPECT_EQ(std::make_tuple(queries[i], ranks[i], rows[i], forward[i], backward[i], difference[i], texts[i]),
              std::make_tuple(hit["query"].get<std::int64_t>(), hit["rank"].get<std::int64_t>(),
                              hit["row"].get<std::int64_t>(), hit["sim(query||row)"].get<double>(),
                              hit["sim(row||query)"].get<double>(), hit["log_var_difference"].get<double>(),
                              hit["text"].get<std::string>()));
    EXPECT_TRUE(std::isnan(probability[i]));
  }
}

/// P = sigmoid(slope logit(s) + intercept) of the asked direction's similarity. The slope is so steep, around the
/// median similarity, that the directions' probabilities differ.
TEST_F(Search, PrintsTheProbabilityOfTheAskedDirection) {
  const auto hits_of = [&](const std::string& direction, int ranks) {
    const ProgramRun run = run_program(search({"--direction", direction, "--top", "20", "--json", "-"}), ranks);
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    return nlohmann::json::parse(run.output).at("hits");
  };
  const auto logit = [](double similarity) { return std::log(similarity / (1 - similarity)); };
  std::vector<double> logits;
  for (const nlohmann::json& hit : hits_of("entails", 0)) {
    const double similarity = hit.at("sim(query||row)");
    if (similarity < 0.9999) logits.push_back(logit(similarity));
  }
  ASSERT_GT(logits.size(), 20u);
  std::sort(logits.begin(), logits.end());
  CalibrationNumbers numbers;
  numbers.set = "dev";
  numbers.data_hash = std::string(32, '0');
  numbers.pairs = numbers.fitted = 4;
  numbers.entailed = 2;
  constexpr double slope = 500;
  numbers.platt = {slope, -slope * logits[logits.size() / 2]};
  numbers.logistic.scale.fill(1);
  numbers.isotonic = {{-1, 1}, {0, 1}};
  write_bytes(model_ + "/" + calibration_file, Calibration(numbers).text());
  const auto probability_of = [&](double similarity) {
    return 1 / (1 + std::exp(-(slope * logit(similarity) + numbers.platt.intercept)));
  };
  for (const std::string direction : {"entails", "entailed-by", "both"}) {
    const nlohmann::json hits = hits_of(direction, direction == "both" ? 2 : 0);
    ASSERT_EQ(hits.size(), 180u);
    double largest_difference = 0;
    for (const nlohmann::json& hit : hits) {
      const double forward = hit.at("sim(query||row)"), backward = hit.at("sim(row||query)");
      if (std::max(forward, backward) >= 0.9999) continue;
      const double similarity = direction == "entails"       ? forward
                                : direction == "entailed-by" ? backward
                                                             : std::min(forward, backward);
      EXPECT_NEAR(hit.at("probability").get<double>(), probability_of(similarity), 1e-9) << direction;
      largest_difference = std::max(largest_difference, std::abs(probability_of(forward) - probability_of(backward)));
    }
    EXPECT_GT(largest_difference, 1e-3) << "else the other direction's probability would do as well";
  }
  const std::string of_model = run_program(search({"--direction", "both", "--top", "20"})).output;
  const std::string elsewhere = path("elsewhere.json");
  std::filesystem::rename(model_ + "/" + calibration_file, elsewhere);
  const ProgramRun given = run_program(search({"--direction", "both", "--top", "20", "--calibration", elsewhere}));
  EXPECT_EQ(given.output, of_model) << given.errors;
  write_bytes(model_ + "/" + calibration_file, "{}");
  EXPECT_TRUE(ended(run_program(search(), 2), 2, {calibration_file}));

  const std::string other(32, '1');
  const std::string of_other_weights = Calibration(numbers).with_weights(other).text();
  write_bytes(model_ + "/" + calibration_file, of_other_weights);
  const ProgramRun left_out = run_program(search({"--top", "3"}), 2);
  EXPECT_TRUE(ended(left_out, 0, {"was fitted to other weights", other, "the column probability is empty"}));
  for (const PrintedRow& row : printed_rows(left_out.output)) EXPECT_EQ(row.probability, "");
  write_bytes(elsewhere, of_other_weights);
  EXPECT_TRUE(ended(run_program(search({"--calibration", elsewhere})), 2, {elsewhere, "other weights", other}));
}

TEST_F(Search, ExplainsEmptyColumns) {
  const ProgramRun run = run_program(search());
  EXPECT_TRUE(says(run.errors, "has no calibration.json that belongs to it: the column probability is empty"));
  for (const PrintedRow& row : printed_rows(run.output)) EXPECT_EQ(row.probability, "");
}

/// A model without variances: cosines, of which the tests' own are those of the encoded vectors.
TEST_F(Search, SearchesVectorsByCosine) {
  save_tiny_model(project_, model_,
                  {.similarity = Similarity::cosine, .threshold = std::nullopt, .head = HeadKind::none});
  for (const std::string name : {"corpus", "queries"})
    ASSERT_TRUE(ended(run_program({"encode", model_, path(name + ".txt"), path(name + ".npy")}), 0));
  const EmbeddingsReader corpus(path("corpus.npy")), queries(path("queries.npy"));
  const std::vector<float> rows = corpus.read(0, 300), asked = queries.read(0, 9);
  const std::size_t width = corpus.width();
  const auto cosine_of = [&](std::size_t query, std::size_t row) {
    double product = 0, of_query = 0, of_row = 0;
    for (std::size_t d = 0; d < width; ++d) {
      const double a = static_cast<double>(asked[query * width + d]), b = static_cast<double>(rows[row * width + d]);
      product += a * b;
      of_query += a * a;
      of_row += b * b;
    }
    return product / std::sqrt(of_query * of_row);
  };
  const ProgramRun run =
      run_program({"search", model_, path("corpus.npy"), path("queries.npy"), "--direction", "both"}, 2);
  ASSERT_TRUE(
      ended(run, 0, {"the column log_var_difference is empty", "has no direction: --direction changes nothing"}));
  const std::vector<PrintedRow> printed = printed_rows(run.output);
  ASSERT_EQ(printed.size(), 90u);
  for (std::size_t query = 0; query < 9; ++query) {
    std::vector<double> cosines;
    for (std::size_t row = 0; row < 300; ++row) cosines.push_back(cosine_of(query, row));
    std::sort(cosines.rbegin(), cosines.rend());
    for (std::size_t i = 0; i < 10; ++i) {
      const PrintedRow& found = printed[query * 10 + i];
      EXPECT_NEAR(cosine_of(query, found.row), cosines[i], 1e-12);
      EXPECT_NEAR(found.forward, cosines[i], 5.1e-7);
      EXPECT_EQ(found.forward, found.backward);
      EXPECT_EQ(found.log_var_difference, "");
    }
  }
}

TEST_F(Search, EscapesTabsOfTexts) {
  const std::string corpus = file("tabs.txt", "w1\tw2\nw3\n"), query = file("one.txt", "w1 w2\n");
  const std::vector<std::string> arguments{"search", model_, corpus, query, "--top", "2"};
  const ProgramRun run = run_program(arguments);
  EXPECT_NE(run.output.find("\tw1\\tw2\n"), std::string::npos) << run.output;
  const nlohmann::json json = nlohmann::json::parse(run_program(with(arguments, {"--json", "-"})).output);
  const auto& hits = json["hits"];
  EXPECT_EQ(std::count_if(hits.begin(), hits.end(), [](const auto& hit) { return hit["text"] == "w1\tw2"; }), 1);
}

TEST_F(Search, RefusesEmbeddingsOfOtherModels) {
  encode_both();
  const auto expect_refused = [&](const std::string& corpus, const std::string& queries, const std::string& text) {
    for (const int ranks : {0, 2}) {
      const ProgramRun run = run_program({"search", model_, corpus, queries}, ranks);
      EXPECT_TRUE(ended(run, 2, {text}));
      EXPECT_EQ(run.output, "");
    }
  };
  write_rows(path("narrow.h5"), {Embedding(40, 0.5f), Embedding(40, 0.25f)});
  expect_refused(path("narrow.h5"), queries_file_, "the embeddings have 20 dimensions, those of the model have 32");
  expect_refused(corpus_file_, path("narrow.h5"), "narrow.h5: the embeddings have 20 dimensions");
  write_bytes(path("other.parquet"), "PAR1\x15\x04");
  expect_refused(path("other.parquet"), queries_file_,
                 "give a text, or encode the sentences to .h5, .safetensors, .npz or .npy");
  const std::vector<float> vectors(64, 1.0f);
  EmbeddingsWriter writer(path("vectors.npy"), {"embedding"}, 1, 64);
  writer.append({vectors});
  writer.commit();
  expect_refused(path("vectors.npy"), queries_file_, "vectors.npy: the file has one vector for each sentence");

  save_tiny_model(project_, model_, {.head_seed = 6});
  expect_refused(path("corpus.h5"), queries_file_, "corpus.h5: the embeddings are of another model (\"" + model_);
  expect_refused(corpus_file_, path("queries.h5"), "queries.h5: the embeddings are of another model");
  save_tiny_model(project_, model_, {.similarity = Similarity::joint});
  expect_refused(path("corpus.h5"), queries_file_,
                 "of a model with the similarity \"per_dimension\", this model has \"joint\"");
}

TEST_F(Search, RefusesRowsWithoutSimilarities) {
  std::vector<Embedding> rows = random_rows(20000, 1);
  rows[17123][40] = std::numeric_limits<float>::quiet_NaN();
  rows[18000][2] = std::numeric_limits<float>::infinity();
  write_rows(path("nan.h5"), rows);
  for (const int ranks : {0, 3}) {
    EXPECT_TRUE(ended(run_program({"search", model_, path("nan.h5"), queries_file_}, ranks), 2,
                      {"nan.h5: row 17123: ", "log-variance nan"}));
    EXPECT_TRUE(
        ended(run_program({"search", model_, corpus_file_, path("nan.h5")}, ranks), 2, {"nan.h5: query 17123: "}));
  }
}

TEST_F(Search, RefusesBadInput) {
  const auto expect_refused = [&](const std::vector<std::string>& arguments, const std::string& text) {
    const ProgramRun run = run_program(arguments);
    EXPECT_TRUE(ended(run, 2, {text}));
    EXPECT_EQ(run.output, "");
  };
  const std::string empty = file("empty.txt", "");
  expect_refused({"search", model_, empty, queries_file_}, "empty.txt: the file is empty");
  expect_refused({"search", model_, corpus_file_, empty}, "empty.txt: the file is empty");
  expect_refused({"search", model_, corpus_file_, path("missing.txt")}, "missing.txt");
  expect_refused(search({"--top", "0"}), "--top");
  expect_refused(search({"--direction", "backwards"}), "--direction");
  expect_refused(search({"--out", path("hits.csv")}),
                 "hits.csv: a search is not written as \".csv\": name the file .tsv");
  expect_refused(search({"--text", corpus_file_}), "CORPUS is a text itself");
  expect_refused(search({"--mine-skip", "1"}), "--mine");
  expect_refused(search({"--mine", path("a.csv"), "--out", path("b.tsv")}), "--mine");
  EmbeddingsWriter none(path("none.h5"), {"mean", "log_var"}, 0, 32);
  none.commit();
  expect_refused({"search", model_, path("none.h5"), queries_file_}, "none.h5: the file has no rows");
  encode_both();
  expect_refused({"search", model_, path("corpus.h5"), queries_file_, "--text", queries_file_},
                 "the file has 9 lines, CORPUS " + path("corpus.h5") + " has 300 rows");
  const std::string bad = file("bad.txt", "w1\nw2 \xff\nw3\n");
  expect_refused({"search", model_, bad, queries_file_}, "bad.txt:2");
  const ProgramRun skipping = run_program({"search", model_, bad, queries_file_, "--skip-bad-lines"});
  EXPECT_TRUE(ended(skipping, 0, {"1 bad lines are left out", "bad.txt:2"}));
  EXPECT_EQ(printed_rows(skipping.output).size(), 18u);
}

TEST_F(Search, ReplacesNothingUnlessAskedTo) {
  const std::string mine = file("mine.tsv", "mine");
  EXPECT_TRUE(ended(run_program(search({"--out", mine})), 2, {"--overwrite"}));
  EXPECT_EQ(read_whole_file(mine, 100), "mine");
  EXPECT_TRUE(ended(run_program(search({"--out", mine, "--overwrite"})), 0));
  EXPECT_EQ(printed_rows(read_whole_file(mine, 1 << 20).substr(read_whole_file(mine, 1 << 20).find('\n') + 1)).size(),
            90u);
  EXPECT_TRUE(ended(run_program(search({"--json", queries_file_})), 2, {"--json"}));
  for (const std::string& input : {corpus_file_, queries_file_}) {
    const std::string before = read_whole_file(input, 1 << 20);
    const std::string as_output = path("input.tsv");
    std::filesystem::create_hard_link(input, as_output);
    EXPECT_EQ(run_program(search({"--out", as_output, "--overwrite"})).exit_code, 2);
    EXPECT_EQ(read_whole_file(input, 1 << 20), before);
    std::filesystem::remove(as_output);
  }
}

}  // namespace
}  // namespace gausscse
