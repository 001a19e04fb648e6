"""The vocabulary of JIL: its statements and attributes, and how an attribute's value is written.

``READ`` attributes fill the registry; the other attributes of JIL are stored unchanged with their process. An attribute
that is not listed here is no error: it is stored too, and named in the coverage report.
"""

from __future__ import annotations

from enum import Enum


class Nature(Enum):
    """How the text after the colon continues, and whether another attribute may follow on the same line."""

    WORD = "a word or list"
    LIST = "a list that may run over lines"
    CONDITION = "a condition that may run over lines"
    TEXT = "anything up to the end of the line"


def _keys(text: str, nature: Nature) -> dict[str, Nature]:
    return dict.fromkeys(text.split(), nature)


READ = {
    **_keys("job_type box_name machine owner date_conditions timezone run_calendar exclude_calendar", Nature.WORD),
    **_keys("run_window new_name", Nature.WORD),
    **_keys("days_of_week start_times start_mins must_start_times must_complete_times", Nature.LIST),
    **_keys("condition box_success box_failure", Nature.CONDITION),
    **_keys("command description watch_file", Nature.TEXT),
}

_KEPT = {
    **_keys(
        """alarm_if_fail alarm_if_terminated alert application auth_string auto_delete auto_hold avg_runtime
        box_terminator chk_files continuous elevated fail_codes group heartbeat_interval interactive job_class job_load
        job_terminator max_exit_success max_run_alarm min_run_alarm must_complete_alarm n_retrys
        notification_alarm_types notification_emailaddress notification_emailaddress_on_alarm
        notification_emailaddress_on_failure notification_emailaddress_on_success
        notification_emailaddress_on_terminated notification_id notification_template permission priority profile
        resources send_notification service_desk shell status std_in_type success_codes svcdesk_attr svcdesk_imp
        svcdesk_pri svcdesk_sev term_run_time ulimit watch_file_change_type watch_file_groupname watch_file_min_size
        watch_file_owner watch_file_recursive watch_file_type watch_file_win_user watch_interval watch_no_change""",
        Nature.WORD,
    ),
    **_keys(
        """envvars notification_msg std_err_file std_in_file std_out_file svcdesk_desc
        connect_string destination_file sql_command success_criteria success_pattern
        ftp_local_name ftp_remote_name scp_local_name scp_remote_dir scp_remote_name sp_arg sp_name""",
        Nature.TEXT,
    ),
    **_keys(
        """ftp_command ftp_server_name ftp_server_port ftp_transfer_direction ftp_transfer_type ftp_use_ssl
        scp_local_user scp_protocol scp_server_name scp_server_port scp_transfer_direction user_role
        dbtype monitor_type tablename trigger_cond trigger_type""",
        Nature.WORD,
    ),
}

JOB_ATTRIBUTES = {**READ, **_KEPT}

OBJECT_ATTRIBUTES = {
    "machine": """type machine node_name port max_load factor opsys agent_name heartbeat_attempts heartbeat_freq
        description character_code encryption_type key_to_agent provision mach_mode max_jobs""",
    "xinst": "xtype xmachine xport xmanager xcrypt_type xkey_to_manager description",
    "global": "value global_value",
    "calendar": "dates workday non_workday holiday holcal cyccal adjust condition start_date end_date description",
}
"""The attributes of statements about objects other than jobs."""

NATURES = {
    **{name: Nature.WORD for text in OBJECT_ATTRIBUTES.values() for name in text.split()},
    "dates": Nature.LIST,
    **JOB_ATTRIBUTES,
}
"""Every attribute of JIL. A ``condition`` is read as a condition, also in an extended calendar, where it is a word."""

REPEATABLE = frozenset(
    _keys(
        """envvars sp_arg resources notification_emailaddress notification_emailaddress_on_alarm
        notification_emailaddress_on_failure notification_emailaddress_on_success
        notification_emailaddress_on_terminated""",
        Nature.TEXT,
    )
)
"""Attributes of a job that may be repeated; all of their values count."""

CALENDARS = frozenset({"calendar", "extended_calendar", "cycle"})
"""Statements of ``autocal_asc``, whose exports are stored next to JIL files."""

JOB_STATEMENTS = frozenset({"insert_job", "update_job", "override_job", "delete_job", "delete_box", "rename_job"})

_NOUNS = {"machine": "machine", "xinst": "xinst", "global": "global", "glob": "global", "calendar": "calendar"}

OBJECT_STATEMENTS = {
    **{f"{verb}_{word}": noun for verb in ("insert", "update", "delete") for word, noun in _NOUNS.items()},
    **dict.fromkeys(CALENDARS, "calendar"),
}
"""Maps statements about objects other than jobs to the kind of object."""

OTHER_STATEMENTS = frozenset(
    f"{verb}_{noun}"
    for verb in ("insert", "update", "delete")
    for noun in ("resource", "blob", "monbro", "job_type", "connectionprofile", "user_defined_job_type")
)
"""JIL statements about objects that the registry does not store."""

VERBS = ("insert", "update", "delete", "override", "rename")


def is_statement(word: str) -> bool:
    """Any word of a statement's form starts one, listed or not: else its attributes would go to another job."""
    return word in CALENDARS or (word.partition("_")[0] in VERBS and "_" in word)
