"""Passwords, tokens and keys in commands and in their output, removed before anything is stored.

A text is not parsed as a shell would, since it may be of any shell, or a connection string. Secrets are recognized by
what comes before them: a name that indicates one (``--password``, ``PGPASSWORD=``, ``pwd=…;``), a program's password
option (``isql -P``, ``mysql -p``), a user (``scott/…@DB``, ``curl -u user:…``, ``ftp://user:…@``), or by the form of a
common token. In doubt the text is removed; a port, a path and a reference to a variable are kept. A password that a
script takes only by its position cannot be distinguished from other text.
"""

from __future__ import annotations

import re
from itertools import pairwise

MASK = "***"


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Every repetition is bounded or cannot be entered twice, so that no text takes more than linear time.
_VALUE = (
    r"(?:\\?\"+[^\"]{0,2000}\"*"
    r"|'+[^']{0,2000}'*"
    r"|\$\([^)]{0,2000}\)?"
    r"|(?:[^\s\"'`;|&]|&(?![&\s]|[\w.-]{1,64}=|\Z)){1,4000})"
)
_MASKED = re.compile(r"\*{3}(?=[\s\"'`;|&,)}\]]|\Z)")
_WHOLE_VALUE = re.compile(_VALUE)
_REFERENCE = re.compile(r"\$\{?\w+\}?|\$\$\{?\w+\}?|%%?\w+%%?|<\w+>|\*+", re.ASCII)

_URL = re.compile(r"(://[^\s/:@\"']{0,200}:)([^\s\"']{1,500})(@(?=[\w.\[$%-]))")
_URL_TOKEN = re.compile(r"(://)([\w-]{20,500})@(?=[\w.\[-])")
_SCHEME = re.compile(r"\b(bearer|basic|negotiate|apikey)(\s{1,3})([\w.~+/=:-]{4,4000})", re.IGNORECASE)
_TOKEN = re.compile(
    r"\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_\w{20,255}|\bglpat-[\w-]{20,255}|\bxox[a-z]-[\w-]{10,255}"
    r"|\beyJ[\w-]{5,4000}\.[\w-]{4,4000}(?:\.[\w-]{0,4000})?"
    r"|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,8000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?",
    re.ASCII,
)
_ACCOUNT = re.compile(r"(?<![\w/.@:\\-])([A-Za-z][\w$#]{0,63}/)([^\s/@\"']{1,200})(@(?=[\w/(\"'$]))", re.ASCII)
_THIN = re.compile(r"(jdbc:oracle:\w{1,10}:[\w$#]{0,64}/)([^\s@\"']{1,200})(@)", re.ASCII)
_IDENTIFIED = re.compile(
    rf"\b(identified\s{{1,3}}by\s{{1,3}}|\buser\s{{1,3}}\S{{1,64}}\s{{1,3}}using\s{{1,3}})({_VALUE})", re.I
)
_LOGON = re.compile(r"(\blogon\s{1,3}[^\s,]{1,128},)([^\s;\"']{1,200})", re.IGNORECASE)
_OTHERS = tuple(
    re.compile(pattern, re.IGNORECASE | re.ASCII)
    for pattern in (
        r"(authorization\\?\"?\s{0,3}[:=]\s{0,3}\\?\"?[\w*]{1,20}\s{1,3})([\w.~+/=:-]{4,4000})",
        r"(\bnet\s{1,3}use\s[^\n|;&]{0,200}/user:\S{1,128}\s{1,3})([^\s/]\S{0,200})",
        r"(\bnet\s{1,3}use\s{1,3}(?:\S{1,3}\s{1,3})?\\\\\S{1,200}\s{1,3})([^\s/]\S{0,200})",
        r"(\brunas\s[^\n|;&]{0,200}/user:\S{1,128}\s{1,3})([^\s/\"]\S{0,200})",
        r"(?<![\w/.@:\\-])([a-z][\w$#]{0,63}/)(\"[^\"\n]{1,200}\")(@(?=[\w/(\"'$]))",
        rf"(\b(?:kinit|sudo|su|passwd|openssl)\b[^\n|;<]{{0,200}}<<<\s{{0,3}})({_VALUE})",
        r"(\bftp\b[^\n]{0,200}\n[ \t]{0,20}user[ \t]{1,3}\S{1,128}[ \t]{1,3})(\S{1,200})",
        rf"(convertto-securestring\s{{1,3}}(?:-string\s{{1,3}})?)({_VALUE})",
        rf"(\b(?:infacmd|pmcmd|pmrep)\b[^\n|;]{{0,300}}\s-pd\s{{1,3}})({_VALUE})",
    )
)
"""Programs and headers whose secret has its own place."""
_PIPED = re.compile(
    r"(\becho\s{1,3}(?:-n\s{1,3})?)([^|]{1,500})(\|\s{0,3}(?:sudo\s[^|]{0,80}-S|su(?:\s|$)|[^|]{0,200}--password-stdin|kinit|passwd\b))"
)
_USER_PASSWORD = re.compile(
    r"(?<![\w-])((?:-u|-U|--user|--proxy-user|--login)(?:\s{1,3}|=)?[\"']?[\w.@$\\{}-]{1,128}[:%])([^\s\"'/][^\s\"']{0,500})"
)
_USER_COMMA = re.compile(r"(?<![\w-])((?:-u|-U|--user)(?:\s{1,3}|=)?[\"']?[\w.@$\\{}-]{1,128},)([^\s\"']{1,500})")

