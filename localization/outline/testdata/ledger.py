"""Module docs with def fake(): in them."""
import os
from x import (
    a,
    b,
)

LIMIT = 3
TABLE = {
    "def": 1,
}
name: str = "x"


# Adds things.
# In two lines.
@decorate(
    arg="class Nope:",
)
async def add(a, b="""
def not_me():
"""):
    total = a + b

    def inner(x):
        return x

    # trailing comment

    return inner(total)


class Ledger(Base):
    """Docs."""

    rate = 0.5

    @property
    def total(self):
        if self.rate:
            return f"{self.rate!r}"
        return 0

    class Entry:
        def __init__(self): self.x = 1
        async def close(self):
            pass

    def last(self): return 1


def after(): pass
x.y = 1
