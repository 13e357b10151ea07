"""Tests of ends of a computation, and of processes: Ctrl-C, the end of the interpreter, forks, threads."""
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import gausscse
from gausscse._gausscse import Model


@pytest.fixture(scope="module")
def rows(encoder):
    """Returns rows [mean | log_var] as the model has them."""
    values = np.random.default_rng(3).standard_normal((4096, 2 * encoder.get_sentence_embedding_dimension()))
    return values.astype(np.float32)


def child(code, *words):
    # Later versions of Python warn of any fork where there are threads.
    return subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", "-c", code, *map(str, words)],
                          capture_output=True, text=True, timeout=120)


CALLS = {
    "similarity": lambda model, rows: (model.similarity, rows[:2048], rows),
    "similarity_pairwise": lambda model, rows: (model.similarity_pairwise, *[np.tile(rows, (40, 1))] * 2),
    "search": lambda model, rows: (lambda a, b: model.search(a, b, 1, "entails", "", 0.0), rows, rows),
    "answers": lambda model, rows: (lambda a, b: model.answers(a, b, [], "platt", 0.0), *[np.tile(rows, (20, 1))] * 2),
    "embed": lambda model, rows: (model.embed, [f"Number {i} sleeps on a chair in the old house." for i in range(4000)],
                                    None, None, ""),
}


def results_before_an_interrupt(call, first, *others):
    """Returns the number of results of a call in C++ that is made three times, and interrupted while the second one computes."""
    begun, results = threading.Event(), []

    def arguments():
        yield first
        # The thread has Python's lock when the next call computes. Python itself looks for signals before the third one.
        begun.set()
        yield first
        yield first

    def interrupt():
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    # Python does not handle the signal where it was ignored at its start, as by a script's commands in the background.
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        results.extend(map(call, arguments(), *([other] * 3 for other in others)))
    thread.join()
    signal.signal(signal.SIGINT, previous)
    return len(results)


@pytest.mark.parametrize("name", CALLS)
def test_interrupt_ends_a_call_before_its_result(encoder, rows, name):
    if name == "answers" and not encoder.is_calibrated:
        pytest.skip("the model has no calibration")
    before = encoder.encode(["It rains."]).mean
    assert results_before_an_interrupt(*CALLS[name](encoder._model, rows)) == 1
    assert np.array_equal(encoder.encode(["It rains."]).mean, before)


def test_interrupt_ends_an_application_of_a_head(rows):
    head = gausscse.Head.fit(rows, np.random.default_rng(1).integers(0, len(rows), (60, 3)), batch_size=20, steps=1)
    assert results_before_an_interrupt(head._model.apply, np.tile(rows, (20, 1))) == 1


