# SPDX-License-Identifier: Apache-2.0
"""What this machine has and lacks: shared libraries, drivers, the validation layer, the device."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

# Asked in a process of its own, which may die of what it loads.
MISSING = "import ctypes, sys\n" \
          "for name in sys.argv[1:]:\n" \
          "    try: ctypes.CDLL(name)\n" \
          "    except OSError: print(name)\n"
LAYER_FOLDERS = ["/usr/share/vulkan/explicit_layer.d", "/usr/local/share/vulkan/explicit_layer.d",
                 "/etc/vulkan/explicit_layer.d"]
DRIVER_FOLDERS = ["/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"]
# Containers have NVIDIA's driver where no loader looks.
OTHER_DRIVERS = ["/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json"]


def cores(processors, topology=pathlib.Path("/sys/devices/system/cpu")):
    """How many cores the PROCESSORS are, of which two may be one core's. All, if the system does not say so."""
    siblings = set()
    for processor in processors:
        try:
            siblings.add((topology / f"cpu{processor}" / "topology" / "thread_siblings_list").read_text().strip())
        except OSError:
            siblings.add(str(processor))
    return len(siblings)


class MachineError(Exception):
    pass


class Machine:
    """The environment in which the programs of a packed folder run here."""

    def __init__(self, root, device, without_validation):
        self.root = root
        self._libraries = pathlib.Path(tempfile.mkdtemp(prefix="gpu_check_"))
        self.environment = dict(os.environ)
        self._add_libraries()
        self._add("VK_ADD_LAYER_PATH", root / "layer")
        self.environment["MILLRACE_TEST_SHADERS"] = str(root / "shaders")
        self._choose_drivers()
        self.is_validated = not without_validation and self._has_validation_layer()
        if not self.is_validated:
            self.environment["MILLRACE_TEST_NO_VALIDATION"] = "1"
        self.device, self.driver = self._find_device(device or os.environ.get("MILLRACE_TEST_DEVICE"))
        self.environment["MILLRACE_TEST_DEVICE"] = self.device

    def close(self):
        shutil.rmtree(self._libraries, ignore_errors=True)

    def program(self, name):
        return self.root / "bin" / name

    def _add(self, name, folder):
        """At the end: what the user says comes first."""
        old = self.environment.get(name)
        self.environment[name] = f"{old}:{folder}" if old else str(folder)

    def _add_libraries(self):
        """Those that the machine lacks alone: its driver may need its own of a newer version."""
        names = sorted(path.name for path in (self.root / "lib").iterdir())
        result = subprocess.run([sys.executable, "-c", MISSING, *names], capture_output=True, text=True, check=False,
                                env=self.environment)
        self.added_libraries = result.stdout.split() if result.returncode == 0 else names
        for name in self.added_libraries:
            (self._libraries / name).symlink_to(self.root / "lib" / name)
        self._add("LD_LIBRARY_PATH", self._libraries)

    def _choose_drivers(self):
        if "VK_DRIVER_FILES" in self.environment or "VK_ICD_FILENAMES" in self.environment:
            return
        if any(pathlib.Path(folder).glob("*.json") for folder in DRIVER_FOLDERS):
            return
        others = [path for path in OTHER_DRIVERS if os.path.exists(path)]
        if others:
            self.environment["VK_DRIVER_FILES"] = ":".join(others)

    def _has_validation_layer(self):
        if self.environment.get("MILLRACE_TEST_NO_VALIDATION", "0") != "0":
            return False
        folders = [folder for name in ("VK_LAYER_PATH", "VK_ADD_LAYER_PATH")
                   for folder in self.environment.get(name, "").split(":") if folder]
        return any((pathlib.Path(folder) / "VkLayer_khronos_validation.json").exists()
                   for folder in [*folders, *LAYER_FOLDERS])

    def _find_device(self, wanted):
        """The first with WANTED in its name; without it the first that is no processor."""
        result = subprocess.run([self.program("millrace"), "info", "--json"], capture_output=True, text=True,
                                check=False, env=self.environment)
        try:
            devices = json.loads(result.stdout)["devices"]
        except (ValueError, KeyError):
            raise MachineError(f"millrace info fails here:\n{result.stdout}{result.stderr}") from None
        for device in devices:
            if wanted in device["name"] if wanted else device["type"] != "cpu":
                return device["name"], device["driver"]
        names = "".join(f"\n  {device['name']}" for device in devices) or " none"
        raise MachineError(f"no device {wanted or 'but processors'} here; there are:{names}")
