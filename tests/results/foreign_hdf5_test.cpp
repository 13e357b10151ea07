#include <H5Cpp.h>

#include "results/result_file.hpp"
#include "tests/results/changed_hdf5.hpp"
#include "tests/results/sample_result.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

constexpr std::size_t largest = std::size_t{1} << 20;

/// A result whose file another program changed, with a seal that fits and without one, is refused by name.
void expect_refused(const std::function<void(H5::H5File&, const TemporaryFolder&)>& change, const std::string& why) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "result.h5";
  write_result(path, sample_result());
  {
    H5::H5File file(path.string(), H5F_ACC_RDWR);
    change(file, folder);
  }
  const std::string bytes = read_whole_file(path, largest);
  for (const std::string& other : {resealed(bytes), without_seal(bytes)}) {
    write_bytes(path, other);
    const std::string refusal = refusal_of([&] { read_result(path); });
    EXPECT_TRUE(says(refusal, path.string() + ": not a whole result file of gausscse (")) << refusal;
    EXPECT_TRUE(says(refusal, why)) << refusal;
  }
}

/// In the place of /training/loss, two numbers.
void put_loss(H5::H5File& file, const H5::DSetCreatPropList& properties) {
  const hsize_t two = 2;
  file.unlink("/training/loss");
  file.createDataSet("/training/loss", H5::PredType::IEEE_F64LE, H5::DataSpace(1, &two), properties);
}

TEST(ForeignHdf5, ValuesInAnotherFileAreRefused) {
  expect_refused(
      [](H5::H5File& file, const TemporaryFolder& folder) {
        write_bytes(folder / "secret", "sixteen bytes of");
        H5::DSetCreatPropList properties;
        properties.setExternal((folder / "secret").c_str(), 0, 16);
        put_loss(file, properties);
      },
      "loss has its values in another file");
}

TEST(ForeignHdf5, AVirtualDatasetIsRefused) {
  expect_refused(
      [](H5::H5File& file, const TemporaryFolder& folder) {
        const hsize_t two = 2;
        const H5::DataSpace space(1, &two);
        {
          H5::H5File other((folder / "other.h5").string(), H5F_ACC_TRUNC);
          other.createDataSet("loss", H5::PredType::IEEE_F64LE, space);
        }
        H5::DSetCreatPropList properties;
        H5Pset_virtual(properties.getId(), space.getId(), (folder / "other.h5").c_str(), "loss", space.getId());
        put_loss(file, properties);
      },
      "loss has its values in another file");
}

TEST(ForeignHdf5, LinksThatLeadElsewhereAreRefused) {
  expect_refused(
      [](H5::H5File& file, const TemporaryFolder& folder) {
        write_result(folder / "other.h5", sample_result());
        file.unlink("/training/loss");
        H5Lcreate_external((folder / "other.h5").c_str(), "/training/loss", file.getId(), "/training/loss", H5P_DEFAULT,
                           H5P_DEFAULT);
      },
      "training/loss leads elsewhere");
  expect_refused(
      [](H5::H5File& file, const TemporaryFolder&) {
        H5Lcreate_soft("/training/loss", file.getId(), "/more", H5P_DEFAULT, H5P_DEFAULT);
      },
      "more leads elsewhere");
}

/// MATLAB's files, say, have their own user block.
TEST(ForeignHdf5, AUserBlockOfAnotherProgramIsNoSeal) {
  const TemporaryFolder folder;
  const std::string bytes = result_file_bytes(sample_result());
  for (const char first : {'M', '\0'}) {
    write_bytes(folder / "other.h5", std::string(512, first) + bytes.substr(512));
    EXPECT_TRUE(says(refusal_of([&] { read_result(folder / "other.h5"); }), "other.h5: damaged"));
    EXPECT_FALSE(is_result_file(folder / "other.h5", false));
  }
  // HDF5 would look for its signature there, too.
  write_bytes(folder / "other.h5", std::string(1024, 'M') + bytes.substr(512));
  EXPECT_TRUE(says(refusal_of([&] { read_result(folder / "other.h5"); }), "it does not begin as HDF5"));
}

}  // namespace
}  // namespace gausscse
