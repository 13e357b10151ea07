#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <exception>
#include <string>

#include "base/error.hpp"
#include "base/option_name.hpp"
#include "inference/split_texts.hpp"
#include "python/embeddings.hpp"
#include "python/head.hpp"
#include "python/interpreter.hpp"
#include "python/model.hpp"

// The extension of the Python package: classes and functions of inference/ and the training of heads, with arrays of
// numpy as arguments. The package's Python files make the interface of it that docs/python.md describes.

namespace gausscse {

NB_MODULE(_gausscse, module) {
  set_option_style(OptionStyle::arguments);
  // A daemon thread, or a module that Python does not clear, may hold a model to the end.
  nb::set_leak_warnings(false);
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const WriteError& error) {
      PyErr_SetString(PyExc_OSError, error.what());
    }
  });
  module.def("end_computations", [] { computing_calls.end(); });
  module.def("sentences_of", &sentences_of);
  module.def("save_rows", &save_rows);
  module.def("load_rows", &load_rows);
  nb::class_<PythonModel>(module, "Model")
      .def(nb::init<const std::string&, const std::string&, const std::string&, std::size_t, std::size_t,
                    const std::string&>())
      .def("embed", &PythonModel::embed, nb::arg("sentences"), nb::arg("on_batch").none(), nb::arg("prompt").none(),
           nb::arg("prompt_name"))
      .def("similarity", &PythonModel::similarity)
      .def("similarity_pairwise", &PythonModel::similarity_pairwise)
      .def("search", &PythonModel::search)
      .def("verdicts", &PythonModel::verdicts)
      .def("answers", &PythonModel::answers)
      .def("confidence_at_risk", &PythonModel::confidence_at_risk)
      .def("description", &PythonModel::description)
      .def_prop_ro("has_hit_calibration", &PythonModel::has_hit_calibration)
      .def_prop_ro("is_calibrated", &PythonModel::is_calibrated)
      .def_prop_ro("calibration_problem", &PythonModel::calibration_problem)
      .def_prop_ro("similarity_name", &PythonModel::similarity_name)
      .def_prop_ro("is_gaussian", &PythonModel::gaussian)
      .def_prop_ro("width", &PythonModel::width)
      .def_prop_ro("max_tokens", &PythonModel::max_tokens)
      .def_prop_ro("threshold", &PythonModel::threshold)
      .def_prop_ro("warnings", &PythonModel::warnings);
  nb::class_<PythonHead, PythonModel>(module, "HeadModel")
      .def(nb::init<const std::string&, std::size_t, const std::string&>())
      .def_static("fit", &PythonHead::fit, nb::arg("vectors"), nb::arg("examples"), nb::arg("trial"),
                  nb::arg("threads"), nb::arg("on_step").none())
      .def("apply", &PythonHead::apply)
      .def("save", &PythonHead::save)
      .def_prop_ro("losses", &PythonHead::losses);
}

}  // namespace gausscse
