"""Money in whole cents."""

RATE = 0.2


class Till:
    def __init__(self):
        self.lines = []

    def add(self, cents, count=1):
        self.lines.append(cents * count)

    def tax(self):
        return int(sum(self.lines) * RATE)

    def total(self):
        return sum(self.lines) + self.tax()
