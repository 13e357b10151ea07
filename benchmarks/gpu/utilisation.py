"""Share of a GPU's arithmetic that a training uses: the model's floating point operations next to the peak of bfloat16."""

# Layers and width; feed-forward layers are four times as wide.
SHAPES = {"minilm-l6": (6, 384), "bert-base": (12, 768), "bert-large": (24, 1024)}

# TFLOP/s of dense bfloat16 products, as NVIDIA's data sheets have them. The first whose words are in the GPU's name.
BFLOAT16_PEAKS = [("H200", 989.4), ("H100 PCIe", 756.0), ("H100", 989.4), ("A100", 312.0)]

# Premise, entailment and contradiction.
SENTENCES_OF_A_TRIPLE = 3


def model_tflops(architecture, examples_per_second, tokens_per_second):
    """TFLOP/s of forward and backward (twice the forward) of all layers, for real tokens alone.

    Sentences that micro-batches embed once more count nothing, and the last layer counts as if it did all that the others do.
    """
    layers, width = SHAPES[architecture]
    length = tokens_per_second / (SENTENCES_OF_A_TRIPLE * examples_per_second)
    # Four products of width x width and two of width x 4 width; scores and context with each token of the sentence.
    of_a_token = layers * (24 * width * width + 4 * length * width)
    return 3 * of_a_token * tokens_per_second / 1e12


def bfloat16_peak(gpu):
    """TFLOP/s, or None for a GPU that is not listed."""
    return next((peak for words, peak in BFLOAT16_PEAKS if words in gpu), None)
