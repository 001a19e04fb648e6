"""How well and how fast personal values are detected, beside Presidio on the same texts in the same run.

``--sentences`` is a JSON list of texts with labelled spans, as presidio-research publishes them: ``full_text`` and
``spans`` with ``entity_type``, ``start_position`` and ``end_position``. Numbers count by value. Names and addresses
count by word; words of a city, a country, a code or a title are neither right nor wrong. The table is generated with
Faker: 100 columns of 25 kinds, each as it is, in a column without a telling name, mixed with texts, and with check
digits that are wrong. ``--csv`` are files without personal values: each finding there is wrong. Prints JSON.
"""

import argparse
import json
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pii_columns import generated_columns, real_columns
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from data_platform.gates import pii
from data_platform.gates.detector import pattern, tagger
from data_platform.gates.detector.column import findings
from data_platform.gates.detector.feature import is_word, tokens
from data_platform.lake.session import SparkOptions, open_session
from data_platform.model.pii_policy import Pii, PiiAction, PiiKind, PiiRule

NUMBERS = {
    "EMAIL_ADDRESS": "EMAIL", "PHONE_NUMBER": "PHONE", "US_SSN": "SSN", "CREDIT_CARD": "CREDIT_CARD",
    "IBAN_CODE": "IBAN", "IP_ADDRESS": "IP_ADDRESS",
}  # fmt: skip
WORDS = {"PERSON": "PERSON_NAME", "STREET_ADDRESS": "STREET_ADDRESS"}
NEITHER = {"GPE", "ZIP_CODE", "LOCATION", "TITLE"}
PRESIDIO = {**NUMBERS, "PERSON": "PERSON_NAME", "LOCATION": "STREET_ADDRESS", "US_ITIN": "SSN"}
RULES = Pii(detection=tuple(PiiRule(pattern=kind, action=PiiAction.REDACT) for kind in PiiKind))
Spans = list[tuple[str, int, int]]
Detect = Callable[[str], Spans]


class Score:
    """Right, wrong and missed, by kind."""

    def __init__(self) -> None:
        self.right: Counter[str] = Counter()
        self.wrong: Counter[str] = Counter()
        self.missed: Counter[str] = Counter()

    def document(self) -> dict[str, dict[str, float | int | None]]:
        kinds = sorted({*self.right, *self.wrong, *self.missed})
        found = {kind: self.right[kind] + self.wrong[kind] for kind in kinds}
        there = {kind: self.right[kind] + self.missed[kind] for kind in kinds}
        return {
            kind: {
                "precision": round(self.right[kind] / found[kind], 3) if found[kind] else None,
                "recall": round(self.right[kind] / there[kind], 3) if there[kind] else None,
                "values": there[kind],
            }
            for kind in kinds
        }


def presidio() -> tuple[Detect | None, str]:
    """Presidio's analyzer as it comes, and what it is; without it the reason."""
    try:
        from presidio_analyzer import AnalyzerEngine
        from presidio_analyzer.nlp_engine import NlpEngineProvider
    except ImportError as error:
        return None, f"not measured: {error}; pip install '.[bench]'"
    import spacy.util
    import tldextract.tldextract

    tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=())  # not from the network
    models = [name for name in spacy.util.get_installed_models() if name.startswith("en")]
    if not models:
        return None, "not measured: no English model of spaCy is installed"
    settings = {"nlp_engine_name": "spacy", "models": [{"lang_code": "en", "model_name": models[0]}]}
    engine = AnalyzerEngine(nlp_engine=NlpEngineProvider(nlp_configuration=settings).create_engine())

    def detect(text: str) -> Spans:
        found = engine.analyze(text, language="en", score_threshold=0.35)
        return [(PRESIDIO[r.entity_type], r.start, r.end) for r in found if r.entity_type in PRESIDIO]

    return detect, f"presidio-analyzer with {models[0]}"


def ours(text: str) -> Spans:
    """Numbers by patterns, then names and addresses in what is left."""
    numbers: Spans = [(kind.value, start, end) for kind, start, end in pattern.spans(text)]
    rest = list(text)
    for _, start, end in numbers:
        rest[start:end] = " " * (end - start)
    named = {tagger.NAME: "PERSON_NAME", tagger.ADDRESS: "STREET_ADDRESS"}
    return numbers + [(named[span.label], span.start, span.end) for span in tagger.spans("".join(rest))]


def on_sentences(texts: list[dict[str, Any]], detect: Detect) -> dict[str, Any]:
    score = Score()
    for text in texts:
        found = detect(text["full_text"])
        _count_numbers(score, text, found)
        _count_words(score, text, found)
    return score.document()


def _count_numbers(score: Score, text: dict[str, Any], found: Spans) -> None:
    for label, kind in NUMBERS.items():
        spans = [(s["start_position"], s["end_position"]) for s in text["spans"] if s["entity_type"] == label]
        mine = [(start, end) for one, start, end in found if one == kind]
        score.right[kind] += sum(any(a <= start and end <= b for a, b in mine) for start, end in spans)
        score.missed[kind] += sum(not any(a <= start and end <= b for a, b in mine) for start, end in spans)
        score.wrong[kind] += sum(not any(a < end and start < b for start, end in spans) for a, b in mine)


