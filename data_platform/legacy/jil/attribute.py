"""The words of JIL: which statements and attributes there are, and how an attribute's value is written.

``READ`` attributes fill the registry; the other known ones are JIL's own, kept as they are with their process. A word
that is not here is no error: it is kept too, and named in the coverage report.
"""

from __future__ import annotations

from enum import Enum


class Nature(Enum):
    """How the text behind the colon goes on, and whether another attribute may follow on the same line."""

    WORD = "a word or list"
    LIST = "a list that may run over lines"
    CONDITION = "a condition that may run over lines"
    TEXT = "anything up to the end of the line"


def _words(text: str, nature: Nature) -> dict[str, Nature]:
    return dict.fromkeys(text.split(), nature)


READ = {
    **_words("job_type box_name machine owner date_conditions timezone run_calendar exclude_calendar", Nature.WORD),
    **_words("run_window new_name", Nature.WORD),
    **_words("days_of_week start_times start_mins must_start_times must_complete_times", Nature.LIST),
    **_words("condition box_success box_failure", Nature.CONDITION),
    **_words("command description watch_file", Nature.TEXT),
}

_KEPT = {
    **_words(
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
    **_words(
        """envvars notification_msg std_err_file std_in_file std_out_file svcdesk_desc
        connect_string destination_file sql_command success_criteria success_pattern
        ftp_local_name ftp_remote_name scp_local_name scp_remote_dir scp_remote_name sp_arg sp_name""",
        Nature.TEXT,
    ),
    **_words(
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
"""What a statement about something else than a job may say."""

NATURES = {
    **{name: Nature.WORD for text in OBJECT_ATTRIBUTES.values() for name in text.split()},
    "dates": Nature.LIST,
    **JOB_ATTRIBUTES,
}
"""Every known attribute. A ``condition`` is a condition, also in an extended calendar, where it is a word."""

REPEATABLE = frozenset(
    _words(
        """envvars sp_arg resources notification_emailaddress notification_emailaddress_on_alarm
        notification_emailaddress_on_failure notification_emailaddress_on_success
        notification_emailaddress_on_terminated""",
        Nature.TEXT,
    )
)
"""Attributes of a job that may stand several times, and mean all of them."""

CALENDARS = frozenset({"calendar", "extended_calendar", "cycle"})
"""Statements of ``autocal_asc``, whose exports are kept beside JIL."""

JOB_STATEMENTS = frozenset({"insert_job", "update_job", "override_job", "delete_job", "delete_box", "rename_job"})

_NOUNS = {"machine": "machine", "xinst": "xinst", "global": "global", "glob": "global", "calendar": "calendar"}

OBJECT_STATEMENTS = {
    **{f"{verb}_{word}": noun for verb in ("insert", "update", "delete") for word, noun in _NOUNS.items()},
    **dict.fromkeys(CALENDARS, "calendar"),
}
"""Statements about something that is kept beside the jobs, and what that is."""

OTHER_STATEMENTS = frozenset(
    f"{verb}_{noun}"
    for verb in ("insert", "update", "delete")
    for noun in ("resource", "blob", "monbro", "job_type", "connectionprofile", "user_defined_job_type")
)
"""JIL's own, about things for which the registry has no place."""

VERBS = ("insert", "update", "delete", "override", "rename")


def is_statement(word: str) -> bool:
    """A word of a statement's form begins one, known or not: else its attributes would be another job's."""
    return word in CALENDARS or (word.partition("_")[0] in VERBS and "_" in word)
