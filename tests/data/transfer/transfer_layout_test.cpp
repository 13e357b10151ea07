#include "data/transfer/transfer_layout.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// As SentEval has its tasks: which are of pairs, how many classes there are, and of how many sets.
TEST(TransferLayout, IsThatOfSentEvalsTasks) {
  struct Task {
    TransferDataset dataset;
    bool pairs;
    std::size_t classes, sets;
    TransferProtocol protocol;
  };
  using enum TransferProtocol;
  for (const Task& task : std::vector<Task>{{TransferDataset::mr, false, 2, 1, nested_cross_validation},
                                            {TransferDataset::cr, false, 2, 1, nested_cross_validation},
                                            {TransferDataset::subj, false, 2, 1, nested_cross_validation},
                                            {TransferDataset::mpqa, false, 2, 1, nested_cross_validation},
                                            {TransferDataset::sst2, false, 2, 3, development_set},
                                            {TransferDataset::sst5, false, 5, 3, development_set},
                                            {TransferDataset::trec, false, 6, 2, cross_validation},
                                            {TransferDataset::mrpc, true, 2, 2, cross_validation},
                                            {TransferDataset::sick_entailment, true, 3, 3, development_set}}) {
    const TransferLayout& layout = layout_of(task.dataset);
    const std::string file = layout.files.at(0).string();
    EXPECT_EQ(layout.pairs, task.pairs) << file;
    EXPECT_EQ(layout.classes.size(), task.classes) << file;
    EXPECT_EQ(layout.protocol, task.protocol) << file;
    // Of one set there is a file a class.
    EXPECT_EQ(layout.files.size(), task.sets == 1 ? task.classes : task.sets) << file;
  }
}

}  // namespace
}  // namespace gausscse
