#!/bin/sh
# Exit 0 if Java 17 or 21 is here, 2 with one clear sentence if not.
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
found=$("$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1)
case "$found" in
17 | 21) exit 0 ;;
esac
echo "Spark needs Java 17 or 21, and ${found:+only Java }${found:-no Java} was found: install it with" \
    "'sudo apt-get install openjdk-17-jre-headless' (Debian), 'sudo dnf install java-21-openjdk-headless' (Fedora)" \
    "or 'brew install openjdk@21' (macOS), set JAVA_HOME if it is not on the PATH, and run make again." >&2
exit 2
