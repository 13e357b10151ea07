#include "training/fit_head.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include "base/atomic_file.hpp"
#include "dist/communicator.hpp"
#include "model/folder/vector_head.hpp"
#include "model/weights/safetensors_writer.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/recording_observer.hpp"
#include "tests/training/tiny_training.hpp"
#include "training/train_trial.hpp"

// A head that is trained on arrays, compared with the training of a trial on the same vectors and examples in files.

namespace gausscse {
namespace {

namespace fs = std::filesystem;

using Texts = std::vector<std::string>;

constexpr std::int64_t vectors_in_test = 50, width_of_test = 6, examples_in_test = 40;

class FitHead : public testing::Test {
 protected:
  FitHead() {
    auto* const values = vectors_.mutable_data_ptr<float>();
    for (std::int64_t i = 0; i < vectors_.numel(); ++i)
      values[i] = static_cast<float>(std::sin(0.7 * static_cast<double>(i * i)));
    auto* const rows = triples_.mutable_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < triples_.numel(); ++i) rows[i] = (i * i * 7 + i * 3 + i / 3) % (vectors_in_test - 4);
  }

  /// Returns the trial whose files have the vectors, a text for each, and the examples.
  Trial trial(const Texts& overrides, std::int64_t roles) const {
    const std::span values(vectors_.const_data_ptr<float>(), static_cast<std::size_t>(vectors_.numel()));
    const SafetensorsImage image({float32_tensor("embedding", {vectors_in_test, width_of_test}, values)});
    write_file_atomically(folder_ / "vectors.safetensors", image.parts());
    std::string texts, examples = roles == 3 ? "sent0,sent1,hard_neg\n" : "sent0,sent1\n";
    for (std::int64_t row = 0; row < vectors_in_test; ++row) texts += concat("text ", row, "\n");
    const auto* const rows = triples_.const_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < examples_in_test; ++i)
      for (std::int64_t role = 0; role < roles; ++role)
        examples += concat("text ", rows[3 * i + role], role + 1 < roles ? "," : "\n");
    write_bytes(folder_ / "texts.txt", texts);
    write_bytes(folder_ / "examples.csv", examples);
    return parse_trial(
        "format: gausscse-trial/2\nrecipe: head\nmodel: {backbone: {vectors: vectors.safetensors, texts: "
        "texts.txt}}\ndata: {train: examples.csv}\ntraining: {batch_size: 7}\noutput: run\n",
        "trial", folder_.path(), overrides);
  }

  FittedHead fit(const Trial& trial, const at::Tensor& examples) {
    NoRequests requests;
    return fit_head(vectors_, examples, trial, 1, told_, requests);
  }
  std::string problem_of(const Texts& overrides, const at::Tensor& examples) {
    return input_error([&] { fit(trial(overrides, 3), examples); });
  }

  const TemporaryFolder folder_;
  const at::Tensor vectors_ = at::empty({vectors_in_test, width_of_test}, at::kFloat);
  const at::Tensor triples_ = at::empty({examples_in_test, 3}, at::kLong);
  RecordingObserver told_;
};

TEST_F(FitHead, GivesTheBitsOfATraining) {
  for (const Texts& keys : std::vector<Texts>{
           {},
           {"training.max_steps=9", "training.seed=5", "objective.temperature=0.1", "training.learning_rate=0.02"},
           {"model.head.log_var_start=data", "model.head.log_var=mlp", "model.head.log_var_width=5"},
           {"model.head.mean=linear", "model.head.scale=none", "objective.similarity=joint", "training.epochs=2"},
           {"data.order=file", "data.last_batch=keep", "training.micro_batch=2", "training.weight_decay=0.1"},
           {"model.head.kind=mlp_tanh", "objective.kind=cosine_contrastive", "training.clip_norm=0.5"},
           {"data.examples=entailment_pairs", "objective.loss=ent+rev"}}) {
    SCOPED_TRACE(testing::PrintToString(keys));
    const bool pairs = !keys.empty() && keys.front() == "data.examples=entailment_pairs";
    const Trial of_files = trial(keys, pairs ? 2 : 3);
    NoRequests requests;
    fs::remove_all(folder_ / "run");
    const RunResult expected = train_trial(of_files, {}, *make_self_communicator(), told_, requests);
    ASSERT_FALSE(expected.training.loss.empty());
    const FittedHead fitted = fit(of_files, pairs ? triples_.narrow(1, 0, 2).contiguous() : triples_);
    EXPECT_EQ(fitted.losses, expected.training.loss);
    SentenceEncoder& head = *encoder_of(*fitted.model.embedder);
    save_vector_head(folder_ / "fitted", head, fitted.model.properties, fitted.card);
    for (const char* file : {"gausscse.safetensors", "README.md"})
      EXPECT_EQ(read_whole_file(folder_ / "fitted" / file, 1 << 20),
                read_whole_file(folder_ / "run" / "model" / file, 1 << 20));
    const SavedModel saved = open_vector_head(folder_ / "run" / "model");
    EXPECT_TRUE(apply_head(head, vectors_).equal(apply_head(*saved.encoder, vectors_)));
    EXPECT_THROW(apply_head(head, vectors_, [] { throw std::domain_error("ended"); }), std::domain_error);
  }
}

TEST_F(FitHead, RefusesWrongArraysWithThePlace) {
  EXPECT_HAS(problem_of({}, triples_.narrow(1, 0, 2).contiguous()), "the examples have the shape [40, 2]: give [m, 3]");
  EXPECT_HAS(problem_of({}, triples_.narrow(0, 0, 0)), "the examples have the shape [0, 3]");
  EXPECT_HAS(problem_of({"training.batch_size=41"}, triples_), "the batch size 41 is larger than the 40 examples");
  for (const std::int64_t wrong : {std::int64_t{-1}, vectors_in_test}) {
    const at::Tensor examples = triples_.clone();
    examples[4][1] = wrong;
    EXPECT_HAS(problem_of({}, examples), concat("the examples: row 4 (from 0) names row ", wrong,
                                                " of vectors, which has 50 rows: give numbers from 0 to 49"));
  }
  const Trial of_files = trial({}, 3);
  const auto problem_of_vectors = [&](const at::Tensor& vectors) {
    return input_error([&] {
      NoRequests requests;
      fit_head(vectors, triples_, of_files, 1, told_, requests);
    });
  };
  EXPECT_HAS(problem_of_vectors(vectors_.narrow(0, 0, 0)), "vectors has the shape [0, 6]");
  at::Tensor vectors = vectors_.clone();
  vectors[7][2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_HAS(problem_of_vectors(vectors), "vectors: row 7 (from 0), value 2 is nan");
  vectors = vectors_.clone();
  vectors[49].zero_();
  EXPECT_HAS(problem_of_vectors(vectors), "vectors: row 49 (from 0) has zeros alone");
}

TEST_F(FitHead, StopsWhereItIsAsked) {
  StopAfter requests(3);
  EXPECT_THROW(fit_head(vectors_, triples_, trial({}, 3), 1, told_, requests), TrainingStopped);
  EXPECT_EQ(told_.steps.size(), 3u);
}

}  // namespace
}  // namespace gausscse
