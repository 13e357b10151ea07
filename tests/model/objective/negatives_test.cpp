#include "model/objective/objective_settings.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Numbers = std::vector<std::int64_t>;

TEST(NegativesOfAnchor, AreTheTermsOfTheDenominatorButOne) {
  const auto of_loss = [](Loss loss) { return negatives_of_anchor({.loss = loss}, 16); };
  EXPECT_EQ(of_loss(Loss::ent), Numbers{15});
  EXPECT_EQ(of_loss(Loss::ent_con), Numbers{31});
  EXPECT_EQ(of_loss(Loss::ent_rev), Numbers{31});
  EXPECT_EQ(of_loss(Loss::ent_con_rev), Numbers{47});
  EXPECT_EQ(negatives_of_anchor({.loss = Loss::ent, .with_simcse = true}, 64), (Numbers{63, 127}));
}

TEST(NegativesOfAnchor, OfCosinesFollowHardNegativesAndDirections) {
  ObjectiveSettings objective{.kind = ObjectiveKind::cosine_contrastive};
  EXPECT_EQ(negatives_of_anchor(objective, 512), Numbers{1023});
  objective.directions = Directions::both;
  EXPECT_EQ(negatives_of_anchor(objective, 512), (Numbers{1023, 511}));
  objective.hard_negatives = false;
  EXPECT_EQ(negatives_of_anchor(objective, 512), (Numbers{511, 511}));
  objective.directions = Directions::one;
  EXPECT_EQ(negatives_of_anchor(objective, 512), Numbers{511});
  objective.kind = ObjectiveKind::pair_classification;
  EXPECT_TRUE(negatives_of_anchor(objective, 512).empty());
  objective.kind = ObjectiveKind::augmented_classification;
  EXPECT_TRUE(negatives_of_anchor(objective, 512).empty());
}

TEST(NegativesOfAnchor, OfSupervisedContrastAreAsManyAsItsLimitsLet) {
  ObjectiveSettings objective{.kind = ObjectiveKind::supervised_contrastive};
  EXPECT_EQ(negatives_of_anchor(objective, 64), Numbers{63});
  objective.positives = 3;
  EXPECT_EQ(negatives_of_anchor(objective, 64), Numbers{63});
  objective.negatives = 4;
  EXPECT_EQ(negatives_of_anchor(objective, 64), Numbers{6});
  const ObjectiveSettings sum{.kind = ObjectiveKind::sum,
                              .terms = {{"a", 0.5, {.kind = ObjectiveKind::pair_classification}},
                                        {"b", 0.5, objective},
                                        {"c", 0, {.kind = ObjectiveKind::supervised_contrastive}}}};
  EXPECT_EQ(negatives_of_anchor(sum, 64), Numbers{6});
}

}  // namespace
}  // namespace gausscse
