"""Says the new name of the command that was here: `scale.corpus`."""

import sys

if __name__ == "__main__":
    sys.exit("This command has moved: python -m models.corpus is now python -m scale.corpus")
