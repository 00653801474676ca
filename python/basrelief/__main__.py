"""The command line, as a part of the compiled module: ``python -m basrelief``."""

import sys

from basrelief import _native


def main():
    """Run the command line with the arguments of this process.

    Returns
    -------
    code : int
        The exit code: 0 for success, 2 for an error in the input or the options, 130 for an
        interruption, 1 for any other error.
    """
    return _native.run_program(["basrelief", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
