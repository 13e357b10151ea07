"""Lets mteb's own classes of results and scores be imported without what its models need (torch, transformers,
datasets and the like, gigabytes): in the place of packages that are not there stand modules whose every name is a class
that does nothing.

    import mteb_without_torch
    mteb_without_torch.prepare()
    from mteb.results.task_result import TaskResult
"""

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types

ABSENT = ("PIL", "datasets", "huggingface_hub", "pandas", "polars", "pytrec_eval", "requests", "rich", "scipy",
          "sentence_transformers", "sklearn", "torch", "torchvision", "tqdm", "transformers", "yaml")


class Names(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing

    def __or__(cls, other):
        return object

    __ror__ = __or__


class Nothing(metaclass=Names):
    """A class that can be inherited from, be a type with parameters, and be a decorator."""

    def __class_getitem__(cls, item):
        return cls

    def __new__(cls, *arguments, **options):
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) and not options else object.__new__(cls)

    def __init__(self, *arguments, **options):
        pass

    def __call__(self, *arguments, **options):
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) else self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing


class StandIn(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = Names(name, (Nothing,), {})
        setattr(self, name, value)
        return value


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, packages):
        self.packages = packages

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.packages:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return StandIn(spec.name)

    def exec_module(self, module):
        pass


def prepare():
    sys.meta_path.append(StandIns({name for name in ABSENT if importlib.util.find_spec(name) is None}))