def _count_words(score: Score, text: dict[str, Any], found: Spans) -> None:
    for word, start, _ in tokens(text["full_text"]):
        if not is_word(word):
            continue
        labels = {s["entity_type"] for s in text["spans"] if s["start_position"] <= start < s["end_position"]}
        mine = {kind for kind, a, b in found if a <= start < b}
        for label, kind in WORDS.items():
            if label in labels:
                (score.right if kind in mine else score.missed)[kind] += 1
            elif kind in mine and not labels & NEITHER:
                score.wrong[kind] += 1


def native_on_sentences(spark: SparkSession, texts: list[dict[str, Any]]) -> dict[str, Any]:
    """The gate's own expressions: a value is right if the redacted text has it no more."""
    rows = spark.createDataFrame([(n, text["full_text"]) for n, text in enumerate(texts)], "n int, x string")
    redacted = pii.plan(rows.schema, RULES, None).remediated["x"]
    after = {row["n"]: row["x"] for row in rows.select("n", redacted.alias("x")).collect()}
    score = Score()
    for n, text in enumerate(texts):
        for label, kind in NUMBERS.items():
            values = [s["entity_value"] for s in text["spans"] if s["entity_type"] == label]
            right = sum(value not in after[n] for value in values)
            score.right[kind] += right
            score.missed[kind] += len(values) - right
            score.wrong[kind] += max(0, after[n].count(f"[REDACTED:{kind}]") - right)
    return score.document()


def on_columns(
    columns: Iterable[tuple[str, list[str], str]], kinds_in: Callable[[str, list[str]], set[str]]
) -> dict[str, Any]:
    score = Score()
    for name, values, kind in columns:
        found = kinds_in(name, values)
        if kind:
            (score.right if kind in found else score.missed)[kind] += 1
        score.wrong.update(found - {kind})
    return score.document()


def our_kinds(name: str, values: list[str]) -> set[str]:
    return {finding.kind.value for finding in findings(name, values, 0.05)}


def with_presidio(detect: Detect, sample: int) -> Callable[[str, list[str]], set[str]]:
    """The same shares as ours, on fewer values, since it takes milliseconds for each."""

    def kinds(_: str, values: list[str]) -> set[str]:
        counted = Counter(kind for value in values[:sample] for kind in {kind for kind, _, _ in detect(value)})
        return {k for k, n in counted.items() if n / sample >= (0.5 if k in WORDS.values() else 0.05)}

    return kinds


def native_speed(spark: SparkSession, values: list[str], runs: int) -> float:
    """Values a second that all structured kinds are searched in, on one core; the best of ``runs``."""
    kinds = [kind for kind in PiiKind if kind.value not in WORDS.values()]
    rules = Pii(detection=tuple(PiiRule(pattern=kind, action=PiiAction.REDACT) for kind in kinds))
    with tempfile.TemporaryDirectory() as folder:
        spark.createDataFrame([(value,) for value in values], "x string").coalesce(1).write.parquet(f"{folder}/x")
        rows = spark.read.parquet(f"{folder}/x")
        flags = pii.plan(rows.schema, rules, None).found
        taken = []
        for _ in range(runs + 1):
            start = time.perf_counter()
            rows.agg(*(F.count_if(flag) for flag in flags.values())).collect()
            taken.append(time.perf_counter() - start)
    return len(values) / min(taken[1:])


def speed(detect: Callable[[str], object], values: list[str]) -> float:
    start = time.perf_counter()
    for value in values:
        detect(value)
    return len(values) / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=Path)
    parser.add_argument("--csv", type=Path, nargs="*", default=[])
    parser.add_argument("--values", type=int, default=400_000)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    if find_spec("faker") is None:
        print(json.dumps({"pii_detection": "not measured: no module faker; pip install '.[bench]'"}))
        return
    detect, what = presidio()
    columns, values = list(generated_columns(11)), defaultdict(list)
    for _, sample, kind in columns:
        values[kind] += sample
    mixed = [value for sample in zip(*(v[:1000] for v in values.values()), strict=True) for value in sample]
    result: dict[str, Any] = {"presidio": what, "table": {"ours": on_columns(columns, our_kinds)}}
    result["false_columns"] = {"ours": sum(bool(our_kinds(name, v)) for name, v, _ in real_columns(arguments.csv))}
    if detect:
        result["table"]["presidio"] = on_columns(columns, with_presidio(detect, 30))
        kinds = with_presidio(detect, 30)
        result["false_columns"]["presidio"] = sum(bool(kinds(name, v)) for name, v, _ in real_columns(arguments.csv))
    with tempfile.TemporaryDirectory() as folder:
        spark = open_session(SparkOptions(master="local[1]", warehouse=f"{folder}/w", log=f"{folder}/spark.log"))
        if arguments.sentences:
            texts = json.loads(arguments.sentences.read_text(encoding="utf-8"))
            result["sentences"] = {"gate": native_on_sentences(spark, texts), "ours": on_sentences(texts, ours)}
            if detect:
                result["sentences"]["presidio"] = on_sentences(texts, detect)
        many = (mixed * (arguments.values // len(mixed) + 1))[: arguments.values]
        rates = {"gate": native_speed(spark, many, arguments.runs), "classifier": speed(ours, mixed[:5000])}
        spark.stop()
    if detect:
        rates["presidio"] = speed(detect, mixed[:300])
        result["ratio_to_presidio"] = round(rates["gate"] / rates["presidio"])
    result["values_per_second_a_core"] = {name: round(rate) for name, rate in rates.items()}
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
