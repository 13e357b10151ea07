#include "dist/control_group.hpp"

#include <limits>

#include "base/error.hpp"
#include "dist/mpi/communicator_handle.hpp"

namespace gausscse {

namespace {

using detail::CommunicatorHandle;

constexpr std::size_t longest_text = std::size_t{1} << 28;

class MpiControlGroup : public ControlGroup {
 public:
  MpiControlGroup()
      : world_(CommunicatorHandle::of_all_ranks()),
        node_(world_.of_this_node()),
        rank_(world_.rank()),
        size_(world_.size()),
        local_rank_(node_.rank()),
        local_size_(node_.size()) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int local_rank() const override { return local_rank_; }
  int local_size() const override { return local_size_; }

  void barrier() override { GAUSSCSE_MPI_CHECK(MPI_Barrier(world_.get())); }
  void local_barrier() override { GAUSSCSE_MPI_CHECK(MPI_Barrier(node_.get())); }

  std::vector<std::string> all_gather_text(const std::string& text) override {
    std::vector<int> lengths(static_cast<std::size_t>(size_)), begins(static_cast<std::size_t>(size_));
    GAUSSCSE_CHECK(text.size() <= longest_text, "a text of at most 256 MiB");
    const int length = static_cast<int>(text.size());
    GAUSSCSE_MPI_CHECK(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, world_.get()));
    std::int64_t total = 0;
    for (std::size_t r = 0; r < lengths.size(); ++r) {
      begins[r] = static_cast<int>(total);
      total += lengths[r];
    }
    GAUSSCSE_CHECK(total <= std::numeric_limits<int>::max(), "texts of at most 2 GiB together");
    std::string all(static_cast<std::size_t>(total), '\0');
    GAUSSCSE_MPI_CHECK(MPI_Allgatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(),
                                      MPI_CHAR, world_.get()));
    std::vector<std::string> texts;
    for (std::size_t r = 0; r < lengths.size(); ++r)
      texts.push_back(all.substr(static_cast<std::size_t>(begins[r]), static_cast<std::size_t>(lengths[r])));
    return texts;
  }

  void broadcast_numbers(std::span<double> numbers) override {
    GAUSSCSE_CHECK(numbers.size() <= std::numeric_limits<int>::max(), "at most 2^31 numbers in one call");
    GAUSSCSE_MPI_CHECK(MPI_Bcast(numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, 0, world_.get()));
  }

 private:
  CommunicatorHandle world_;
  CommunicatorHandle node_;
  int rank_, size_, local_rank_, local_size_;
};

}  // namespace

std::unique_ptr<ControlGroup> make_mpi_control_group() {
  return std::make_unique<MpiControlGroup>();
}

}  // namespace gausscse
