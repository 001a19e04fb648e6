"""No secret of any form is left in a text; everything else stays readable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_platform.model.secret import is_secret_name, redact, redact_named

BARE = [
    "isql -U batch -P {} -i /sql/load.sql",
    "isql -Ubatch -P{} -i /sql/load.sql",
    "sqlcmd -S db -U sa -P {} -Q 'select 1'",
    "bcp t in f.csv -U u -P {}",
    "mysql -h db -u root -p{} fin",
    "sshpass -p {} ssh host",
    "/opt/run.sh -p {} x",
    "/opt/run.sh --password={} --port 1521",
    "/opt/run.sh --password {} --port 1521",
    "/opt/run.sh -password {}",
    "run.exe /password:{} /x",
    "plink -pw {} host",
    "run --api-key {} x",
    "run --client-secret={}",
    "PGPASSWORD={} psql -h db",
    "export DB_PWD={}; /opt/run.sh",
    "set ORA_PASS={}&& run.cmd",
    "java -Ddb.password={} -jar a.jar",
    "sqlplus -s appuser/{}@DB1 @/sql/x.sql",
    "sqlplus -s appuser/{} @/sql/x.sql",
    "rman target sys/{}@DB1",
    "sqlldr userid=scott/{}@DB1 control=/x.ctl",
    "/opt/load.sh appuser/{}@DB1",
    "jdbc:oracle:thin:scott/{}@db:1521:X",
    "jdbc:sqlserver://db:1433;user=sa;password={};encrypt=true",
    "curl -u svc:{} https://svc.example.net/x",
    "curl --user svc:{} https://svc.example.net/x",
    "lftp -u svc,{} sftp://svc.example.net",
    "smbclient //h/s -U svc%{}",
    "curl ftp://svc:{}@svc.example.net/x",
    "git clone https://svc:{}@git.example.net/x",
    "redis-cli -a {} get x",
    "ldapsearch -D cn=x -w {} y",
    "openssl enc -aes -pass pass:{} -in f",
    "openssl enc -aes -k {} -in f",
    "bteq .logon td/svc,{};",
    "db2 connect to X user svc using {}",
    "create user x identified by {}",
    "echo {} | sudo -S ls",
    "echo {} | docker login --password-stdin",
    'curl -H "Authorization: Bearer {}" https://svc.example.net',
    "curl -H 'X-Api-Key: {}' https://svc.example.net",
    "https://h/x?a=1&access_token={}&b=2",
    "ORA-01017: appuser/{}@DB1 denied",
    "login failed: password={}, retrying",
    '{{"password": "{}", "user": "u"}}',
]
QUOTED = [
    "isql -U batch -P {} -i /sql/load.sql",
    "/opt/run.sh --password={} --port 1521",
    "/opt/run.sh --password {}",
    "/opt/run.sh -p {} x",
    "PGPASSWORD={} psql -h db",
    'sh -c "run --token {} x"',
]
SIMPLE = st.text("abcXYZ0189", min_size=6, max_size=20)
ODD = st.text("abXY01!#$%^*()-_+=[]{}.,?/:~<>@", min_size=8, max_size=16).map(lambda text: f"q7{text}z9")
PLAIN_ONLY = ("bteq", "curl -H", "echo", "ORA", "login", "https", "jdbc:oracle")
ODD_FORMS = [form for form in BARE if not form.startswith(PLAIN_ONLY) and "/{}" not in form and "{}@" not in form]
"""In the other forms a sign such as ``@`` or ``/`` ends a password for the program itself, too."""


@pytest.mark.parametrize("form", BARE)
@given(secret=SIMPLE.filter(lambda text: not text.isdigit()))
def test_a_secret_behind_a_name_a_user_or_an_option_is_taken_out(form: str, secret: str) -> None:
    text = redact(form.format(f"Q7{secret}"))

    assert secret not in text
    assert "***" in text


@pytest.mark.parametrize(
    "form",
    [
        'curl -H "Authorization: Token {}" https://svc.example.net',
        "net use Z: \\\\host\\share {} /user:dom\\app",
        "net use \\\\host\\share /user:dom\\app {}",
        "runas /user:dom\\app {}",
        "echo {} | su - app",
        'sqlplus -s app/"{}"@DB1',
        "kinit app <<< {}",
        "ftp -n host <<EOF\nuser app {}\nEOF",
        "vsql -U app -w {}",
        "infacmd x -un app -pd {}",
        "ConvertTo-SecureString -String {} -AsPlainText",
        "passwort={}",
        "mot_de_passe={}",
    ],
)
def test_a_secret_in_the_place_of_its_program_is_taken_out(form: str) -> None:
    text = redact(form.format("Ex4mple-Pw1"))

    assert "Ex4mple" not in text
    assert "***" in text
    assert redact(text) == text


@pytest.mark.parametrize("form", ODD_FORMS)
@given(secret=ODD)
def test_signs_in_a_password_do_not_end_it_early(form: str, secret: str) -> None:
    text = redact(form.format(secret))

    assert secret not in text
    assert "z9" not in text


@pytest.mark.parametrize("form", QUOTED)
@pytest.mark.parametrize("quote", ['"', "'", '\\"', '""'])
@given(secret=st.text("abXY01 !#$%&;|,()", min_size=8, max_size=16))
def test_a_quoted_password_is_taken_out_as_a_whole(form: str, quote: str, secret: str) -> None:
    text = redact(form.format(f"{quote}q7{secret}z9{quote}"))

    assert "q7" not in text
    assert "z9" not in text


@pytest.mark.parametrize(
    "text",
    [
        "/apps/fin/bin/load.ksh -t gl -d $$BUS_DATE",
        "sqlplus -s /nolog @/apps/fin/sql/ar.sql",
        "/opt/run.sh --port 1521 -p 8080",
        "curl http://rates.example.net:8443/eod?d=$$BUS_DATE",
        "rsync -a /data/out/ dr01:/data/out/",
        "scp -p a.dat batch@dr01:/data/out/",
        "mkdir -p out && cp -p a b",
        "find /data/in -name 'ap_*' -mtime +7 -exec rm {} \\;",
        'mailx -s "recon: breaks" fin-ops@example.com < /tmp/breaks.txt',
        "spark-submit --conf spark.sql.session.timeZone=UTC /opt/claims/stage.py elig",
        "run.ksh -p ${PW} --password=$DB_PASSWORD --token $$TOKEN -P %PW%",
        "run --password-file /etc/pw --token-url https://svc.example.net/t --bypass=yes",
        "tar czf /archive/x.tgz /raw/* /stage/*",
        "python -m passenger --compass north",
        "ssh git@git.example.net",
        "net use Z: \\\\host\\share /persistent:no",
        "net use \\\\host\\share * /user:app",
        "cat x | subst a b",
        "ftp -n host < /apps/get.ftp",
        "",
    ],
)
def test_what_is_no_secret_stays_as_it_is(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param("use AKIAABCDEFGHIJKLMNOP now", "use *** now", id="cloud key"),
        pytest.param("x ghp_abcdefghij0123456789ABCD y", "x *** y", id="hub token"),
        pytest.param("t eyJhbGciOi.eyJzdWIiOi.c2lnbmF0 u", "t *** u", id="web token"),
        pytest.param("sqlplus -s u/pw@DB @x.sql", "sqlplus -s u/***@DB @x.sql", id="the user and database stay"),
        pytest.param("ftp://u:p@ss@h/x", "ftp://u:***@h/x", id="an at in a password"),
        pytest.param("a;password=x;b", "a;password=***;b", id="the rest of a connection string stays"),
        pytest.param("x?sig=a%2Bb&se=1", "x?sig=***&se=1", id="the rest of a query stays"),
        pytest.param("run --password=$(cat /x y) z", "run --password=*** z", id="a command that prints it"),
    ],
)
def test_only_the_secret_is_taken_out(text: str, left: str) -> None:
    assert redact(text) == left


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("password", True), ("DB_PASSWORD", True), ("dbPassword", True), ("PGPASSWORD", True), ("client-secret", True),
        ("apiKey", True), ("AccountKey", True), ("api_key", True), ("userpw", True), ("X-Auth-Token", True),
        ("password_file", False), ("tokenUrl", False), ("bypass", False), ("key", False), ("sort_key", False),
        ("author", False), ("passenger", False), ("", False), ("owner", False),
    ],
)  # fmt: skip
def test_a_name_decides_whether_its_value_is_secret(name: str, secret: bool) -> None:
    assert is_secret_name(name) is secret
    assert redact_named(name, "abc") == ("***" if secret else "abc")


def test_a_reference_to_a_variable_is_no_secret() -> None:
    assert redact_named("password", "$$DB_PW") == "$$DB_PW"
    assert redact_named("password", "$DB_PW and more") == "***"


@given(st.one_of(st.text(max_size=80), st.text("-pPu=:/@\"' aB1&;|$()*\\,", max_size=80)))
def test_taking_secrets_out_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)

    assert redact(once) == once
