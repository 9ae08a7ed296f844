#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs a build to a temporary prefix, moves it, and uses it there as strangers would.

Builds small C programs with CMake's find_package and with pkg-config, runs them, runs the installed tool, lets the Vulkan
loader find the installed layer, and builds and runs the installed example program with it.
"""
import argparse
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

LAYER = "VK_LAYER_MILLRACE_emulation"
PROJECT = pathlib.Path(__file__).resolve().parent / "project"
EXAMPLES = PROJECT.parents[2] / "examples"


def run(*command, **options):
    print("+", shlex.join(str(word) for word in command), flush=True)
    return subprocess.run([str(word) for word in command], check=True, **options)


def find(folder, name):
    found = sorted(folder.rglob(name))
    if not found:
        sys.exit(f"FAILED: no {name} under {folder}")
    return found[0]


def c_compiler(cxx_compiler):
    """The C compiler that belongs to a C++ compiler: g++-12 and gcc-12, clang++ and clang, c++ and cc."""
    folder, name = os.path.split(cxx_compiler)
    name = name.replace("clang++", "clang").replace("g++", "gcc").replace("c++", "cc")
    return os.path.join(folder, name)


def install(arguments, folder):
    """The prefix is moved after the installation: nothing in it may know where it was."""
    first, prefix = folder / "first", folder / "second"
    run(arguments.cmake, "--install", arguments.build, "--prefix", first,
        *(["--config", arguments.config] if arguments.config else []), stdout=subprocess.DEVNULL)
    first.rename(prefix)
    return prefix


def use_cmake(arguments, folder, prefix, shader):
    build = folder / "with-cmake"
    run(arguments.cmake, "-G", "Ninja", "-S", PROJECT, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_C_COMPILER={c_compiler(arguments.compiler)}", f"-DCMAKE_CXX_COMPILER={arguments.compiler}",
        f"-DCMAKE_C_FLAGS={arguments.flags}", f"-DCMAKE_CXX_FLAGS={arguments.flags}")
    run(arguments.cmake, "--build", build)
    run(build / "lower_node", shader)
    run(build / "compile_node", EXAMPLES / "first_graph")
    return build / "enable_layer"


def use_pkg_config(arguments, folder, prefix, shader):
    environment = {**os.environ, "PKG_CONFIG_PATH": str(find(prefix, "millrace.pc").parent)}
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "millrace"], env=environment, check=True,
                           capture_output=True, text=True).stdout
    program = folder / "with-pkg-config"
    run(c_compiler(arguments.compiler), "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *shlex.split(arguments.flags),
        PROJECT / "lower_node.c", "-o", program, *shlex.split(flags))
    libraries = find(prefix, "libmillrace.so").parent
    run(program, shader, env={**os.environ, "LD_LIBRARY_PATH": str(libraries)})


def layer_environment(prefix):
    """Explicit layers are looked up in the data folders; the manifest says where the library is."""
    manifest = find(prefix, "VkLayer_MILLRACE_emulation.json")
    share = manifest.parents[2]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("VK_")}
    if "VK_DRIVER_FILES" in os.environ:
        environment["VK_DRIVER_FILES"] = os.environ["VK_DRIVER_FILES"]
    environment["XDG_DATA_DIRS"] = f"{share}:/usr/local/share:/usr/share"
    environment.pop("LD_LIBRARY_PATH", None)
    return environment


def build_example(arguments, folder, prefix):
    """The program that the documents begin with, as it is installed, with nodes that CMake compiles."""
    source, build = find(prefix, "first_program"), folder / "first-program"
    run(arguments.cmake, "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_CXX_COMPILER={arguments.compiler}", f"-DCMAKE_CXX_FLAGS={arguments.flags}")
    run(arguments.cmake, "--build", build)
    built = subprocess.run(["ninja", "-C", build, "-n"], check=True, capture_output=True, text=True).stdout
    if "no work to do" not in built:
        sys.exit(f"FAILED: a second build would do {built}")
    (source.parent / "first_graph" / "number.glsl").touch()  # what the nodes include
    built = subprocess.run(["ninja", "-C", build], check=True, capture_output=True, text=True).stdout
    for node in ["start.comp", "add.comp"]:
        if node not in built:
            sys.exit(f"FAILED: {node} is not compiled again: {built}")
    return build / "first_program"


def use_tool(prefix, tool):
    """Where the tool is, it finds the layer and the examples, whatever the current folder."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("VK_")
                   or name == "VK_DRIVER_FILES"}
    example = find(prefix, "first_graph") / "graph.json"
    output = run(tool, "run", example, env=environment, cwd="/", capture_output=True, text=True).stdout
    if '"sum":5050' not in output or "graphs by Millrace" not in output:
        sys.exit(f"FAILED: the installed example says {output}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="folder of the build to install")
    parser.add_argument("--config", default="")
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--flags", default="", help="compiler flags that the build was made with, such as sanitizers")
    parser.add_argument("--spirv-as", default="spirv-as")
    parser.add_argument("--shader", required=True, help="text of a node shader with an entry point \"recurse\"")
    parser.add_argument("--expect-layer", action="store_true")
    arguments = parser.parse_args()

    folder = pathlib.Path(tempfile.mkdtemp(prefix="millrace-consumer-"))
    try:
        prefix = install(arguments, folder)
        shader = folder / "node.spv"
        run(arguments.spirv_as, "--target-env", "spv1.6", arguments.shader, "-o", shader)
        enable_layer = use_cmake(arguments, folder, prefix, shader)
        use_pkg_config(arguments, folder, prefix, shader)
        tool = prefix / "bin" / "millrace"
        if tool.exists():
            run(tool, "lower", "--entry", "recurse", "-o", folder / "lowered.spv", shader)
        if tool.exists() and arguments.expect_layer:
            use_tool(prefix, tool)
        if arguments.expect_layer:
            run(enable_layer, env=layer_environment(prefix))
        if tool.exists() and arguments.expect_layer:
            program = build_example(arguments, folder, prefix)
            run(program, env={**layer_environment(prefix), "VK_INSTANCE_LAYERS": LAYER})
    finally:
        shutil.rmtree(folder)
    print("an installed copy works for others")


if __name__ == "__main__":
    main()
