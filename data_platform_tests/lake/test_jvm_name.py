"""What a class or a function of the JVM is, py4j asks once."""

from types import SimpleNamespace

from py4j.java_gateway import JVMView

from data_platform.lake.jvm_name import remember_names


class Gateway:
    """A JVM in which functions return NULL, and parts of other names are packages; it lists what it is asked."""

    converters = ()
    gateway_property = SimpleNamespace(pool=None)

    def __init__(self) -> None:
        self.asked: list[str] = []

    def send_command(self, command: str, *_: object) -> str:
        self.asked.append(command)
        kind, sub, name = command.split("\n")[:3]
        known = f"yc{name}" if name.endswith("DeltaLog") else "yp" if "." in name else f"ycorg.apache.spark.sql.{name}"
        answers = {("r", "u"): known, ("r", "m"): "ym"}
        return answers.get((kind, sub), "yn")


def test_a_function_is_looked_up_at_its_first_call_only() -> None:
    gateway = Gateway()
    jvm = JVMView(gateway, "jvm", "j")
    remember_names(jvm)
    before = len(gateway.asked)

    for _ in range(3):
        assert jvm.functions.lit() is None

    assert len(gateway.asked) - before == 4  # what ``lit`` is, and three calls


def test_each_package_is_looked_up_once() -> None:
    gateway = Gateway()
    jvm = JVMView(gateway, "jvm", "j")
    remember_names(jvm)
    before = len(gateway.asked)

    for _ in range(3):
        assert jvm.org.apache.spark.sql.delta.DeltaLog.forTable() is None
    assert jvm.org.apache.spark.sql._fqn == "org.apache.spark.sql"

    # four packages, a class, what ``forTable`` is, and three calls
    assert len(gateway.asked) - before == 9


def test_a_session_whose_names_are_remembered_already_keeps_them() -> None:
    jvm = JVMView(Gateway(), "jvm", "j")
    remember_names(jvm)
    remember_names(jvm)

    assert jvm.functions._fqn == "org.apache.spark.sql.functions"
    assert jvm.functions.lit() is None
