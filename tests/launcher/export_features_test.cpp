#include "inference/export/features.hpp"
#include "results/hdf5_values.hpp"
#include "tests/launcher/export_fixture.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
/// KL(q || p) of two rows [mean | log_var], in float64.
double divergence_of_rows(const float* q, const float* p, std::size_t dimension) {
  double sum = 0;
  for (std::size_t d = 0; d < dimension; ++d) {
    const double var_q = std::exp(static_cast<double>(q[dimension + d])),
                 var_p = std::exp(static_cast<double>(p[dimension + d]));
    const double apart = static_cast<double>(q[d]) - static_cast<double>(p[d]);
    sum += var_q / var_p + apart * apart / var_p - 1 + std::log(var_p / var_q);
  }
  return sum / 2;
}

/// The order of all rows by inner product of features is that by joint KL in float64, and the products are KL but for a
/// constant of the query.
TEST_F(Export, InnerProductsOfFeaturesOrderByJointKl) {
  const std::string corpus = file("corpus.txt", lines_of(tiny_sentences(150, 3))),
                    queries = file("queries.txt", lines_of(tiny_sentences(12, 9)));
  const std::vector<float> rows = encode(model_, corpus), asked = encode(model_, queries);
  run_expecting(0, {"encode", model_, corpus, path("corpus.safetensors")});
  for (const std::string direction : {"entails", "entailed-by"}) {
    SCOPED_TRACE(direction);
    const auto features_of = [&](const std::string& sentences, const std::string& side, const std::string& output) {
      EXPECT_TRUE(ended(export_as("features", path(output),
                                  {"--sentences", sentences, "--side", side, "--direction", direction, "--overwrite"}),
                        0));
      const std::string bytes = read_whole_file(path(output), 1 << 24);
      const std::size_t count = bytes.size() / (65 * sizeof(float));  // the header is shorter than a row of features
      std::vector<float> values(count * 65);
      std::copy_n(bytes.data() + bytes.size() - values.size() * sizeof(float), values.size() * sizeof(float),
                  reinterpret_cast<char*>(values.data()));
      EXPECT_TRUE(says(bytes, concat("'shape': (", count, ", 65)")));
      return values;
    };
    const std::vector<float> stored = features_of(corpus, "stored", "stored.npy"),
                             query = features_of(queries, "query", "query.npy");
    EXPECT_EQ(features_of(path("corpus.safetensors"), "stored", "again.npy"), stored);
    ASSERT_EQ(stored.size(), 150u * 65);
    ASSERT_EQ(query.size(), 12u * 65);
    for (std::size_t i = 0; i < 12; ++i) {
      std::vector<double> products(150), divergences(150);
      for (std::size_t k = 0; k < 150; ++k) {
        for (std::size_t d = 0; d < 65; ++d)
          products[k] += static_cast<double>(query[i * 65 + d]) * static_cast<double>(stored[k * 65 + d]);
        const float *of_query = &asked[i * 64], *of_row = &rows[k * 64];
        divergences[k] = direction == "entails" ? divergence_of_rows(of_query, of_row, 32)
                                                : divergence_of_rows(of_row, of_query, 32);
      }
      for (std::size_t k = 1; k < 150; ++k)
        ASSERT_NEAR(products[k] - products[0], -2 * (divergences[k] - divergences[0]),
                    2e-4 * (1 + divergences[k] + divergences[0]));
      std::vector<std::size_t> by_product(150), by_divergence(150);
      std::iota(by_product.begin(), by_product.end(), std::size_t{0});
      by_divergence = by_product;
      std::ranges::stable_sort(by_product, [&](std::size_t a, std::size_t b) { return products[a] > products[b]; });
      std::ranges::stable_sort(by_divergence,
                               [&](std::size_t a, std::size_t b) { return divergences[a] < divergences[b]; });
      // Rows in the same place are the same, or as near as float32 knows.
      for (std::size_t place = 0; place < 150; ++place)
        ASSERT_NEAR(divergences[by_product[place]], divergences[by_divergence[place]],
                    1e-4 * (1 + divergences[by_divergence[place]]))
            << "query " << i << ", place " << place;
      EXPECT_NE(by_divergence.front(), by_divergence.back());
    }
  }
}

