#include <nlohmann/json.hpp>

#include "inference/calibration/calibration.hpp"
#include "results/embeddings_file.hpp"
#include "results/hdf5_values.hpp"
#include "tests/launcher/search_project.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST_F(Search, FindsTheRowsOfBruteForceForAnyRanksThreadsAndFiles) {
  encode_both();
  for (const std::string direction : {"entails", "entailed-by", "both"}) {
    SCOPED_TRACE(direction);
    const ProgramRun run = run_expecting(0, search({"--direction", direction, "--top", "7"}));
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
  run_expecting(0, search({"--direction", "entails"}), {"300/300 lines"});
  const ProgramRun of_defaults = run_program(search());
  expect_best(of_defaults.output, "entails", per_dimension_similarity, 10);
}

TEST_F(Search, FollowsTheModelsSimilarityAndGivesAllRowsOfASmallCorpus) {
  save_tiny_model(project_, model_, {.similarity = Similarity::joint});
  encode_both();
  const ProgramRun run =
      run_expecting(0, {"search", model_, path("corpus.h5"), queries_file_, "--top", "1000"}, {"300/300 rows"}, 3);
  expect_best(run.output, "entails", joint_similarity, 1000);
}

TEST_F(Search, EqualRowsStandInTheirOrder) {
  const std::string corpus = file("equal.txt", "w1 w2\nw5 w9 w3\nw1 w2\nw1 w2\nw7\nw1 w2\n"),
                    query = file("query.txt", "w1 w2\n");
  for (const std::string top : {"50", "6", "3"}) {
    const ProgramRun run = run_expecting(0, {"search", model_, corpus, query, "--top", top});
    const std::vector<PrintedRow> rows = printed_rows(run.output);
    ASSERT_EQ(rows.size(), top == "3" ? 3u : 6u);
    std::vector<std::size_t> equal;
    for (const PrintedRow& row : rows)
      if (row.text == "w1 w2") equal.push_back(row.row);
    EXPECT_EQ(equal, top == "3" ? (std::vector<std::size_t>{0, 2, 3}) : (std::vector<std::size_t>{0, 2, 3, 5}));
  }
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
    const ProgramRun run = run_expecting(
        0, {"search", model_, path("long.h5"), path("short.safetensors"), "--top", "5", "--direction", "both"},
        {"27000/27000 rows"}, ranks);
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
  const ProgramRun run = run_expecting(0, {"search", model_, corpus, queries, "--top", "40", "--direction", "both"},
                                       {"16400/16400 lines"}, 2);
  const std::vector<PrintedRow> printed = printed_rows(run.output);
  ASSERT_EQ(printed.size(), 80u);
  EXPECT_EQ(printed[0].row, 5u);
  EXPECT_EQ(printed[40].row, 16395u);
  for (const PrintedRow& row : printed) EXPECT_EQ(row.text, lines[row.row]) << row.row;
  run_expecting(0, {"encode", model_, corpus, path("long.h5")});
  EXPECT_EQ(
      run_program({"search", model_, path("long.h5"), queries, "--top", "40", "--direction", "both", "--text", corpus})
          .output,
      run.output);
}

TEST_F(Search, NamesItsColumnsOnceAndWritesTheSameForPrograms) {
  const std::string header =
      "query\trank\trow\tsim(query||row)\tsim(row||query)\tprobability\tlog_var_difference\ttext\n";
  const ProgramRun bare = run_program(search({"--top", "4"}));
  const ProgramRun headed = run_expecting(0, search({"--top", "4", "--header", "--json", path("hits.json")}), {}, 2);
  EXPECT_EQ(headed.output, header + bare.output);
  for (const std::string name : {"hits.tsv", "hits.jsonl", "hits.h5"}) {
    EXPECT_EQ(run_expecting(0, search({"--top", "4", "--out", path(name)}), {"9 queries, 300 rows: "}, 2).output, "");
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
    const ProgramRun run =
        run_expecting(0, search({"--direction", direction, "--top", "20", "--json", "-"}), {}, ranks);
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
  run_expecting(2, search(), {calibration_file}, 2);

  const std::string other(32, '1');
  const std::string of_other_weights = Calibration(numbers).with_weights(other).text();
  write_bytes(model_ + "/" + calibration_file, of_other_weights);
  const ProgramRun left_out = run_expecting(
      0, search({"--top", "3"}), {"was fitted to other weights", other, "the column probability is empty"}, 2);
  for (const PrintedRow& row : printed_rows(left_out.output)) EXPECT_EQ(row.probability, "");
  write_bytes(elsewhere, of_other_weights);
  run_expecting(2, search({"--calibration", elsewhere}), {elsewhere, "other weights", other});
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
    run_expecting(0, {"encode", model_, path(name + ".txt"), path(name + ".npy")});
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
      run_expecting(0, {"search", model_, path("corpus.npy"), path("queries.npy"), "--direction", "both"},
                    {"the column log_var_difference is empty", "has no direction: --direction changes nothing"}, 2);
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
  EXPECT_TRUE(says(run_program(arguments).output, "\tw1\\tw2\n"));
  const nlohmann::json json = nlohmann::json::parse(run_program(with(arguments, {"--json", "-"})).output);
  const auto& hits = json["hits"];
  EXPECT_EQ(std::count_if(hits.begin(), hits.end(), [](const auto& hit) { return hit["text"] == "w1\tw2"; }), 1);
}

}  // namespace
}  // namespace gausscse
