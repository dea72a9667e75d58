"""The command line in a checkout: `python -m viz` is what `attention-bench` is where it is installed."""

from viz.command_line import main

if __name__ == "__main__":
    main()
