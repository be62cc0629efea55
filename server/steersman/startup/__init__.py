"""How a process starts quickly: its classes get their generated methods when somebody first looks at one.

dataclasses and attrs write source text for each class and compile it: a server has 700 such classes and uses a few
dozen soon, so that this was more than half of the time to its first answer. pydantic looks for plugins in all that is
installed. Only the command line asks for it; whoever imports the package gets its classes as always. Knows nothing of
what the classes are for.
"""
