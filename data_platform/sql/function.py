"""The functions that rules and process steps may call. A function that is not listed is refused.

Left out on purpose: functions that run code or read the machine (``reflect``, ``java_method``, ``input_file_name``),
that read files or other formats (``from_avro``, ``from_xml``, ``read_files``), that return another value each time or
in each session (``rand``, ``uuid``, ``current_user``), that end the job (``raise_error``), and that can make rows or
values of any size (``sequence``, ``repeat``, ``space``, ``array_repeat``).
"""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_GROUPS = {
    "conditions": """
        coalesce equal_null if ifnull isnotnull isnull isnan nanvl nullif nullifzero nvl nvl2 zeroifnull
        greatest least typeof case""",
    "numbers": """
        abs acos acosh asin asinh atan atan2 atanh bin bit_count bround cbrt ceil ceiling conv cos cosh cot csc degrees
        div e exp expm1 factorial floor getbit hex hypot ln log log10 log1p log2 mod negative pi pmod positive pow power
        radians rint round sec shiftleft shiftright shiftrightunsigned sign signum sin sinh sqrt tan tanh try_add
        try_divide try_mod try_multiply try_subtract unhex width_bucket""",
    "casts": """
        bigint binary boolean cast date decimal double float int smallint string timestamp tinyint to_binary to_char
        to_number to_varchar try_cast try_to_binary try_to_number""",
    "text": """
        ascii base64 bit_length btrim char char_length character_length chr collate collation concat concat_ws contains
        decode elt encode endswith find_in_set format_number format_string initcap instr is_valid_utf8 lcase left len
        length levenshtein locate lower lpad ltrim luhn_check mask octet_length overlay position printf quote regexp
        regexp_count regexp_extract regexp_extract_all regexp_instr regexp_like regexp_replace regexp_substr replace
        reverse right rlike like ilike rpad rtrim soundex split split_part startswith substr substring substring_index
        translate trim try_validate_utf8 ucase unbase64 upper url_decode url_encode parse_url try_parse_url
        try_url_decode""",
    "dates and times": """
        add_months convert_timezone current_date current_timestamp curdate date_add date_diff date_format
        date_from_unix_date date_part date_sub date_trunc dateadd datediff datepart day dayname dayofmonth dayofweek
        dayofyear extract from_unixtime from_utc_timestamp hour last_day localtimestamp make_date make_dt_interval
        make_interval make_timestamp make_timestamp_ltz make_timestamp_ntz make_ym_interval minute month monthname
        months_between next_day now quarter second time_diff time_trunc timestamp_micros timestamp_millis
        timestamp_seconds timestampadd timestampdiff to_date to_timestamp to_timestamp_ltz to_timestamp_ntz
        to_unix_timestamp to_utc_timestamp trunc try_make_interval try_make_timestamp try_to_date try_to_timestamp
        unix_date unix_micros unix_millis unix_seconds unix_timestamp weekday weekofyear window window_time
        session_window year""",
    "arrays, maps and structs": """
        aggregate array array_append array_compact array_contains array_distinct array_except array_intersect array_join
        array_max array_min array_position array_prepend array_remove array_size array_sort array_union arrays_overlap
        arrays_zip cardinality element_at exists filter flatten forall get map map_concat map_contains_key map_entries
        map_filter map_from_arrays map_from_entries map_keys map_values map_zip_with named_struct reduce size slice
        sort_array str_to_map struct transform transform_keys transform_values try_element_at zip_with""",
    "JSON and CSV in a column": """
        from_csv from_json get_json_object json_array_length json_object_keys json_tuple schema_of_csv schema_of_json
        to_csv to_json""",
    "hashes": "crc32 hash md5 sha sha1 sha2 xxhash64",
    "bits": "bit_get bitmap_bit_position bitmap_bucket_number bitmap_count",
    "aggregates": """
        any any_value approx_count_distinct approx_percentile array_agg avg bit_and bit_or bit_xor bool_and bool_or
        collect_list collect_set corr count count_if covar_pop covar_samp every first first_value
        grouping grouping_id hll_sketch_agg hll_sketch_estimate hll_union hll_union_agg kurtosis last last_value listagg
        max max_by mean median min min_by mode percentile percentile_approx percentile_cont percentile_disc regr_avgx
        regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy skewness some std stddev
        stddev_pop stddev_samp string_agg sum try_avg try_sum var_pop var_samp variance""",
    "windows": "cume_dist dense_rank lag lead nth_value ntile percent_rank rank row_number",
    "rows of arrays": "explode explode_outer inline inline_outer posexplode posexplode_outer stack",
}

