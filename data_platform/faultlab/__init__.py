"""A lab of faults: estates in which one known thing goes wrong, and a score of what the platform answers.

``estate`` draws the datasets, ``plan`` what each does on the day, ``fault`` what goes wrong, and ``distractor`` what
happens besides. ``story`` turns a plan into records as the platform, its wrapper and other tools would write them, and
``recording`` writes them to a catalog through its public interface. ``trial`` looks and asks for the root cause; it
never sees the truth, which only ``score`` compares with the answer.
"""
