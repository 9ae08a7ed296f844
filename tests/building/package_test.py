#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the packages of a build and uses them in a root that has what the .deb depends on, and nothing else.

The root is made of this machine's installed packages, without a network: files by hard links or copies, and a database of
dpkg with these packages alone, so that dpkg itself refuses a package that depends on more.

Then follows README.md and the tutorial there, with what they build in addition.

usage: package_test.py BUILD CPACK
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, CPACK = sys.argv[1:3]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "walkthrough"))
import follow  # noqa: E402

DRIVER = "mesa-vulkan-drivers"  # the package that ours recommends, to have a device
READER = "bash, coreutils, sed, grep, cmake, ninja-build, g++, libvulkan-dev"  # has them to build a program
UNNEEDED = ("/usr/share/doc", "/usr/share/man", "/usr/share/locale", "/usr/share/info", "/usr/share/gdb")


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: status {result.returncode}\n"
                             f"{result.stdout}{result.stderr}")
    return result.stdout


class Machine:
    """What dpkg knows of this machine's packages."""

    def __init__(self):
        status = pathlib.Path("/var/lib/dpkg/status").read_text(encoding="utf-8")
        self.entries = {}
        self.providers = {}
        for entry in status.split("\n\n"):
            fields = dict(re.findall(r"^([A-Z][\w-]*): (.*)$", entry, re.MULTILINE))
            if not fields.get("Status", "").endswith(" installed") or fields["Architecture"] == "i386":
                continue
            name = fields["Package"]
            self.entries[name] = (entry, fields)
            for provided in self.names(fields.get("Provides", "")):
                self.providers.setdefault(provided[0], name)

    @staticmethod
    def names(relation):
        """[["a", "b"], ["c"]] of "a | b (>= 1), c:any"."""
        return [[re.match(r"[^ (:]+", choice.strip()).group() for choice in group.split("|")]
                for group in relation.split(",") if group.strip()]

    def closure(self, relation):
        """The packages that fulfil a relation, with all that they depend on."""
        found, waiting = [], self.names(relation)
        while waiting:
            choices = waiting.pop()
            name = next((self.providers.get(choice, choice) for choice in choices
                         if choice in self.entries or choice in self.providers), None)
            if name is None:
                raise AssertionError(f"this machine has none of {choices}")
            if name not in found:
                found.append(name)
                fields = self.entries[name][1]
                waiting += self.names(fields.get("Pre-Depends", "")) + self.names(fields.get("Depends", ""))
        return found


