"""The command line, which is compiled into the package: ``python -m basrelief``."""

import sys

from basrelief import _native


def main():
    """Run the command line with the arguments of this process.

    Returns
    -------
    code : int
        The exit code: 0 done, 2 something in the input or the options, 130 interrupted, 1 anything
        else.
    """
    return _native.run_program(["basrelief", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
