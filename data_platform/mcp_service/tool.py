"""The tools: each is a route of the API under a name, with what an assistant must know of it."""

from __future__ import annotations

from dataclasses import dataclass

from data_platform.api.access import API


@dataclass(frozen=True)
class RouteTool:
    """``route`` is a key of the API's permissions. ``description`` says when to use it."""

    name: str
    route: str
    description: str

    @property
    def method(self) -> str:
        return self.route.partition(" ")[0]

    @property
    def path(self) -> str:
        return self.route.partition(" ")[2]

    @property
    def is_read_only(self) -> bool:
        return self.method == "GET"


_NAME = "`reference` is a URN such as ds://ops/flights, or another name that `search` finds."

TOOLS = (
    RouteTool(
        "search", f"GET {API}/search", "Finds datasets and processes by words, owner, tag or column. Begin here."
    ),
    RouteTool(
        "dataset", f"GET {API}/dataset/{{reference}}", f"A dataset with its owner, newest version and columns. {_NAME}"
    ),
    RouteTool(
        "certified",
        f"GET {API}/dataset/{{reference}}/certified",
        f"The version that consumers see, since when, and what waits; with as_of what they saw then. {_NAME}",
    ),
    RouteTool(
        "why",
        f"GET {API}/dataset/{{reference}}/why",
        f"Why a version was certified or a day is held: gates, rules, delivery, inputs, and what to do. {_NAME}",
    ),
    RouteTool(
        "schema",
        f"GET {API}/dataset/{{reference}}/schema",
        f"The columns of a version, or what changed in them. {_NAME}",
    ),
    RouteTool(
        "lineage",
        f"GET {API}/dataset/{{reference}}/lineage",
        f"The graph around a dataset: what it is made of, and what is made of it. {_NAME}",
    ),
    RouteTool(
        "impact",
        f"GET {API}/dataset/{{reference}}/impact",
        f"Everything downstream, or upstream, of a dataset or of one of its columns, nearest first. {_NAME}",
    ),
    RouteTool("sla_status", f"GET {API}/sla/status", "Which datasets are late, and since when."),
    RouteTool(
        "incidents", f"GET {API}/incidents", "Incidents, newest first; state=OPEN for those that nobody has taken."
    ),
    RouteTool(
        "incident", f"GET {API}/incidents/{{number}}", "An incident with its signals, its history and who is affected."
    ),
    RouteTool(
        "rca",
        f"GET {API}/incidents/{{number}}/rca",
        "The root cause of an incident with the chain of evidence, what was ruled out, and what to do.",
    ),
    RouteTool(
        "quarantine",
        f"GET {API}/quarantine",
        "Batches of rows that broke rules, with owner, age, and what to do; no rows.",
    ),
    RouteTool(
        "quarantine_batch",
        f"GET {API}/quarantine/{{name}}",
        "One batch in quarantine with the decisions about it; no rows.",
    ),
    RouteTool(
        "acknowledge_incident",
        f"POST {API}/incidents/{{number}}/acknowledge",
        "Tells others that somebody works on it.",
    ),
    RouteTool(
        "resolve_incident",
        f"POST {API}/incidents/{{number}}/resolve",
        "Ends an incident with a reason. FIXED is refused while something of it is found.",
    ),
    RouteTool(
        "assign_quarantine", f"POST {API}/quarantine/{{name}}/assign", "Assigns a batch in quarantine to a person."
    ),
    RouteTool(
        "replay_quarantine",
        f"POST {API}/quarantine/{{name}}/replay",
        "Asks that the rows of a batch are judged again by today's policy.",
    ),
    RouteTool(
        "discard_quarantine",
        f"POST {API}/quarantine/{{name}}/discard",
        "Closes a batch whose rows nobody wants. Ask the person first: it cannot be taken back.",
    ),
    RouteTool(
        "request_release",
        f"POST {API}/quarantine/{{name}}/release",
        "Requests that rows pass although they break the policy. Somebody else, a steward, must approve it.",
    ),
)
BY_NAME = {tool.name: tool for tool in TOOLS}
