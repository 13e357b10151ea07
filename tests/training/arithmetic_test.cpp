#include "training/arithmetic.hpp"

#include "tests/support/testing.hpp"
#include "tests/training/recording_observer.hpp"

namespace gausscse {
namespace {

Trial trial_with(Precision precision, setting::Reproducibility reproducibility) {
  Trial trial;
  trial.training.precision = precision;
  trial.reproducibility = reproducibility;
  return trial;
}

const Trial fast = trial_with(Precision::full, setting::Reproducibility::fast);
const Trial fast_bf16 = trial_with(Precision::bfloat16, setting::Reproducibility::fast);
const Trial invariant = trial_with(Precision::full, setting::Reproducibility::rank_invariant);
const Trial invariant_bf16 = trial_with(Precision::bfloat16, setting::Reproducibility::rank_invariant);

/// Returns the provenance of three ranks, the last of which may differ.
Provenance provenance_with(const std::string& instruction_set, const std::string& bfloat16_instructions) {
  Provenance provenance;
  provenance.hosts = {"a", "a", "b"};
  provenance.instruction_sets = {"avx512", "avx512", instruction_set};
  provenance.bfloat16_instructions = {"amx", "amx", bfloat16_instructions};
  return provenance;
}

std::vector<std::string> warnings_of(const Trial& trial, const Provenance& provenance) {
  RecordingObserver warnings;
  check_arithmetic(trial, provenance, warnings);
  return warnings.warnings;
}

/// Returns the message of the error, or "none".
std::string refusal_of(const Trial& trial, const Provenance& provenance) {
  try {
    warnings_of(trial, provenance);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Arithmetic, ThatIsTheSameIsNoMatter) {
  for (const Trial& trial : {fast, fast_bf16, invariant, invariant_bf16})
    EXPECT_TRUE(warnings_of(trial, provenance_with("avx512", "amx")).empty());
}

TEST(Arithmetic, OfHostsIsNoMatterOnGpus) {
  Provenance provenance = provenance_with("avx2", "none");
  provenance.devices = {"NVIDIA H100", "NVIDIA H100", "NVIDIA H100"};
  EXPECT_TRUE(warnings_of(fast_bf16, provenance).empty());
  provenance.devices = {"cpu", "cpu", "cpu"};
  EXPECT_EQ(warnings_of(fast_bf16, provenance).size(), 1u);
}

TEST(Arithmetic, OtherKernelsAreAWarningOrRefused) {
  const Provenance provenance = provenance_with("avx2", "amx");
  const std::vector<std::string> warnings = warnings_of(fast, provenance);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("rank 0 on a has kernels for avx512, rank 2 on b has kernels for avx2"), std::string::npos)
      << warnings[0];
  EXPECT_NE(refusal_of(invariant, provenance).find("rank_invariant promises the same bits"), std::string::npos);
}

TEST(Arithmetic, OtherProductsMatterInBfloat16Only) {
  const Provenance provenance = provenance_with("avx512", "none");
  EXPECT_TRUE(warnings_of(fast, provenance).empty());
  EXPECT_TRUE(warnings_of(invariant, provenance).empty());
  const std::vector<std::string> warnings = warnings_of(fast_bf16, provenance);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(
      warnings[0].find("products in bf16 with amx, rank 2 on b has kernels for avx512, products in bf16 with none"),
      std::string::npos)
      << warnings[0];
  EXPECT_NE(refusal_of(invariant_bf16, provenance), "none");
}

TEST(Arithmetic, OfOneRankIsItsOwn) {
  Provenance provenance;
  provenance.hosts = {"a"};
  provenance.instruction_sets = {"generic"};
  provenance.bfloat16_instructions = {"none"};
  EXPECT_TRUE(warnings_of(invariant_bf16, provenance).empty());
}

}  // namespace
}  // namespace gausscse
