# Written by tools/generate.py from belfry/_async/: do not edit.