class Root:
    """A root folder with some of the machine's packages."""

    def __init__(self, folder, machine, packages):
        self.folder = folder
        for name in ["bin", "sbin", "lib", "lib64"]:
            if os.path.islink(f"/{name}"):
                (folder / os.readlink(f"/{name}")).mkdir(parents=True, exist_ok=True)
                (folder / name).symlink_to(os.readlink(f"/{name}"))
        for name in ["tmp", "dev", "proc", "var/lib/dpkg/updates", "var/lib/dpkg/info", "var/lib/dpkg/triggers"]:
            (folder / name).mkdir(parents=True, exist_ok=True)
        for package in packages:
            for line in run("dpkg", "-L", package).splitlines():
                if line.startswith("/") and not line.startswith(UNNEEDED):
                    self.take(line)
            (folder / "var/lib/dpkg/info" / f"{package}.list").write_text("")
        (folder / "var/lib/dpkg/status").write_text("\n\n".join(machine.entries[name][0] for name in packages) + "\n")
        run("ldconfig", "-r", folder)
        # What Graphviz' package does when it is installed: it looks which plugins there are.
        for configure in (folder / "usr/sbin").glob("libgvc*-config-update"):
            self(f"/usr/sbin/{configure.name}", "-c")

    def take(self, path):
        target = self.folder / path.lstrip("/")
        if os.path.islink(path):
            if not os.path.lexists(target):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(os.readlink(path))
        elif os.path.isdir(path):
            target.mkdir(parents=True, exist_ok=True)
        elif os.path.isfile(path) and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(path, target)
            except OSError:
                shutil.copy2(path, target)

    def __call__(self, *command):
        """The output of a command inside, with /proc and /dev but without this machine's environment."""
        enter = f'for f in proc dev; do mount --rbind /$f "{self.folder}/$f"; done; exec chroot "{self.folder}" "$@"'
        rights = [] if os.geteuid() == 0 else ["--map-root-user"]
        return run("unshare", "--mount", *rights, "sh", "-ec", enter, "sh", *command, cwd="/",
                   env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp"})


TEMPORARY = None


def setUpModule():
    global TEMPORARY
    TEMPORARY = pathlib.Path(tempfile.mkdtemp(prefix="millrace-packages-"))
    unittest.addModuleCleanup(shutil.rmtree, TEMPORARY)
    run(CPACK, "--config", pathlib.Path(BUILD) / "CPackConfig.cmake", "-B", TEMPORARY / "made")


def package(suffix):
    found, = (TEMPORARY / "made").glob(f"*{suffix}")
    return found


def make_root(name, more=""):
    """With what the package depends on, and more."""
    machine = Machine()
    depends = run("dpkg-deb", "-f", package(".deb"), "Depends")
    # Maintainer scripts need a shell and ldconfig, which every Debian system has.
    return Root(TEMPORARY / name, machine, machine.closure(f"{depends}, {DRIVER}, dash, libc-bin, {more}"))


def dpkg(root, *command):
    run("dpkg", f"--root={root.folder}", "--force-not-root", "--force-script-chrootless", "--no-triggers", *command)


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = make_root("root")

    def check(self, tool, examples, library):
        """The tool says which layer it uses, runs a graph, and draws one."""
        info = json.loads(self.root(tool, "info", "--json"))
        self.assertEqual((info["layer"]["library"], info["errors"]), (library, []))
        self.assertEqual([device["graphs"] for device in info["devices"]], ["millrace"], info)
        output = self.root(tool, "run", f"{examples}/first_graph/graph.json")
        self.assertIn('"sum":5050', output)
        self.assertIn("graphs by Millrace", output)
        self.root(tool, "compile", f"{examples}/first_graph/start.comp", "-o", "/tmp/start.spv")
        self.root(tool, "compile", f"{examples}/first_graph/add.comp", "-o", "/tmp/add.spv")
        self.assertIn("<svg", self.root(tool, "graph", "/tmp/start.spv", "/tmp/add.spv", "-o", "-"))

    def test_archive_runs_where_it_is_unpacked(self):
        self.assertFalse((self.root.folder / "usr/bin/millrace").exists())
        place = self.root.folder / "opt/some where"
        place.mkdir(parents=True)
        run("tar", "-xzf", package(".tar.gz"), "-C", place, "--strip-components=1")
        self.addCleanup(shutil.rmtree, place)
        self.check("/opt/some where/bin/millrace", "/opt/some where/share/doc/millrace/examples",
                   "/opt/some where/lib/libVkLayer_MILLRACE_emulation.so")

    def test_deb_installs_with_what_it_depends_on(self):
        dpkg(self.root, "-i", package(".deb"))
        self.addCleanup(dpkg, self.root, "-P", "millrace")
        self.check("/usr/bin/millrace", "/usr/share/doc/millrace/examples", "/usr/lib/libVkLayer_MILLRACE_emulation.so")
        for name in ["share/man/man1/millrace-run.1", "share/doc/millrace/docs/tutorial.md", "lib/libmillrace.so",
                     "include/millrace/millrace.h", "share/doc/millrace/LICENSE"]:
            self.assertTrue((self.root.folder / "usr" / name).exists(), name)


class Reader(unittest.TestCase):
    """Follows the documents with the package installed, in a copy of the folder that it has put them into."""

    def test_documents_word_for_word(self):
        root = make_root("reader", READER)
        dpkg(root, "-i", package(".deb"))
        shutil.copytree(root.folder / "usr/share/doc/millrace", root.folder / "home/reader")

        def execute(text):
            (root.folder / "home/script").write_text("cd /home/reader\n" + text)
            return root("bash", "/home/script")

        for document in follow.DOCUMENTS:
            with self.subTest(document):
                text = (root.folder / "home/reader" / document).read_text()
                self.assertEqual(list(follow.follow(text, execute, follow.INSTALLED)), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
