"""Functions of our own in Java, for what Spark's functions do too slowly: no row leaves the JVM for Python.

A function is one source file of this package: a class that implements one of Spark's interfaces ``UDF1`` to ``UDF22``,
and that returns itself as a function of Spark from its static method ``function``. Spark contains a Java compiler,
Janino, with which it compiles its own queries: so the platform needs neither a JDK nor a jar. The classes are given to
Spark as a jar, since executors, also that of this process, load classes from there.
"""

from __future__ import annotations

import zipfile
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import Column

_PACKAGE = "dataplatform"
_LOCK = Lock()


def java_function(name: str, *arguments: Column) -> Column:
    """Calls class ``name`` of this package on ``arguments``, which are Java's objects there: ``byte[]`` for binary."""
    from pyspark import SparkContext
    from pyspark.sql.classic.column import _to_java_column, _to_seq
    from pyspark.sql.column import Column

    context = SparkContext._active_spark_context
    assert context is not None, "an expression is made while a session is open"  # noqa: S101
    with _LOCK:
        function = _function(context, name)
    return Column(function.apply(_to_seq(context, arguments, _to_java_column)))


@lru_cache(maxsize=8)
def _function(context: SparkContext, name: str) -> Any:
    """One for all calls in ``context``, so that Spark sees that two equal calls are equal."""
    jvm: Any = context._jvm
    gateway: Any = context._gateway
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(jvm.org.apache.spark.util.Utils.getSparkClassLoader())
    compiler.cook((Path(__file__).parent / f"{name}.java").read_text("utf-8"))
    jar = Path(context._temp_dir) / f"data-platform-{name}.jar"
    with zipfile.ZipFile(jar, "w") as classes:
        for class_name, content in compiler.getBytecodes().items():
            classes.writestr(f"{class_name.replace('.', '/')}.class", bytes(content))
    context._jsc.addJar(str(jar))
    maker = (
        compiler.getClassLoader()
        .loadClass(f"{_PACKAGE}.{name}")
        .getMethod("function", gateway.new_array(jvm.java.lang.Class, 0))
    )
    return maker.invoke(None, gateway.new_array(jvm.java.lang.Object, 0))