GROUPS: dict[str, tuple[str, ...]] = {group: tuple(sorted(set(names.split()))) for group, names in _GROUPS.items()}
"""Maps each group to its functions, in lower case. ``functions_page`` lists them in the documentation."""

FUNCTIONS = frozenset(name for names in GROUPS.values() for name in names)

NOT_OF_ONE_ROW = frozenset(GROUPS["aggregates"] + GROUPS["windows"] + GROUPS["rows of arrays"])
"""Functions that need other rows or make several rows of one; a rule checks each row by itself."""

BOOLEAN = words(
    "array_contains arrays_overlap boolean contains endswith equal_null exists forall ilike is_valid_utf8 isnan"
    " isnotnull isnull like luhn_check map_contains_key regexp regexp_like rlike startswith"
)
"""Functions that return a boolean."""

ANY_TYPE = words(
    "aggregate cast coalesce element_at get greatest if ifnull least nanvl nullif nvl nvl2 reduce try_cast"
    " try_element_at from_json case"
)
"""Functions that return the type of their arguments."""

HINTS = frozenset({"broadcast", "broadcastjoin", "mapjoin", "merge", "shuffle_merge", "mergejoin", "shuffle_hash"})
"""Hints that a step may give: they choose a join strategy. Other hints change how many tasks run."""

ZONED = (frozenset(GROUPS["dates and times"]) | {"date", "timestamp"}) - {"window", "now", "current_timestamp"}
"""Functions and types whose value may depend on the time zone."""


def functions_page() -> str:
    """Returns the text of ``docs/functions.md``: Markdown, one section for each group."""
    lines = [
        "# Functions that policies may call",
        "",
        "Rules (`invariants`) and process steps are SQL expressions over columns. They may call the functions listed",
        "here; `data-platform validate` refuses any other, and so does the run. This page is generated from",
        "`data_platform/sql/function.py`. A rule checks one row at a time, so aggregates, windows and functions that",
        "turn arrays into rows are for process steps only.",
        "",
        "Refused on purpose: functions that run code or read the machine, files or the session; functions that return",
        "other values each time (`rand`, `uuid`); functions that make values of any size (`sequence`, `repeat`,",
        "`space`, `array_repeat`, `count_min_sketch`). A step is one SELECT: no other statement, no",
        "`TRANSFORM … USING`, no `|>`, no table function, no time travel, no `TABLESAMPLE`, no recursion, no parameter",
        "but `:partition`.",
        "",
        "Sizes must be literal numbers: `round`, `format_number`, `lpad` and `stack` take up to 1000,",
        "`approx_count_distinct` a deviation from 0.01. `aggregate` and `reduce` start with a number, `window` has no",
        "slide, and CUBE makes 256 groupings at most. Products of the data itself (cross joins, arrays of arrays) have",
        "no limit but Spark's memory: such a run ends with an error and certifies nothing.",
        "",
        "`now`, `current_date` and `current_timestamp` may be called; a rule that calls one of them can give the same",
        "rows another result on another day.",
    ]
    for group, names in GROUPS.items():
        lines += ["", f"## {group[0].upper()}{group[1:]}", "", ", ".join(f"`{name}`" for name in names)]
    return "\n".join(lines) + "\n"