_NAME = re.compile(r"(?<![\w.])(?:--?|/)?[A-Za-z_][\w.-]{0,63}(\\?\"?\s{0,3}[=:]\s{0,3}|\s{1,3})", re.ASCII)
_PART = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+")
_SECRET_PARTS = frozenset(
    _words(
        "pass pw pwd passwd password passphrase passcode passin passout secret token apikey credential credentials auth"
        " authorization sas sig signature jwt passwort kennwort contrasena senha wachtwoord passe mdp"
    )
)
_SECRET_ENDS = (
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "pass",
    "pw",
    "apikey",
    "passwort",
    "kennwort",
)
_KEY_BEFORE = frozenset(_words("api access private account secret storage encryption shared master session signing"))
_HARMLESS_PARTS = frozenset(
    _words(
        "file path dir folder url uri endpoint name type length policy expiry expires expiration env prompt stdin"
        " timeout count size issuer method mode realm"
    )
)
_HARMLESS_WORDS = frozenset(_words("bypass compass trespass encompass surpass overpass underpass"))

_UPPER_P = _words("isql isql64 fisql dbisql bcp sqsh sqlcmd osql tsql defncopy zip unzip")
_LOWER_P = _words("mysql mysqldump mysqladmin mysqlimport mariadb sshpass 7z 7za 7zr rar unrar")
_ORACLE = _words("sqlplus sqlplus64 sqlldr exp imp expdp impdp rman sql")
_OPTIONS = {
    **dict.fromkeys(_UPPER_P, "P"), **dict.fromkeys(_LOWER_P, "p"),
    **dict.fromkeys(_words("ldapsearch ldapmodify ldapadd ldapdelete vsql"), "w"), "redis-cli": "a", "openssl": "kK",
    **dict.fromkeys(_words("mongo mongosh mongodump mongoexport mongoimport mongorestore"), "p"),
}  # fmt: skip
_NO_PASSWORD = frozenset(
    _words("cp mkdir scp rsync tar ssh sftp rmdir install ps psql nc lsof netstat pg_dump pg_restore cpio patch")
)
_PROGRAMS = sorted({*_OPTIONS, *_NO_PASSWORD, *_ORACLE}, key=len, reverse=True)
_STEP = re.compile(
    rf"(?<![\w.-])(?P<program>{'|'.join(map(re.escape, _PROGRAMS))})(?:\.exe)?(?![\w.-])"
    rf"|(?<![\w-])-(?P<option>[pPwakK])(?P<gap>\s{{1,3}}|)(?=(?P<value>{_VALUE}))"
    r"|(?<![^\s\"'=])(?P<user>[A-Za-z][\w$#]{0,63}/)(?P<password>[^\s@\"']{1,200})",
    re.ASCII,
)


