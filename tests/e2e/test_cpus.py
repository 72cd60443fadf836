"""Protects: `max` means the CPUs this daemon may really use, and at least one."""

import os
from pathlib import Path

import pytest

from harness import apps

QUOTAS = [(50_000, 1), (100_000, 1), (150_000, 2), (-1, None)]


def affinity_to_first_cpu():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def usable() -> int:
    return len(os.sched_getaffinity(0))


@pytest.mark.parametrize("written,expected", [("max", 1), (0, 1), (-1, 1), (-5, 1)])
def test_with_one_cpu_there_is_always_one_instance(cluster, written, expected):
    cluster.run("list", preexec_fn=affinity_to_first_cpu)
    cluster.start(apps.sleeper(instances=written))
    assert len(cluster.pids("sleeper")) == expected


@pytest.mark.parametrize("written", ["max", 0])
def test_max_is_at_most_what_the_affinity_allows(cluster, written):
    cluster.start(apps.sleeper(instances=written))
    assert 1 <= len(cluster.pids("sleeper")) <= usable()


def cpu_hierarchy() -> tuple[Path, int] | None:
    """(folder below which CPU-limited cgroups can be made, version)."""
    for path, version in ((Path("/sys/fs/cgroup/cpu"), 1), (Path("/sys/fs/cgroup"), 2)):
        marker = path / ("cpu.cfs_quota_us" if version == 1 else "cgroup.subtree_control")
        if not marker.exists() or not os.access(path, os.W_OK):
            continue
        if version == 1 or "cpu" in marker.read_text().split():
            return path, version
    return None


class LimitedGroup:
    """A cgroup with a CPU quota, a child of it without one, removed at the end."""

    def __init__(self, base: Path, version: int, quota: int):
        self.outer = base / f"clusterd-e2e-{os.getpid()}"
        self.inner = self.outer / "inner"
        self.inner.mkdir(parents=True)
        if version == 1:
            (self.outer / "cpu.cfs_period_us").write_text("100000")
            (self.outer / "cpu.cfs_quota_us").write_text(str(quota))
        else:
            (self.outer / "cpu.max").write_text(f"{'max' if quota < 0 else quota} 100000")

    def enter(self):
        (self.inner / "cgroup.procs").write_text(str(os.getpid()))

    def remove(self):
        for folder in (self.inner, self.outer):
            if folder.exists():
                folder.rmdir()


@pytest.mark.needs_root
@pytest.mark.parametrize("quota,expected", QUOTAS)
def test_max_honours_the_quota_of_an_ancestor_cgroup(cluster, quota, expected):
    hierarchy = cpu_hierarchy()
    if hierarchy is None:
        pytest.skip("needs a writable cgroup hierarchy with the cpu controller")
    group = LimitedGroup(*hierarchy, quota)
    try:
        cluster.run("list", preexec_fn=group.enter)
        cluster.start(apps.sleeper(instances="max"))
        assert len(cluster.pids("sleeper")) == min(expected or usable(), usable())
        cluster.run("kill")
        cluster.wait_for("the group to be empty", lambda: not (group.inner / "cgroup.procs").read_text())
    finally:
        cluster.run("kill", check=None)
        group.remove()


def test_doctor_says_how_many_cpus_and_why(cluster):
    cluster.run("list", preexec_fn=affinity_to_first_cpu)
    assert "cpu" in cluster.run("doctor", check=None).out.lower()
