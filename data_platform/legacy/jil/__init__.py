"""JIL, the job information language of Autosys, read as its scheduler reads it.

From the bottom: ``text`` (bytes to lines), ``line`` (comments, and what stands on a line), ``stanza`` (statements and
attributes with their places), ``condition`` (its grammar), ``estate`` (statements applied in order), ``schedule``,
``process``, ``edge``, ``dataset``, and ``scan``, which is all of it. No file, however broken, raises: what is not
understood is a finding with its file and line.
"""