def redact(text: str) -> str:
    """``text`` with each secret replaced by ``***``. A second call changes nothing more."""
    text = _TOKEN.sub(MASK, text)
    text = _by_name(_SCHEME.sub(rf"\1\2{MASK}", text))
    text = _URL_TOKEN.sub(rf"\1{MASK}@", text)
    for pattern in (_URL, _ACCOUNT, _THIN, _LOGON, _USER_PASSWORD, _USER_COMMA, _IDENTIFIED, *_OTHERS):
        text = pattern.sub(_masked, text)
    text = _PIPED.sub(rf"\1{MASK} \3", text)
    return _by_program(text)


def redact_named(name: str, value: str) -> str:
    """The value of a variable ``name``: all of it is masked if the name indicates a secret."""
    return MASK if value and is_secret_name(name) and not _is_reference(value) else redact(value)


def is_secret_name(name: str) -> bool:
    """``DB_PASSWORD``, ``client-secret``, ``accountKey``; not ``password_file`` or ``bypass``."""
    parts = [part.lower() for part in _PART.findall(name)]
    if not parts or parts[-1] in _HARMLESS_PARTS:
        return False
    if any(part in _SECRET_PARTS or _ends_secret(part) for part in parts):
        return True
    return any(first in _KEY_BEFORE and second == "key" for first, second in pairwise(parts))


def _ends_secret(part: str) -> bool:
    return part.endswith(_SECRET_ENDS) and part not in _HARMLESS_WORDS


def _is_reference(value: str) -> bool:
    return bool(_REFERENCE.fullmatch(value.strip("\\\"'")))


def _masked(match: re.Match[str]) -> str:
    """The match with its second group masked, and the third unchanged."""
    if _is_reference(match[2]):
        return match[0]
    return "".join((match[1], MASK, *match.groups()[2:]))


def _by_name(text: str) -> str:
    """Masks values after a name that indicates a secret."""
    parts, at = [], 0
    while match := _NAME.search(text, at):
        parts.append(text[at : match.end()])
        at = match.end()
        if _announces(match) and (value := _WHOLE_VALUE.match(text, at)):
            masked = _MASKED.match(value[0])
            end = at + len(MASK) if masked else value.end()
            parts.append(text[at:end] if masked or _is_reference(value[0]) else MASK)
            at = end
    return "".join([*parts, text[at:]])


def _announces(match: re.Match[str]) -> bool:
    name = match[0][: match.start(1) - match.start()]
    if match[1].isspace() and not (name[0] in "-/" or name.lower() in ("password", "passwd", "passphrase")):
        return False  # `token ring` is no secret, `--token ring` is one
    return is_secret_name(name)


def _by_program(text: str) -> str:
    """Masks short options, and ``user/password``, by the syntax of the program before them."""
    parts, at, program = [], 0, ""
    for match in _STEP.finditer(text):
        if match["program"]:
            program = match["program"]
            continue
        if match.start() < at:
            continue
        begin, end = _secret_of(match, program)
        if begin < end:
            parts += [text[at:begin], MASK]
            at = end
    return "".join([*parts, text[at:]])


def _secret_of(match: re.Match[str], program: str) -> tuple[int, int]:
    """The start and end of the secret; an empty range if there is none."""
    none = (match.start(), match.start())
    if match["user"]:
        return match.span("password") if program in _ORACLE and not _is_reference(match["password"]) else none
    value = match["value"]
    if _is_reference(value) or _MASKED.match(value) or value.startswith("-") or program in _NO_PASSWORD:
        return none
    is_password_option = match["option"] in _OPTIONS.get(program, "")
    is_likely_password = match["option"] in "pP" and match["gap"] and not _is_port_or_path(value)
    return match.span("value") if is_password_option or is_likely_password else none


def _is_port_or_path(value: str) -> bool:
    bare = value.strip("\\\"'")
    return bool(re.fullmatch(r"\d{1,5}|(?:[/.~]|[A-Za-z]:[\\/]).*", bare, re.ASCII | re.DOTALL))
