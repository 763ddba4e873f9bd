"""`python -m mjenv` is the command `mjenv`."""

import sys

from mjenv.cli import main

if __name__ == "__main__":
    sys.exit(main())
