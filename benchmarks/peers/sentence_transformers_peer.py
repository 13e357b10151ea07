#!/usr/bin/env python3
"""Speed of sentence-transformers on the work that gausscse does; one JSON line.

    train:  steps with MultipleNegativesRankingLoss (--loss cached: its variant in chunks) on triples, in a bare loop
            without the library's trainer, whose own costs are left out; the learning rate rises for a tenth of the
            steps, then falls linearly, as the trainer's does
    encode: `encode` of a text file with one sentence a line

--weights bf16 keeps and updates the weights in bfloat16, which is the library's fastest way on CPUs. --precision bf16
with weights in float32 multiplies in bfloat16 (autocast), as gausscse does.
"""

import argparse
import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch  # noqa: E402
from sentence_transformers import SentenceTransformer  # noqa: E402
from sentence_transformers.sentence_transformer import losses  # noqa: E402
from sentence_transformers.sentence_transformer.modules import Pooling  # noqa: E402
from sentence_transformers.util import batch_to_device  # noqa: E402
from transformers.utils import logging  # noqa: E402

import encoding  # noqa: E402
import measurement  # noqa: E402
from triples import batches_without_end, read_triples  # noqa: E402


def load_model(settings):
    weights = {"fp32": torch.float32, "bf16": torch.bfloat16}[settings.weights]
    model = SentenceTransformer(
        settings.model, device=settings.device, local_files_only=True, model_kwargs={"dtype": weights}
    )
    model.max_seq_length = settings.max_tokens
    if settings.pooling == "first_token":
        model[1] = Pooling(model.get_embedding_dimension(), pooling_mode="cls")
    return model


def autocast(settings, wanted=True):
    wanted = wanted and settings.precision == "bf16" and settings.weights == "fp32"
    return torch.autocast(settings.device, dtype=torch.bfloat16, enabled=wanted)


def finish_of(settings):
    """Waits for a GPU."""
    return torch.cuda.synchronize if settings.device == "cuda" else lambda: None


def time_training(settings):
    model = load_model(settings).train()
    if settings.loss == "cached":
        loss_function = losses.CachedMultipleNegativesRankingLoss(
            model, mini_batch_size=settings.chunk_size, mini_batch_num_tokens=settings.chunk_tokens
        )
    else:
        loss_function = losses.MultipleNegativesRankingLoss(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings.learning_rate, weight_decay=0.01, fused=True)
    total, warm_up = settings.warm_up + settings.steps, max(1, (settings.warm_up + settings.steps) // 10)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda done: min((done + 1) / warm_up, max(0.0, (total - done) / (total - warm_up)))
    )

    def step(batch):
        features = [batch_to_device(model.preprocess(sentences), settings.device) for sentences in batch]
        with autocast(settings):
            loss = loss_function(features, None)
        optimizer.zero_grad()
        # The cached loss embeds its chunks a second time in here.
        with autocast(settings, wanted=settings.loss == "cached"):
            loss.backward()
        optimizer.step()
        schedule.step()

    batches = batches_without_end(read_triples(settings.triples), settings.batch_size, settings.seed)
    seconds, processor = measurement.time_steps(
        step, batches, settings.warm_up, settings.steps, finish_of(settings)
    )
    if settings.save:
        model.save(settings.save)
    chunks = {name: getattr(settings, name) if settings.loss == "cached" else None for name in ("chunk_size", "chunk_tokens")}
    return {
        "loss": settings.loss,
        **chunks,
        **measurement.rate_report(seconds, processor, settings.batch_size, "triples"),
    }


def time_encoding(settings):
    model = load_model(settings)

    def encode(sentences):
        with torch.inference_mode(), autocast(settings):
            vectors = model.encode(sentences, batch_size=settings.batch_size, show_progress_bar=False,
                                   convert_to_tensor=True)  # fmt: skip
            return vectors.float().cpu().numpy()

    return encoding.report(settings, encode)


def add_common(parser):
    parser.add_argument("--model", required=True, help="folder of a sentence-transformers model")
    parser.add_argument("--precision", choices=("bf16", "fp32"), default="bf16")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--weights", choices=("bf16", "fp32"), default="fp32")
    parser.add_argument("--pooling", choices=("first_token", "as_saved"), default="as_saved")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train")
    add_common(train)
    train.add_argument("--max-tokens", type=int, default=64)
    train.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    train.add_argument("--triples", required=True, help="CSV of triples: sent0,sent1,hard_neg")
    train.add_argument("--loss", choices=("mnr", "cached"), default="mnr")
    train.add_argument("--batch-size", type=int, default=64)
    train.add_argument("--chunk-size", type=int, default=32, help="of --loss cached; the library's default is 32")
    train.add_argument("--chunk-tokens", type=int, help="of --loss cached: tokens of a chunk, in place of --chunk-size")
    train.add_argument("--learning-rate", type=float, default=3e-5)
    train.add_argument("--seed", type=int, default=0)
    train.add_argument("--steps", type=int, default=10)
    train.add_argument("--warm-up", type=int, default=2, help="steps before the timed ones")
    train.add_argument("--save", help="folder for the trained model")
    encode = commands.add_parser("encode")
    add_common(encode)
    encoding.add_options(encode)
    encode.add_argument("--batch-size", type=int, default=32, help="the library's default is 32")
    return parser.parse_args()


def main():
    settings = parse_arguments()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    torch.set_num_threads(settings.threads)
    os.environ.setdefault("RAYON_NUM_THREADS", str(settings.threads))
    report = {"program": f"sentence-transformers {settings.command}"}
    for name in ("batch_size", "precision", "weights", "pooling", "device", "threads", "max_tokens"):
        report[name] = getattr(settings, name)
    if settings.command == "train":
        torch.manual_seed(settings.seed)
        measurement.print_line({**report, **time_training(settings)})
    else:
        measurement.print_line({**report, **time_encoding(settings)})


if __name__ == "__main__":
    main()
