"""``python -m vnlp_colab``: the ``vnlp-colab`` command where the folder of programs is not on the path."""

import sys

from vnlp_colab.cli import main

sys.exit(main())
