#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`millrace info` from outside, on whatever device the tests use: usage: info_command.py MILLRACE LAYER_FOLDER"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import jsonschema

from command_line import Command

PROGRAM, LAYERS = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
INFO = Command(PROGRAM, "info")
SCHEMA = json.loads((pathlib.Path(__file__).parent / "info.schema.json").read_text())
EMULATION = "VK_LAYER_MILLRACE_emulation"
ROOT = pathlib.Path(__file__).parents[2]


class InfoCommand(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        # No settings but the test's own.
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith("VK_MILLRACE") and name not in ("VK_INSTANCE_LAYERS",
                                                                                   "VK_LAYER_SETTINGS_PATH")}
        self.environment["XDG_DATA_HOME"] = str(self.folder / "data")
        self.environment["XDG_CACHE_HOME"] = str(self.folder / "caches")

    def info(self, *arguments, program=INFO, **variables):
        return program(*arguments, cwd=self.folder, env={**self.environment, **variables})

    def json(self, *arguments, status=0, **variables):
        result = self.info(*arguments, "--json", **variables)
        self.assertEqual(result.returncode, status, result.stderr)
        out = json.loads(result.stdout)
        jsonschema.validate(out, SCHEMA)
        return out

    def device(self, driver, **variables):
        """The first device if its driver is changed like this, see tests/layer/driver_layer.cpp."""
        return self.survey(driver, **variables)["devices"][0]

    def survey(self, driver, **variables):
        return self.json(VK_INSTANCE_LAYERS=f"{EMULATION}:VK_LAYER_MILLRACE_test_driver",
                         VK_ADD_LAYER_PATH=f"{LAYERS}:{self.environment['VK_ADD_LAYER_PATH']}",
                         MILLRACE_TEST_DRIVER=driver, **variables)

    @staticmethod
    def provided(device, name):
        row, = [row for row in device["provided"] if row["name"] == name]
        return row["driver"], row["withMillrace"]

    @staticmethod
    def missing(device):
        return {row["name"]: row["reason"] for row in device["missing"]}

    # Devices.

    def test_millrace_adds_graphs(self):
        info = self.json()
        self.assertTrue(info["layer"]["loaded"])
        self.assertTrue(pathlib.Path(info["layer"]["library"]).exists())
        device = info["devices"][0]
        self.assertEqual(device["graphs"], "millrace")
        self.assertEqual(self.provided(device, "VK_AMDX_shader_enqueue"), (False, True))
        self.assertTrue(all(need["available"] for need in device["needs"] if need["required"]))
        self.assertIn("enable has no mesh_nodes", self.missing(device)["shaderMeshEnqueue"])
        self.assertGreaterEqual(device["limits"]["maxExecutionGraphDepth"], 32)
        self.assertEqual(len(device["limits"]["maxExecutionGraphWorkgroupCount"]), 3)

    def test_generated_commands_are_native_or_emulated(self):
        name = "VK_EXT_device_generated_commands"

        def remark(device):
            row, = [row for row in device["provided"] if row["name"] == name]
            return row["remark"]

        native = self.json()["devices"][0]
        has_native = self.provided(native, name)[0]
        self.assertEqual(remark(native), "native" if has_native else "")
        emulated = self.json(VK_MILLRACE_EMULATION_ENABLE="generated_commands",
                             VK_MILLRACE_EMULATION_FORCE_ENABLE="true")["devices"][0]
        self.assertEqual(self.provided(emulated, name), (has_native, True))
        self.assertEqual(remark(emulated), "emulated, by the setting enable = generated_commands")
        self.assertEqual(self.provided(emulated, "VK_NV_device_generated_commands"), (False, True))

    def test_generated_commands_beside_the_drivers_for_mesh_shaders(self):
        names = "VK_EXT_device_generated_commands", "VK_EXT_mesh_shader"

        def remarks(**settings):
            device = self.json(**settings)["devices"][0]
            return [row["remark"] for name in names for row in device["provided"] if row["name"] == name]

        mesh = dict(VK_MILLRACE_EMULATION_ENABLE="mesh_shaders", VK_MILLRACE_EMULATION_FORCE_ENABLE="true")
        emulated = "emulated, by the setting enable = mesh_shaders"
        if not self.provided(self.json()["devices"][0], names[0])[0]:
            self.assertEqual(remarks(**mesh), ["", emulated])
            return
        self.assertEqual(remarks(**mesh), [f"native; on devices with mesh shaders {emulated}", emulated])
        self.assertEqual(remarks(**mesh, VK_MILLRACE_EMULATION_DISABLE="mesh_commands"), ["native", emulated])

    def test_text_says_the_same(self):
        device = self.json()["devices"][0]
        result = self.info()
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        lines = [line.split() for line in result.stdout.splitlines()]
        for text in [f"device 0: {device['name']}", device["uuid"], device["driver"], "execution graphs: yes, by Millrace"]:
            self.assertIn(text, result.stdout)
        for need in device["needs"]:
            self.assertIn(need["name"], result.stdout)
        for name, value in device["limits"].items():
            words = str(value) if isinstance(value, int) else " x ".join(map(str, value))
            self.assertIn([name, *words.split()], lines)
        self.assertNotIn("\033", result.stdout)

    def test_what_is_native_does_not_depend_on_the_environment(self):
        plain, enabled = self.json(), self.json(VK_INSTANCE_LAYERS=EMULATION)
        forced = self.json(VK_LOADER_LAYERS_ENABLE="*MILLRACE*")
        self.assertEqual(plain["devices"], enabled["devices"])
        self.assertEqual(plain["devices"], forced["devices"])
        self.assertEqual([info["layer"]["enabledByEnvironment"] for info in (plain, enabled, forced)],
                         [False, True, True])

    def test_device_can_be_chosen(self):
        name = self.json()["devices"][0]["name"]
        self.assertEqual(self.json("--device", name.upper())["devices"][0]["name"], name)
        result = self.info("--device", "no such device")
        self.assertEqual(result.returncode, 1)
        self.assertIn(f'no device has "no such device" in its name; there is device 0: {name}', result.stderr)
        info = self.json("--device", "no such device", status=1)
        self.assertEqual(len(info["errors"]), 1)

    def test_first_lines_say_which_devices_run_graphs_and_why(self):
        def first(driver, **variables):
            result = self.info(VK_INSTANCE_LAYERS=f"{EMULATION}:VK_LAYER_MILLRACE_test_driver",
                               VK_ADD_LAYER_PATH=f"{LAYERS}:{self.environment['VK_ADD_LAYER_PATH']}",
                               MILLRACE_TEST_DRIVER=driver, **variables)
            self.assertEqual(result.returncode, 0, result.stderr)
            return result.stdout.splitlines()[1]
        name = self.json()["devices"][0]["name"]
        self.assertEqual(first(""), f"device 0: {name}: execution graphs: yes, by Millrace, since the driver does not run "
                                    "them")
        self.assertIn(": no, for want of bufferDeviceAddress", first("-bufferDeviceAddress,-ballot"))
        self.assertIn(": yes, by the driver", first("+shaderEnqueue"))
        self.assertIn("because of the setting force_enable",
                      first("+shaderEnqueue", VK_MILLRACE_EMULATION_FORCE_ENABLE="true"))

    def test_what_was_tried_on_a_driver_is_told_as_the_documents_do(self):
        """Each kind of driver: run, simulated or believed, as in docs/drivers.md."""
        table = (ROOT / "docs/drivers.md").read_text().split("## What was run, simulated, believed")[1].split("\n## ")[0]
        rows = {row.split("|")[1].strip(): [cell.strip() for cell in row.split("|")[2:5]]
                for row in table.splitlines() if row.startswith("| ")}
        for number, how, driver in [(13, "run", "lavapipe"), (10, "run", "SwiftShader"), (4, "run", "NVIDIA 580"),
                                    (3, "compiled", "RADV"), (14, "simulated", "MoltenVK"), (28, "simulated", "KosmicKrisp"),
                                    (20, "simulated", "panvk"), (18, "simulated", "Turnip"), (19, "simulated", "V3D"),
                                    (5, "simulated", "Intel's for Windows"), (1, "believed", "AMD's own"),
                                    (6, "compiled", "Intel's of Mesa"), (24, "compiled", "NVK")]:
            tried = self.device(f"driver={number}")["tried"]
            self.assertEqual(tried["how"], how, driver)
            cells, = [cells for name, cells in rows.items() if driver in name and (how != "run" or "table above" in cells[0])][:1]
            told = {"run": "table above" in cells[0], "compiled": "compiler" in cells[0],
                    "simulated": cells[0] == "nothing" and cells[1] not in ("", "nothing"),
                    "believed": cells[0] == "nothing" and cells[1] == "nothing"}
            self.assertTrue(told[how], (driver, how, cells))
        self.assertIn("tried: all tests run on this driver", self.info().stdout)
        self.assertEqual(self.device("vulkan1.2,driver=1")["tried"]["how"], "believed")

    def test_numbers_and_names_of_devices(self):
        self.assertEqual(self.json("--device", "0")["devices"][0]["index"], 0)
        name = self.json()["devices"][0]["name"]
        result = self.info("--device", "77")
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"there is no device 77; there is device 0: {name}", result.stderr)
        word = max(re.findall(r"[a-z]+", name.lower()), key=len)
        result = self.info("--device", word[:2] + "x" + word[2:])
        self.assertIn(f'; did you mean "{word}"? there is device 0: {name}', result.stderr)

    # Devices that lack something.

    def test_missing_features_are_named(self):
        device = self.device("-shaderInt64,-bufferDeviceAddress,-ballot")
        self.assertEqual(device["graphs"], "none")
        self.assertEqual(set(self.missing(device)), {"bufferDeviceAddress"})
        self.assertIn("the driver lacks it", self.missing(device)["bufferDeviceAddress"])
        self.assertEqual(self.provided(device, "VK_AMDX_shader_enqueue"), (False, False))
        self.assertNotIn("maxExecutionGraphDepth", device["limits"])

    def test_operations_of_subgroups_are_not_needed(self):
        for features, missing, form in [("-ballot", ["ballot"], 1), ("-arithmetic", ["arithmetic"], 2),
                                        ("-ballot,-arithmetic", ["ballot", "arithmetic"], 1)]:
            device = self.device(features)
            self.assertEqual(device["graphs"], "millrace", features)
            for name in missing:
                self.assertIn(f"subgroup {name} operations", self.missing(device), features)
            self.assertEqual(self.traits(device)["subgroup_operations"], (form, "driver"), features)

    def test_64_bit_integers_and_atomics_are_not_needed(self):
        for feature, bits in [("-shaderInt64", (32, 32)), ("-shaderBufferInt64Atomics", (64, 32))]:
            device = self.device(feature)
            self.assertEqual(device["graphs"], "millrace", feature)
            self.assertIn(feature[1:], self.missing(device))
            traits = self.traits(device)
            self.assertEqual((traits["integer_bits"], traits["atomic_bits"]),
                             tuple((n, "driver") for n in bits), feature)

    def test_missing_feature_that_some_nodes_use(self):
        device = self.device("-storageBuffer8BitAccess")
        self.assertEqual(device["graphs"], "millrace")
        self.assertIn("members of 8 bits", self.missing(device)["storageBuffer8BitAccess"])

    def test_old_vulkan(self):
        device = self.device("vulkan1.2")
        self.assertEqual((device["graphs"], device["apiVersion"]), ("none", "1.2.203"))
        self.assertEqual(self.missing(device), {"Vulkan 1.3": "the driver has 1.2.203"})
        self.assertEqual(device["needs"], [])

    def test_millrace_adds_maintenance5(self):
        self.assertEqual(self.provided(self.device("-maintenance5"), "VK_KHR_maintenance5"), (False, True))

    def test_driver_with_graphs_is_left_alone(self):
        device = self.device("+shaderEnqueue")
        self.assertEqual(device["graphs"], "driver")
        self.assertEqual(self.provided(device, "VK_AMDX_shader_enqueue"), (True, True))
        self.assertEqual(self.provided(device, "shaderMeshEnqueue"), (True, True))
        self.assertEqual(device["missing"], [])

    def test_driver_with_graphs_and_force_enable(self):
        device = self.device("+shaderEnqueue", VK_MILLRACE_EMULATION_FORCE_ENABLE="true")
        self.assertEqual(device["graphs"], "millrace")
        self.assertEqual(self.provided(device, "shaderMeshEnqueue"), (True, False))

    # Traits.

    @staticmethod
    def traits(device):
        return {row["name"]: (row["value"], row["origin"]) for row in device["traits"]}

    def test_traits_of_a_device(self):
        info = self.json()
        traits = self.traits(info["devices"][0])
        self.assertEqual(traits["packed_invocations"], (64, "device type"))
        self.assertEqual(traits["max_scratch_mib"][1], "driver")
        if info["devices"][0]["type"] == "cpu":
            self.assertEqual(traits["grid_max_groups"], (2 * os.cpu_count(), "host threads"))
        lines = [line.split() for line in self.info().stdout.splitlines()]
        for name, (value, origin) in traits.items():
            self.assertIn([name, str(value), *origin.split()], lines)

    def test_traits_are_measured(self):
        traits = self.traits(self.device("discrete"))
        self.assertEqual(traits["grid_max_groups"][1], "measured")
        self.assertGreaterEqual(traits["grid_max_groups"][0], 2)
        self.assertEqual(self.traits(self.device("discrete", VK_MILLRACE_EMULATION_DISABLE="measuring"))
                         ["grid_max_groups"], (4224, "device type"))
        self.assertEqual(len(list((self.folder / "caches/millrace").glob("residency-*"))), 1)

    def test_settings_of_traits_win(self):
        traits = self.traits(self.device("discrete", VK_MILLRACE_EMULATION_TRAITS="grid_groups=9, static_invocations=32"))
        self.assertEqual((traits["grid_groups"], traits["static_invocations"]), ((9, "setting"), (32, "setting")))

    def test_device_that_cannot_be_measured(self):
        info = self.survey("discrete,-compute")
        self.assertEqual(self.traits(info["devices"][0])["grid_max_groups"], (4224, "device type"))
        self.assertIn("could not be measured, because no queue", info["warnings"][0])

    def test_no_traits_where_millrace_does_nothing(self):
        self.assertEqual(self.device("-bufferDeviceAddress")["traits"], [])
        self.assertEqual(self.device("+shaderEnqueue")["traits"], [])

    def test_settings_of_traits_out_of_range(self):
        info = self.json(VK_MILLRACE_EMULATION_TRAITS="packed_invocations=48")
        self.assertEqual(info["warnings"], ["setting traits: packed_invocations is \"48\", which is not a power of two "
                                            "from 32 to 1024"])

    # Settings.

    def settings(self, **variables):
        return {row["key"]: (row["value"], row["origin"], row.get("source"))
                for row in self.json(**variables)["settings"]}

    def test_settings_by_default(self):
        info = self.json()
        for row in info["settings"]:
            self.assertEqual((row["value"], row["origin"]), (row["default"], "default"), row["key"])
        table = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", (ROOT / "docs/settings.md").read_text(), re.MULTILINE))
        table = {key: "" if value == "none" else value for key, value in table.items()}
        self.assertEqual({row["key"]: row["default"] for row in info["settings"]}, table)
        manifest = json.loads((ROOT / "src/layer/VkLayer_MILLRACE_emulation.json.in").read_text())
        declared = {setting["key"]: str(setting["default"]).lower()
                    for setting in manifest["layer"]["features"]["settings"]}
        self.assertEqual({row["key"]: row["default"] for row in info["settings"]}, declared)

    def test_text_lists_settings_that_are_not_default(self):
        self.assertIn("settings: all are as by default; --all lists them", self.info().stdout)
        rows = lambda text: [line.split()[0] for line in text.split("setting ")[1].split("\n\n")[0].splitlines()[1:]]
        self.assertEqual(rows(self.info(VK_MILLRACE_EMULATION_FUSION="off").stdout), ["fusion"])
        self.assertEqual(rows(self.info("--all", VK_MILLRACE_EMULATION_FUSION="off").stdout),
                         [row["key"] for row in self.json()["settings"]])

    def test_settings_of_the_environment(self):
        for name in ["VK_MILLRACE_EMULATION_MAX_SCRATCH_MIB", "VK_EMULATION_MAX_SCRATCH_MIB", "VK_MAX_SCRATCH_MIB"]:
            self.assertEqual(self.settings(**{name: "7"})["max_scratch_mib"], ("7", "environment", name))
        settings = self.settings(VK_MILLRACE_EMULATION_FUSION="off", VK_MILLRACE_EMULATION_VALIDATE="1",
                                 VK_MILLRACE_EMULATION_DISABLE="leaf,direct", VK_MILLRACE_EMULATION_TRAITS="spin_us=1")
        self.assertEqual(settings["fusion"][:2], ("off", "environment"))
        self.assertEqual(settings["disable"][:2], ("direct, leaf", "environment"))
        self.assertEqual(settings["traits"][:2], ("spin_us=1", "environment"))
        self.assertEqual(settings["validate"][:2], ("true", "environment"))

    def test_settings_of_files_and_their_order(self):
        def write(folder, value):
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / "vk_layer_settings.txt"
            path.write_text(f"millrace_emulation.step_limit_ms = {value}\n")
            return str(path)
        here = write(self.folder, 1)
        self.assertEqual(self.settings()["step_limit_ms"], ("1", "file", here))
        chosen = write(self.folder / "chosen", 2)
        for path in [self.folder / "chosen", chosen]:
            self.assertEqual(self.settings(VK_LAYER_SETTINGS_PATH=str(path))["step_limit_ms"], ("2", "file", chosen))
        home = write(self.folder / "data" / "vulkan" / "settings.d", 3)
        self.assertEqual(self.settings(VK_LAYER_SETTINGS_PATH=chosen)["step_limit_ms"], ("3", "file", home))
        self.assertEqual(self.settings(VK_MILLRACE_EMULATION_STEP_LIMIT_MS="4")["step_limit_ms"],
                         ("4", "environment", "VK_MILLRACE_EMULATION_STEP_LIMIT_MS"))

    def test_settings_that_cannot_be_read_are_reported_once(self):
        variables = {"VK_MILLRACE_EMULATION_STEP_LIMIT_MS": "many", "VK_MILLRACE_EMULATION_FUSION": "crooked"}
        for more in [{}, {"VK_LAYER_PATH": str(self.folder)}]:
            result = self.info(**variables, **more)
            self.assertEqual(result.returncode, 0)
            for text in ["setting step_limit_ms", 'setting fusion is "crooked"']:
                self.assertEqual(result.stderr.count(text), 1, result.stderr)
            self.assertNotIn("..", result.stderr)
        info = self.json(**variables)
        self.assertEqual(len(info["warnings"]), 2)
        self.assertEqual({row["key"]: row["value"] for row in info["settings"]}["step_limit_ms"], "0")

    def test_settings_that_do_not_exist_are_told_with_what_was_meant(self):
        info = self.json(VK_MILLRACE_EMULATION_FUSON="off", VK_MILLRACE_EMULATION_SPIN_US="1", VK_MILLRACE_EMULATION_LEAF="off",
                         VK_MILLRACE_EMULATION_MESH_SHADERS="true")
        self.assertEqual(sorted(info["warnings"]), [
            'there is no setting "fuson" (VK_MILLRACE_EMULATION_FUSON); did you mean "fusion"?',
            'there is no setting "leaf" (VK_MILLRACE_EMULATION_LEAF); it can be disabled: disable = leaf',
            'there is no setting "mesh_shaders" (VK_MILLRACE_EMULATION_MESH_SHADERS); it can be enabled: enable = mesh_shaders',
            'there is no setting "spin_us" (VK_MILLRACE_EMULATION_SPIN_US); it is a trait: traits = spin_us=NUMBER',
        ])
        (self.folder / "vk_layer_settings.txt").write_text(
            "# millrace_emulation.comment = 1\nkhronos_validation.validate_core = true\n"
            "millrace_emulation.validat = true\n")
        self.assertEqual(self.json()["warnings"], [
            f'there is no setting "validat" ({self.folder / "vk_layer_settings.txt"}, line 3); did you mean "validate"?'])

    # What can go wrong.

    def test_layer_beside_the_tool_is_found_as_by_run(self):
        del self.environment["VK_ADD_LAYER_PATH"]
        for more in [{}, {"VK_LAYER_PATH": str(self.folder)}, {"VK_ADD_LAYER_PATH": str(self.folder)}]:
            with self.subTest(more):
                info = self.json(**more)
                self.assertEqual((info["layer"]["found"], info["layer"]["besideTool"], info["layer"]["loaded"]),
                                 (True, True, True))
                self.assertEqual(info["devices"][0]["graphs"], "millrace")
                text = self.info(**more).stdout
                name, value = re.search(r"beside this tool; so that applications find it: export (\w+)=(.+)", text).groups()
                for known, old in more.items():
                    value = value.replace("$" + known, old)
                info = self.json(**{**more, name: value})
                self.assertEqual((info["layer"]["found"], info["layer"]["besideTool"]), (True, False), "the advice helps")

    def alone(self):
        """A tool that lies alone."""
        shutil.copy(PROGRAM, self.folder / "millrace")
        return Command(self.folder / "millrace", "info")

    def test_layer_that_is_not_found(self):
        result = self.info("--json", program=self.alone(), VK_LAYER_PATH=str(self.folder))
        info = json.loads(result.stdout)
        jsonschema.validate(info, SCHEMA)
        self.assertEqual((info["layer"]["found"], info["layer"]["loaded"]), (False, False))
        self.assertEqual(info["devices"][0]["graphs"], "none")
        self.assertIn("not loaded", self.missing(info["devices"][0])["VK_AMDX_shader_enqueue"])
        self.assertEqual(result.returncode, 0)
        self.assertIn("the loader does not find VK_LAYER_MILLRACE_emulation", result.stderr)

    def test_filters_of_the_loader_are_read_as_the_loader_does(self):
        """Both ways: what the loader enables or hides is said, and nothing else."""
        for value, enabled in [("*MILLRACE*", True), ("*millrace*", True), ("vk_layer_millrace_emulation", True),
                               ("VK_LAYER_M*", True), ("*_Emulation", True), ("~ALL~", True), ("**", True),
                               ("other,*emulation*", True), ("VK_LAYER_M*emulation", False), ("*MILLRAC?_*", False),
                               ("millrace", False), ("VK_LAYER_[M]*", False)]:
            with self.subTest(value):
                info = self.json(VK_LOADER_LAYERS_ENABLE=value)
                self.assertEqual(info["layer"]["enabledByEnvironment"], enabled)
                self.assertEqual(self.provided(info["devices"][0], "VK_AMDX_shader_enqueue"), (False, True))
                self.assertEqual(info["warnings"], [])
        self.assertFalse(self.json(VK_INSTANCE_LAYERS=EMULATION.lower())["layer"]["enabledByEnvironment"])
        for value, hidden in [("~all~", True), ("*emulation*", True), ("*EMULATION", True), ("~explicit~", True),
                              ("~implicit~", False), ("VK_LAYER_M*emulation", False)]:
            with self.subTest(value):
                layer = self.json(VK_LOADER_LAYERS_DISABLE=value)["layer"]
                self.assertEqual(layer["found"], not hidden)
                if hidden:
                    self.assertIn(f"VK_LOADER_LAYERS_DISABLE={value} hides it", layer["problem"])

    def test_layer_that_is_not_found_by_a_tool_that_lies_alone(self):
        result = self.info(program=self.alone(), VK_LAYER_PATH=str(self.folder))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("install Millrace, or set VK_ADD_LAYER_PATH", result.stderr)

    def test_layer_that_cannot_be_loaded(self):
        folder = pathlib.Path(self.environment["VK_ADD_LAYER_PATH"].split(":")[0])
        shutil.copy(folder / "VkLayer_MILLRACE_emulation.json", self.folder)
        info = self.json(VK_LAYER_PATH=str(self.folder))
        self.assertEqual((info["layer"]["found"], info["layer"]["loaded"]), (True, False))
        self.assertIn("VK_LOADER_DEBUG", info["layer"]["problem"])

    def test_no_driver(self):
        result = self.info(VK_DRIVER_FILES=str(self.folder / "none.json"))
        self.assertEqual(result.returncode, 1)
        self.assertIn(f'there is no Vulkan driver: VK_DRIVER_FILES names "{self.folder}/none.json", which is not there',
                      result.stderr)
        self.assertIn("there is no Vulkan driver: none is left by VK_LOADER_DRIVERS_DISABLE=*",
                      self.info(VK_LOADER_DRIVERS_DISABLE="*", VK_DRIVER_FILES="").stderr)
        result = self.info("--json", VK_DRIVER_FILES=str(self.folder / "none.json"))
        self.assertEqual((result.returncode, len(json.loads(result.stdout)["errors"])), (1, 1))

    def test_wrong_usage(self):
        for arguments in [["--nonsense"], ["word"], ["--device"]]:
            result = self.info(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("--help", result.stderr)

    def test_standard_output_that_cannot_be_written(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            result = subprocess.run(INFO.start, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
                                    timeout=3600, env=self.environment)
        self.assertEqual(result.returncode, 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
