"""Prints, as one line of tests/golden/weights/config_defaults.jsonl, the config.json files that the installed transformers
writes for its default BERT and RoBERTa: all keys, and those that it writes by itself. Run once for each release:

    for release in 4.30.2 4.46.3 4.57.6 5.0.0 5.23.0; do
      pip install --quiet --target "$release" "transformers==$release"
      PYTHONPATH=$release python make_config_defaults.py
    done > weights/config_defaults.jsonl
"""

import json

import transformers

CLASSES = (transformers.BertConfig, transformers.RobertaConfig)

configs = [json.loads(cls().to_json_string(use_diff=diff)) for cls in CLASSES for diff in (False, True)]
print(json.dumps({"transformers": transformers.__version__, "configs": configs}))
