#include "base/philox.hpp"
#include "results/embeddings_file.hpp"
#include "results/hdf5_values.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/results/read_matrix.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

class SimilarityCommand : public TinyProjectTest {
 protected:
  SimilarityCommand() : model_(path("saved")), first_(tiny_sentences(40, 1)), second_(tiny_sentences(30, 2)) {
    save_tiny_model(project_, model_, {});
    second_[4] = first_[9];
    a_ = file("a.txt", lines_of(first_));
    b_ = file("b.txt", lines_of(second_));
  }

  void expect_matrix(const std::vector<float>& matrix, double (*similarity)(const Embedding&, const Embedding&)) const {
    const std::vector<Embedding> rows = embed_one_by_one(model_, first_), columns = embed_one_by_one(model_, second_);
    ASSERT_EQ(matrix.size(), first_.size() * second_.size());
    double asymmetry = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = 0; j < columns.size(); ++j) {
        const double expected = similarity(rows[i], columns[j]);
        ASSERT_NEAR(static_cast<double>(matrix[i * columns.size() + j]), expected, 3e-6) << i << ", " << j;
        asymmetry = std::max(asymmetry, std::abs(expected - similarity(columns[j], rows[i])));
      }
    EXPECT_GT(asymmetry, 1e-3);
  }

  std::string model_, a_, b_;
  std::vector<std::string> first_, second_;
};

TEST_F(SimilarityCommand, WritesTheMatrixOfTextsAndEncodedFilesForAnyRanks) {
  run_expecting(0, {"encode", model_, a_, path("a.h5")});
  run_expecting(0, {"encode", model_, b_, path("b.npz")});
  const std::string out = path("matrix.h5");
  run_expecting(0, {"similarity", model_, a_, b_, out}, {"40/40 rows", "40 x 30 similarities: "});
  const std::vector<float> matrix = read_matrix(out, "/similarity", 40, 30);
  expect_matrix(matrix, per_dimension_similarity);
  EXPECT_EQ(matrix[9 * 30 + 4], 1.0f);
  {
    const H5::H5File hdf5(out, H5F_ACC_RDONLY);
    EXPECT_EQ(read_text_attribute(hdf5, "content"), "row i, column j is sim(A_i || B_j)");
    EXPECT_EQ(read_text_attribute(hdf5, "similarity"), "per_dimension");
    EXPECT_EQ(read_text_attribute(hdf5, "model"), model_);
    EXPECT_EQ(read_text_attribute(hdf5, "A"), a_);
    EXPECT_EQ(read_text_attribute(hdf5, "B"), b_);
    const EmbeddingsReader encoded(path("a.h5"));
    EXPECT_EQ(read_text_attribute(hdf5, "model_hash"), encoded.attributes().at("model_hash"));
  }
  const std::string bytes = read_whole_file(out, 1 << 20);
  for (const int ranks : {2, 3}) {
    run_expecting(0, {"similarity", model_, a_, b_, out, "--overwrite", "--threads", "2"}, {}, ranks);
    EXPECT_TRUE(read_whole_file(out, 1 << 20) == bytes) << ranks << " ranks";
  }
  for (const int ranks : {0, 2}) {
    const std::string npy = path(concat("matrix-", ranks, ".npy"));
    run_expecting(0, {"similarity", model_, path("a.h5"), path("b.npz"), npy}, {}, ranks);
    const std::string array = read_whole_file(npy, 1 << 20);
    EXPECT_TRUE(says(array, "'shape': (40, 30)"));
    EXPECT_EQ(std::memcmp(array.data() + (array.size() - matrix.size() * sizeof(float)), matrix.data(),
                          matrix.size() * sizeof(float)),
              0);
  }
}

TEST_F(SimilarityCommand, FollowsTheModelsSimilarity) {
  save_tiny_model(project_, model_, {.similarity = Similarity::joint});
  run_expecting(0, {"similarity", model_, a_, b_, path("matrix.h5")}, {}, 2);
  expect_matrix(read_matrix(path("matrix.h5"), "/similarity", 40, 30), joint_similarity);
  EXPECT_EQ(read_text_attribute(H5::H5File(path("matrix.h5"), H5F_ACC_RDONLY), "similarity"), "joint");
}