TEST_F(Export, FeaturesNeedTheirSideAndDirection) {
  const std::string input = file("in.txt", "w1 w2\n");
  const auto features = [&](const std::vector<std::string>& more) {
    return export_as("features", path("out.npy"), more);
  };
  EXPECT_TRUE(ended(features({}), 2, {"give --sentences"}));
  EXPECT_TRUE(ended(features({"--sentences", input}), 2, {"give --side stored|query"}));
  EXPECT_TRUE(ended(features({"--sentences", input, "--side", "query"}), 2, {"give --direction"}));
  EXPECT_TRUE(ended(features({"--sentences", input, "--side", "query", "--direction", "both"}), 2,
                    {"--direction: \"both\" is not known"}));
  EXPECT_TRUE(ended(features({"--sentences", input, "--side", "left", "--direction", "entails"}), 2, {"--side"}));
  const std::vector<std::string> all{"--sentences", input, "--side", "query", "--direction", "entails"};
  EXPECT_TRUE(ended(export_as("features", path("out.csv"), all), 2, {"embeddings are not written as \".csv\""}));
  for (const auto& [similarity, advice] : {std::pair{Similarity::wasserstein, "search by Euclidean distance"},
                                           {Similarity::cosine, "search by cosine"},
                                           {Similarity::symmetric, "use `gausscse search`"}}) {
    const std::string other = path(std::string(name_of(similarity)));
    save_tiny_model(
        project_, other,
        {.similarity = similarity, .head = similarity == Similarity::cosine ? HeadKind::mlp_tanh : HeadKind::gaussian});
    run_expecting(2, with({"export", other, path("out.npy"), "--as", "features"}, all),
                  {std::string(name_of(similarity)), advice});
  }
  EXPECT_FALSE(fs::exists(path("out.npy")));
  save_tiny_model(project_, path("each"), {});
  run_expecting(0, with({"export", path("each"), path("out.npy"), "--as", "features"}, all),
                {"these features order by joint KL", "1 rows of 65 features"});
  EXPECT_TRUE(ended(export_as("features", path("out.npy"), all), 2, {"--overwrite"}));
}

/// The file names its side, direction and model; bad lines are left out on demand.
TEST_F(Export, FeaturesNameWhatTheyAreOf) {
  const std::string input = file("bad.txt", "w1 w2\n\xff\nw3\n");
  const std::vector<std::string> options{"--sentences", input, "--side", "stored", "--direction", "entailed-by"};
  EXPECT_TRUE(ended(export_as("features", path("no.h5"), options), 2, {"bad.txt:2: byte 1"}));
  ASSERT_TRUE(ended(export_as("features", path("features.h5"), with(options, {"--skip-bad-lines"})), 0,
                    {"bad.txt: 1 of 3 lines is left out", "2 rows of 65 features"}));
  run_expecting(0, {"encode", model_, file("in.txt", "w1 w2\nw3\n"), path("in.npz")});
  const H5::H5File features(path("features.h5"), H5F_ACC_RDONLY);
  EXPECT_EQ(read_text_attribute(features, "format"), "gausscse-features/1");
  EXPECT_EQ(read_text_attribute(features, "side"), "stored");
  EXPECT_EQ(read_text_attribute(features, "direction"), "entailed-by");
  EXPECT_EQ(read_text_attribute(features, "model"), model_);
  EXPECT_EQ(read_text_attribute(features, "model_hash"),
            EmbeddingsReader(path("in.npz")).attributes().at("model_hash"));
  EXPECT_EQ(features.openDataSet("features").getSpace().getSimpleExtentNpoints(), 2 * 65);
}

/// A row behind the first block of a file has its own number, from 1.
TEST_F(Export, FeaturesThatAreTooLargeAreNamedByTheirRow) {
  constexpr std::size_t count = 8200;
  std::vector<float> mean(32 * count, 0.5f), log_var(32 * count, 0.5f);
  log_var[32 * 8195] = -200;
  EmbeddingsWriter writer(path("large.h5"), {"mean", "log_var"}, count, 32);
  writer.append({mean, log_var});
  writer.commit();
  EXPECT_TRUE(ended(export_as("features", path("features.npy"),
                              {"--sentences", path("large.h5"), "--side", "stored", "--direction", "entails"}),
                    2, {"large.h5: row 8196: "}));
}

}  // namespace
}  // namespace gausscse
