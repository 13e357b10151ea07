#include "results/embeddings_file.hpp"
#include "tests/launcher/search_project.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST_F(Search, RefusesEmbeddingsOfOtherModels) {
  encode_both();
  const auto expect_refused = [&](const std::string& corpus, const std::string& queries, const std::string& text) {
    for (const int ranks : {0, 2}) {
      EXPECT_EQ(run_expecting(2, {"search", model_, corpus, queries}, {text}, ranks).output, "");
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

/// A flipped bit of a value, in each format, as CORPUS and as QUERIES, and where rows are added.
TEST_F(Search, RefusesDamagedEmbeddings) {
  for (const std::string suffix : {".h5", ".npz", ".safetensors"}) {
    const std::string whole = path("whole" + suffix), damaged = path("damaged" + suffix);
    run_expecting(0, {"encode", model_, queries_file_, whole});
    std::string bytes = read_whole_file(whole, 1 << 20);
    const std::vector<float> row = EmbeddingsReader(whole).read(8, 1);
    const std::size_t place =
        bytes.find(std::string(reinterpret_cast<const char*>(row.data()), dimension_of_search * sizeof(float)));
    ASSERT_NE(place, std::string::npos);
    bytes[place + 4] = static_cast<char>(bytes[place + 4] ^ 1);
    write_bytes(damaged, bytes);
    for (const int ranks : {0, 2}) {
      const std::string out = path("out.h5");
      for (const std::vector<std::string>& arguments :
           {std::vector<std::string>{"search", model_, damaged, queries_file_},
            {"search", model_, corpus_file_, damaged},
            {"similarity", model_, damaged, whole, out},
            {"similarity", model_, whole, damaged, out},
            {"encode", model_, queries_file_, damaged, "--append"}}) {
        run_expecting(2, arguments, {damaged + ": the file is damaged"}, ranks);
        EXPECT_FALSE(std::filesystem::exists(out));
      }
    }
    EXPECT_EQ(read_whole_file(damaged, 1 << 20), bytes);
  }
}

TEST_F(Search, NotesEmbeddingsWithoutAChecksum) {
  const std::vector<float> values(2 * dimension_of_search, 0.25f);
  const std::string header =
      concat(R"({"mean":{"dtype":"F32","shape":[1,)", dimension_of_search, R"(],"data_offsets":[0,)",
             4 * dimension_of_search, R"(]},"log_var":{"dtype":"F32","shape":[1,)", dimension_of_search,
             R"(],"data_offsets":[)", 4 * dimension_of_search, ",", 8 * dimension_of_search, "]}}");
  const std::string other =
      file("other.safetensors",
           concat(static_cast<char>(header.size()), std::string(7, '\0'), header,
                  std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float))));
  const std::string note = "other.safetensors: unchecked: the file has no checksum";
  run_expecting(0, {"search", model_, other, queries_file_}, {note});
  run_expecting(0, {"search", model_, corpus_file_, other}, {note});
  run_expecting(0, {"similarity", model_, queries_file_, other, path("out.npy")}, {note});
  run_expecting(0, {"similarity", model_, other, queries_file_, path("of-rows.npy")}, {note});
  encode_both();
  const ProgramRun whole = run_expecting(0, {"search", model_, path("corpus.h5"), path("queries.h5")});
  EXPECT_EQ(whole.errors.find("unchecked"), std::string::npos) << whole.errors;
}

TEST_F(Search, RefusesRowsWithoutSimilarities) {
  std::vector<Embedding> rows = random_rows(20000, 1);
  rows[17123][40] = std::numeric_limits<float>::quiet_NaN();
  rows[18000][2] = std::numeric_limits<float>::infinity();
  write_rows(path("nan.h5"), rows);
  for (const int ranks : {0, 3}) {
    run_expecting(2, {"search", model_, path("nan.h5"), queries_file_}, {"nan.h5: row 17123: ", "log-variance nan"},
                  ranks);
    run_expecting(2, {"search", model_, corpus_file_, path("nan.h5")}, {"nan.h5: query 17123: "}, ranks);
  }
}

TEST_F(Search, RefusesBadInput) {
  const auto expect_refused = [&](const std::vector<std::string>& arguments, const std::string& text) {
    EXPECT_EQ(run_expecting(2, arguments, {text}).output, "");
  };
  const std::string empty = file("empty.txt", "");
  expect_refused({"search", model_, empty, queries_file_}, "empty.txt: the file is empty");
  expect_refused({"search", model_, corpus_file_, empty}, "empty.txt: the file is empty");
  expect_refused({"search", model_, corpus_file_, path("missing.txt")}, "missing.txt");
  expect_refused(search({"--top", "0"}), "--top");
  expect_refused(search({"--direction", "backwards"}), "--direction");
  expect_refused(search({"--out", path("hits.csv")}),
                 "hits.csv: a search is not written as \".csv\": name the file .tsv");
  expect_refused(search({"--text", corpus_file_}), "corpus.txt is a text itself: leave out --text");
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
  const ProgramRun skipping =
      run_expecting(0, {"search", model_, bad, queries_file_, "--skip-bad-lines"}, {"lines is left out", "bad.txt:2"});
  EXPECT_EQ(printed_rows(skipping.output).size(), 18u);
}

TEST_F(Search, ReplacesNothingUnlessAskedTo) {
  const std::string mine = file("mine.tsv", "mine");
  run_expecting(2, search({"--out", mine}), {"--overwrite"});
  EXPECT_EQ(read_whole_file(mine, 100), "mine");
  run_expecting(0, search({"--out", mine, "--overwrite"}));
  EXPECT_EQ(printed_rows(read_whole_file(mine, 1 << 20).substr(read_whole_file(mine, 1 << 20).find('\n') + 1)).size(),
            90u);
  run_expecting(2, search({"--json", queries_file_}), {"--json"});
  for (const std::string& input : {corpus_file_, queries_file_}) {
    const std::string before = read_whole_file(input, 1 << 20);
    const std::string as_output = path("input.tsv");
    std::filesystem::create_hard_link(input, as_output);
    run_expecting(2, search({"--out", as_output, "--overwrite"}));
    EXPECT_EQ(read_whole_file(input, 1 << 20), before);
    std::filesystem::remove(as_output);
  }
}

}  // namespace
}  // namespace gausscse