/// More rows and columns than a tile has, of ranks that have different numbers of tiles; the last tile has one column.
TEST_F(SimilarityCommand, PutsTilesInTheirPlaces) {
  constexpr std::size_t rows = 1030, columns = 4097, dimension = 32;
  const auto write = [&](const std::string& name, std::size_t count, std::uint64_t seed) {
    PhiloxStream stream(seed, 1);
    std::vector<float> mean(count * dimension), log_var(count * dimension);
    for (std::size_t i = 0; i < mean.size(); ++i) {
      mean[i] = static_cast<float>(stream.uniform());
      log_var[i] = static_cast<float>(stream.uniform()) - 1;
    }
    EmbeddingsWriter writer(path(name), {"mean", "log_var"}, static_cast<std::int64_t>(count), dimension);
    writer.append({mean, log_var});
    writer.commit();
    std::vector<Embedding> embeddings;
    for (std::size_t i = 0; i < count; ++i) {
      Embedding row(mean.begin() + static_cast<std::ptrdiff_t>(i * dimension),
                    mean.begin() + static_cast<std::ptrdiff_t>((i + 1) * dimension));
      row.insert(row.end(), log_var.begin() + static_cast<std::ptrdiff_t>(i * dimension),
                 log_var.begin() + static_cast<std::ptrdiff_t>((i + 1) * dimension));
      embeddings.push_back(std::move(row));
    }
    return embeddings;
  };
  const std::vector<Embedding> a = write("long.h5", rows, 1), b = write("longer.h5", columns, 2);
  std::string bytes;
  for (const int ranks : {2, 0}) {
    run_expecting(0, {"similarity", model_, path("long.h5"), path("longer.h5"), path("m.npy"), "--overwrite"},
                  {"1030/1030 rows"}, ranks);
    const std::string array = read_whole_file(path("m.npy"), 1 << 25);
    if (bytes.empty()) bytes = array;
    EXPECT_TRUE(array == bytes);
  }
  std::vector<float> matrix(rows * columns);
  ASSERT_EQ(bytes.size(), 128 + matrix.size() * sizeof(float));
  std::memcpy(matrix.data(), bytes.data() + 128, matrix.size() * sizeof(float));
  for (const std::size_t i : {0, 1, 1023, 1024, 1029})
    for (const std::size_t j : {0, 2047, 2048, 4095, 4096})
      EXPECT_NEAR(matrix[i * columns + j], per_dimension_similarity(a[i], b[j]), 1e-7) << i << ", " << j;
}

/// Each side is named by its own file and line, and keeps its other lines.
TEST_F(SimilarityCommand, NamesTheBadLinesOfEachSide) {
  const std::string bad_a = file("bad_a.txt", first_[0] + "\n\xff\n" + lines_of({first_[1], first_[2]})),
                    bad_b = file("bad_b.txt", lines_of({second_[0], second_[1]}) + "\xfe\n\xff\n");
  run_expecting(2, {"similarity", model_, bad_a, b_, path("no.npy")}, {"bad_a.txt:2: byte 1"});
  run_expecting(2, {"similarity", model_, a_, bad_b, path("no.npy")}, {"bad_b.txt:3: byte 1"});
  run_expecting(0, {"similarity", model_, bad_a, bad_b, path("kept.h5"), "--skip-bad-lines"},
                {"bad_a.txt: 1 of 4 lines is left out", "bad_a.txt:2: byte 1", "bad_b.txt: 2 of 4 lines are left out",
                 "bad_b.txt:3: byte 1", "3 x 2 similarities"});
  const std::vector<float> kept = read_matrix(path("kept.h5"), "/similarity", 3, 2);
  const std::vector<Embedding> rows = embed_one_by_one(model_, first_), columns = embed_one_by_one(model_, second_);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 2; ++j)
      EXPECT_NEAR(kept[i * 2 + j], per_dimension_similarity(rows[i], columns[j]), 3e-6) << i << ", " << j;
}

