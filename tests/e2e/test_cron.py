"""Protects: an app restarts at the times its pattern names, as a reload, once, and never when it is stopped."""

import datetime
import re

from harness import apps, http

EVERY_SECOND = "* * * * * *"


def restarts(cluster, name: str) -> int:
    """Of the only slot, which has two instances while one is replaced."""
    return max(view["restarts"] for view in cluster.views(name))


def wait_restarts(cluster, name: str, more: int, deadline: float = 30):
    before = restarts(cluster, name)
    cluster.wait_for(f"{more} restarts", lambda: restarts(cluster, name) >= before + more, deadline)


def test_it_restarts_again_and_again_and_says_why(cluster):
    cluster.start(apps.sleeper(cron_restart="*/2 * * * * *"))
    first = cluster.pids("sleeper")[0]
    wait_restarts(cluster, "sleeper", 2)
    assert first not in cluster.pids("sleeper")
    assert cluster.views("sleeper")[-1]["reason"] == "cron: */2 * * * * *"
    assert "cron: */2 * * * * *" in cluster.run("describe", "sleeper").out


def test_a_server_is_served_all_the_time(cluster, port):
    cluster.start(apps.web(cluster, port, cron_restart=EVERY_SECOND))
    old = cluster.pids("web")

    def replaced():
        assert http.serves(port), "the app was not served while it was restarted"
        return not set(old) & set(cluster.pids("web"))

    cluster.wait_for("another process", replaced, 30)


def test_what_is_stopped_stays_stopped_and_what_is_started_again_has_its_times_again(cluster):
    cluster.start(apps.sleeper(cron_restart=EVERY_SECOND))
    cluster.start(apps.sleeper("witness", cron_restart=EVERY_SECOND))
    wait_restarts(cluster, "sleeper", 1)
    cluster.run("stop", "sleeper")
    wait_restarts(cluster, "witness", 2)
    assert cluster.statuses("sleeper") == ["stopped"]
    cluster.run("start", "sleeper")
    wait_restarts(cluster, "sleeper", 1)
    cluster.run("delete", "sleeper")
    wait_restarts(cluster, "witness", 2)
    assert cluster.views("sleeper") == []


def test_the_pattern_can_be_taken_away(cluster):
    cluster.start(apps.sleeper(cron_restart=EVERY_SECOND), apps.sleeper("witness", cron_restart=EVERY_SECOND))
    cluster.start(apps.sleeper(cron_restart="0"))
    cluster.wait_status("sleeper", "online")
    before = restarts(cluster, "sleeper")
    wait_restarts(cluster, "witness", 2)
    assert restarts(cluster, "sleeper") == before
    assert cluster.run("describe", "--json", "sleeper").json()["apps"][0]["cron"] is None


def test_a_job_runs_once_a_tick_and_is_not_killed_by_its_own_schedule(cluster):
    job = cluster.script("job", f"echo ran; test -e {cluster.work}/slow && sleep 1000; exit 0")
    cluster.start(apps.QUICK | {"name": "job", "script": str(job), "autorestart": False, "cron_restart": EVERY_SECOND})
    cluster.wait_for("three runs", lambda: cluster.log("job").count("ran") >= 3, 30)
    cluster.write("slow", "")
    cluster.wait_for("a run that lasts", lambda: cluster.pids("job"), 30)
    busy = cluster.pid("job")
    cluster.wait_for("a tick to be skipped", lambda: cluster.daemon_log().count("it still runs") >= 2, 30)
    assert cluster.pid("job") == busy


def test_the_next_times_are_shown_in_the_zone_of_the_app(cluster):
    cluster.start(
        apps.sleeper("a", cron_restart="30 2 * * *", cron_timezone="America/New_York"),
        apps.sleeper("b", cron_restart="30 2 * * *", env={"TZ": "Europe/Berlin"}),
        apps.sleeper("c", cron_restart="30 2 * * *"),
        env={"TZ": "Asia/Tokyo"},
    )
    described = {a["name"]: a["cron"] for a in cluster.run("describe", "--json", "all").json()["apps"]}
    assert described["a"]["time_zone"] == "America/New_York"
    assert described["b"]["time_zone"] == "Europe/Berlin"
    assert described["c"]["time_zone"] == "Asia/Tokyo", "the shell's TZ is the app's"
    assert len(described["a"]["next"]) == 5
    assert all(re.search(r"T\d\d:\d\d:00-0[45]:00$", time) for time in described["a"]["next"])
    times = [datetime.datetime.fromisoformat(time) for time in described["a"]["next"]]
    assert times == sorted(times) and times[0] > datetime.datetime.now(datetime.timezone.utc)


def test_a_pattern_or_zone_that_is_none_is_an_error_of_the_file(cluster):
    done = cluster.start(apps.sleeper(cron_restart="61 * * * *", cron_timezone="Europe/Atlantis"), check=None)
    assert done.status != 0
    assert 'the minute "61"' in done.err and "Europe/Atlantis" in done.err


def test_flags_of_pm2(cluster):
    cluster.run("start", "sleep", "--cron", "30 4 * * *", "--name", "s", "--", "1000")
    assert cluster.run("describe", "--json", "s").json()["apps"][0]["cron"]["pattern"] == "30 4 * * *"
