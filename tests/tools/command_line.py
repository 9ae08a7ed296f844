# SPDX-License-Identifier: Apache-2.0
"""Runs the tool for tests and reads what it wrote."""

import json
import subprocess


class Command:
    """`millrace SUBCOMMAND`, called with further arguments."""

    def __init__(self, program, subcommand):
        self.start = [str(program), subcommand]

    def __call__(self, *arguments, **options):
        return subprocess.run([*self.start, *map(str, arguments)], capture_output=True, text=True, check=False,
                              timeout=3600, **options)

    def json(self, *arguments, status=0, **options):
        result = self(*arguments, "--json", **options)
        assert result.returncode == status, (result.returncode, result.stderr)
        return json.loads(result.stdout)