TEST_F(SimilarityCommand, WarnsOfTheSentencesOfEachSide) {
  const std::string long_line = lines_of({tiny_sentences(50, 1)[49]}), odd_line = "zzz zzz w1\n";
  const std::string cut = file("cut.txt", long_line + "w1 w2\n"), odd = file("odd.txt", odd_line + "w3\n");
  const std::string of_cut = "cut.txt: 1 sentence has more than 16 tokens",
                    of_odd = "odd.txt: 50.0 % of 4 tokens are unknown to the tokenizer";
  for (const int ranks : {0, 2}) {
    run_expecting(0, {"similarity", model_, cut, odd, path("one.npy"), "--overwrite"}, {of_cut, of_odd}, ranks);
    run_expecting(0, {"similarity", model_, odd, cut, path("two.npy"), "--overwrite"}, {of_cut, of_odd}, ranks);
  }
}

/// Texts of more lines than a tile has columns or rows; rows behind the first tile are named by their own numbers.
TEST_F(SimilarityCommand, PutsTilesOfTextsInTheirPlaces) {
  constexpr std::size_t count = 2055;
  const std::vector<std::string> kinds = tiny_sentences(23, 3);
  std::vector<std::string> many;
  for (std::size_t i = 0; i < count; ++i) many.push_back(kinds[i % kinds.size()]);
  const std::string long_text = file("many.txt", lines_of(many)), kinds_text = file("kinds.txt", lines_of(kinds));
  run_expecting(0, {"similarity", model_, kinds_text, kinds_text, path("kinds.h5")});
  const std::vector<float> expected = read_matrix(path("kinds.h5"), "/similarity", 23, 23);
  run_expecting(0, {"similarity", model_, long_text, kinds_text, path("rows.h5")});
  run_expecting(0, {"similarity", model_, kinds_text, long_text, path("columns.h5")});
  const std::vector<float> of_rows = read_matrix(path("rows.h5"), "/similarity", count, 23),
                           of_columns = read_matrix(path("columns.h5"), "/similarity", 23, count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < 23; ++j) {
      ASSERT_EQ(of_rows[i * 23 + j], expected[i % 23 * 23 + j]) << i << ", " << j;
      ASSERT_EQ(of_columns[j * count + i], expected[j * 23 + i % 23]) << j << ", " << i;
    }
  std::vector<float> mean(32 * count, 0.5f), log_var(32 * count, 0.5f);
  mean[32 * 2051] = std::numeric_limits<float>::infinity();
  EmbeddingsWriter writer(path("bad.h5"), {"mean", "log_var"}, count, 32);
  writer.append({mean, log_var});
  writer.commit();
  for (const auto& [a, b] : {std::pair{path("bad.h5"), kinds_text}, {kinds_text, path("bad.h5")}})
    run_expecting(2, {"similarity", model_, a, b, path("no.npy")}, {"bad.h5: row 2051: "});
}

TEST_F(SimilarityCommand, RefusesBadInput) {
  const auto expect_refused = [&](const std::vector<std::string>& arguments, const std::string& text, int ranks = 0) {
    run_expecting(2, with({"similarity", model_}, arguments), {text}, ranks);
  };
  expect_refused({a_, b_, path("m.csv")}, "m.csv: a matrix is not written as \".csv\": name the file .h5");
  expect_refused({file("empty.txt", ""), b_, path("m.h5")}, "empty.txt: the file is empty");
  expect_refused({a_, path("missing.txt"), path("m.h5")}, "missing.txt");
  expect_refused({a_, b_, a_, "--overwrite"}, "OUT");
  EmbeddingsWriter writer(path("narrow.h5"), {"mean", "log_var"}, 1, 2);
  const std::vector<float> values{1, 2};
  writer.append({values, values});
  writer.commit();
  expect_refused({a_, path("narrow.h5"), path("m.h5")}, "the embeddings have 2 dimensions, those of the model have 32");
  std::vector<float> mean(32 * 5, 0.5f), log_var(32 * 5, 0.5f);
  log_var[32 * 3] = 400;
  EmbeddingsWriter wide(path("wide.h5"), {"mean", "log_var"}, 5, 32);
  wide.append({mean, log_var});
  wide.commit();
  expect_refused({path("wide.h5"), b_, path("m.h5")}, "wide.h5: row 3: ");
  expect_refused({a_, path("wide.h5"), path("m.h5")}, "wide.h5: row 3: ", 2);
  EXPECT_FALSE(std::filesystem::exists(path("m.h5")));
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    EXPECT_EQ(entry.path().string().find(".tmp-"), std::string::npos) << entry.path();
}

}  // namespace
}  // namespace gausscse