def test_interrupt_ends_the_reading_of_word_vectors(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("".join(f"word{i} {'0.125 ' * 60}\n" for i in range(150000)))
    assert results_before_an_interrupt(Model, str(path), "", "", 0, 1, "") == 1


ENDING = """
import sys, threading
import numpy as np
import gausscse
model = gausscse.Encoder(sys.argv[1])
rows = np.random.default_rng(1).standard_normal((1500, model.get_sentence_embedding_dimension())).astype(np.float32)
embeddings = gausscse.Embeddings(rows, rows)
texts = [f"Number {i} sleeps on a chair." for i in range(300)]
triples = np.random.default_rng(2).integers(0, 1500, (60, 3))
head = gausscse.Head.fit(rows, triples, steps=1, batch_size=20)
call = {
    "encode": lambda: model.encode(texts, show_progress_bar=len(sys.argv) > 3),
    "similarity": lambda: model.similarity(embeddings, embeddings),
    "similarity_pairwise": lambda: model.similarity_pairwise(embeddings, embeddings),
    "search": lambda: model.search(embeddings, embeddings),
    "score": lambda: model.score(embeddings, embeddings),
    "apply": lambda: head(rows),
    "fit": lambda: gausscse.Head.fit(rows, triples, steps=10**6, batch_size=20),
    "open": lambda: gausscse.Encoder(sys.argv[1]),
}[sys.argv[2]]
begun = threading.Event()

def compute():
    begun.set()
    while True:
        call()

for _ in range(3):
    threading.Thread(target=compute, daemon=True).start()
begun.wait()
sys.exit(7)
"""


@pytest.mark.parametrize("name", ["encode", "similarity", "similarity_pairwise", "search", "score", "apply", "fit", "open"])
def test_the_interpreter_ends_while_threads_compute(model, name):
    for _ in range(3):
        found = child(ENDING, model, name)
        assert (found.returncode, found.stdout, found.stderr) == (7, "", "")


def test_the_interpreter_ends_while_a_progress_bar_moves(model):
    found = child(ENDING, model, "encode", "bar")
    assert found.returncode == 7 and "terminate" not in found.stderr and "leaked" not in found.stderr


def test_what_computes_when_the_interpreter_has_ended_is_refused(encoder, model):
    code = """
import atexit, sys
def late():
    try:
        model.encode("It rains.")
    except RuntimeError as error:
        print(error)
atexit.register(late)
import gausscse
model = gausscse.Encoder(sys.argv[1])
atexit.register(lambda: print(model.encode("It rains.")))
"""
    found = child(code, model)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout == (f"{encoder.encode('It rains.')!r}\n"
                            "the interpreter ends, and gausscse computes no more: compute before\n")


FORKED = """
import os, signal, sys, threading
import numpy as np
import gausscse
vectors = np.random.default_rng(1).standard_normal((40, 8)).astype(np.float32)
triples = np.arange(39).reshape(13, 3)
fit = lambda: gausscse.Head.fit(vectors, triples, steps=1, batch_size=2)
calls = [lambda: gausscse.Encoder(sys.argv[1]), fit]
if sys.argv[2] != "none":
    model = gausscse.Encoder(sys.argv[1])
    embeddings = gausscse.Embeddings(*np.ones((2, 40, model.get_sentence_embedding_dimension())))
    calls += [lambda: model.encode([f"text {i}" for i in range(50)]), lambda: model.similarity(embeddings, embeddings),
              lambda: model.similarity_pairwise(embeddings, embeddings), lambda: model.search(embeddings, embeddings),
              lambda: model.score(embeddings, embeddings), lambda: model.probability(embeddings, embeddings)]
if sys.argv[2] == "used":
    head = fit()
    head.save(sys.argv[3])
    model.encode([f"text {i}" for i in range(50)])
    calls += [lambda: head(vectors), lambda: head.save(sys.argv[3], overwrite=True), lambda: gausscse.Head.open(sys.argv[3])]
if sys.argv[2] == "computing":
    many, begun = embeddings[np.zeros(4000, int)]._rows, threading.Event()
    threading.Thread(target=lambda: (begun.set(), model._model.similarity(many, many)), daemon=True).start()
    begun.wait()
process = os.fork()
if not process:
    signal.alarm(60)    # ends a child that hangs
if process:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
for call in calls:
    try:
        print(type(call()).__name__)
    except RuntimeError as error:
        print(error)
print(gausscse.split("One. Two."))
sys.exit(5)
"""


@pytest.mark.parametrize("before", ["none", "opened", "used", "computing"])
def test_a_process_that_was_forked_is_refused_unless_it_opens_the_first_model(encoder, model, tmp_path, before):
    if not encoder.is_calibrated:
        pytest.skip("the model has no calibration")
    found = child(FORKED, model, before, tmp_path / "head")
    assert (found.returncode, found.stderr) == (5, "")
    *lines, last = found.stdout.splitlines()
    assert last == "['One.', 'Two.']"
    if before == "none":
        assert lines == ["Encoder", "Head"]
    else:
        assert len(lines) == {"opened": 8, "used": 11, "computing": 8}[before]
        for line in lines:
            assert "not even with a new model: it was forked after a model was opened" in line and 'get_context("spawn")' in line


THREADS = """
import os, sys
import numpy as np
import gausscse
model = gausscse.Encoder(sys.argv[1], threads=1)
rows = np.random.default_rng(1).standard_normal((2000, model.get_sentence_embedding_dimension())).astype(np.float32)
embeddings = gausscse.Embeddings(rows, rows)
triples = np.random.default_rng(2).integers(0, 2000, (600, 3))
gausscse.Head.fit(rows, triples, steps=1, batch_size=60, threads=1).save(sys.argv[2])

def opened(threads):
    return gausscse.Encoder(sys.argv[1], threads=threads)

def fitted(threads):
    head = gausscse.Head.fit(rows, triples, steps=1, batch_size=60, threads=threads)
    # Of fewer threads, after which the others have ended.
    opened(2).similarity(embeddings, embeddings)
    assert len(os.listdir("/proc/self/task")) < threads
    return head

calls = {
    "encode": lambda threads: opened(threads).encode([f"Number {i} sleeps on a chair." for i in range(2000)]),
    "similarity": lambda threads: opened(threads).similarity(embeddings, embeddings),
    "similarity_pairwise": lambda threads: opened(threads).similarity_pairwise(embeddings, embeddings),
    "search": lambda threads: opened(threads).search(embeddings, embeddings),
    "probability": lambda threads: opened(threads).probability(embeddings, embeddings),
    "fit": lambda threads: gausscse.Head.fit(rows, triples, steps=3, batch_size=600, threads=threads),
    "fitted": lambda threads: fitted(threads).similarity(embeddings, embeddings),
    "apply": lambda threads: gausscse.Head.open(sys.argv[2], threads=threads)(rows),
}
for number, (name, call) in enumerate(calls.items(), 1):
    call(20 * number)
    print(name, len(os.listdir("/proc/self/task")) >= 20 * number)
"""


def test_threads_are_passed_on(encoder, model, tmp_path):
    """Each call starts more threads than those before it: the process has as many only if its number is used."""
    if not encoder.is_calibrated:
        pytest.skip("the model has no calibration")
    found = child(THREADS, model, tmp_path / "head")
    assert found.returncode == 0, found
    assert found.stdout.split() == [word for name in ("encode", "similarity", "similarity_pairwise", "search", "probability",
                                                      "fit", "fitted", "apply") for word in (name, "True")]
