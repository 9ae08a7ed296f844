# SPDX-License-Identifier: Apache-2.0
"""A result such as bench_suite writes, for tests of what reads it."""


def version(name, role, median):
    return {"name": name, "role": role, "median": median, "least": median * 0.9, "most": median * 1.3}


def case(workload, name, graph, hand, **more):
    return {"workload": workload, "case": name, "ratio": graph / hand, **more,
            "versions": [version("graph", "graph", graph), version("known places", "hand", hand),
                         version("slower", "hand", hand * 1.5), version("published scheme", "peer", graph * 3)]}


def result(slower=1, fusion=None):
    """Times of the graph are multiplied by `slower`. With fusion off there is a case more."""
    cases = [case("M1", "8 levels, <script>alert(1)</script> & more", 12 * slower, 4),
             case("W1", "R = 1", 49 * slower, 423), case("W2", "deferred", 220 * slower, 62),
             case("W10", "rays", 37 * slower, 56), case("W13", "little memory", 1300 * slower, 100)]
    if fusion:
        cases.append(case("S1", "only here", 40, 20))
    for shift in range(20, 27):
        n = 1 << shift
        cases.append(case("M3", f"{n} (growth)", 20 + 2e-6 * slower * n, 10 + 8e-6 * n, axis="payloads", x=n,
                          scratch={"least": 1 << 20, "oneSweep": 20000 + 16 * n, "payloads": 16 * n, "live": 15 * n}))
    for levels in (1, 2, 4, 8, 16, 32):
        cases.append(case("M1", f"{levels} (growth)", 8 + levels ** 1.5 * slower, 2 * levels, axis="levels", x=levels))
    figures = [{"workload": "M3", "name": "bandwidth", "value": 800.0, "unit": "GB/s"}]
    return {"date": "2026-01-01T00:00:00Z",
            "device": {"name": "a device", "driver": "d", "driverInfo": "1", "vulkan": "1.3.0", "validated": False},
            "environment": {"VK_MILLRACE_EMULATION_FUSION": fusion} if fusion else {},
            "size": "full", "runs": 7, "unit": "us", "cases": cases, "figures": figures}
