"""The JSON text of a call's arguments while its pieces arrive."""

from dataclasses import dataclass, field

import orjson


@dataclass(slots=True)
class CallArguments:
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    """Of all pieces."""

    @property
    def are_complete(self) -> bool:
        """They are one JSON object. Of no arguments at all nobody knows whether they are complete."""
        if not self.pieces or not self.pieces[-1].rstrip().endswith("}"):
            return False
        try:
            return isinstance(orjson.loads("".join(self.pieces).encode("utf-8", "replace")), dict)
        except orjson.JSONDecodeError:
            return False

    def are_repeated_by(self, piece: str) -> bool:
        """Whether this piece is all of them over again, as some servers send them once they are complete. It is no more
        of them: two objects in a row are no JSON."""
        return len(piece) == self.length and self.are_complete and "".join(self.pieces) == piece

    def add(self, piece: str) -> str:
        """Adds a piece, and returns what is new of it: all or nothing."""
        if not piece or self.are_repeated_by(piece):
            return ""
        self.pieces.append(piece)
        self.length += len(piece)
        return piece
