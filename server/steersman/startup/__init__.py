"""How `serve` starts quickly: classes and patterns are built when they are first used, and no plugins are looked for.

For each class, dataclasses and attrs write source text and compile it. A server has 800 such classes and soon uses only
a few dozen of them; compiling the methods of all of them took more than half of the time to its first answer. Most
classes are only instantiated, never compared or printed, so `__init__` is built apart from the rest. TypedDict compiles
annotations, `re.compile` patterns, and pydantic searches all installed distributions for plugins.

Only the command line turns this on: whoever imports the package gets ordinary classes. Where a library or Python is not
as this package knows it, nothing is deferred either. It knows nothing of what the classes are for.
"""
