"""How a process starts quickly: its classes get their generated methods when somebody first looks at one.

dataclasses and attrs write source text for each class and compile it: a server has 800 such classes and uses a few
dozen soon, so that this was more than half of the time to its first answer. Of most of those it has instances, and
compares or prints none: they get their `__init__` alone. TypedDict compiles annotations, `re.compile` patterns.
pydantic looks for plugins in all that is installed. Only the command line asks for it; whoever imports the package
gets its classes as always. Knows nothing of what the classes are for.
"""
