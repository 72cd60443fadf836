"""Protects: why an instance ended can be asked afterwards: how, by whom, its last words, what was decided."""

import json
import os
import signal

from harness import apps


def deaths(cluster, *words):
    return cluster.run("why", *words, "--json").json()


def wait_for_death(cluster, name, count=1):
    path = cluster.home / "deaths.jsonl"

    def enough():
        if not path.exists():
            return None
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        found = [line for line in lines if line["name"] == name]
        return found if len(found) >= count else None

    return cluster.wait_for(f"{count} deaths of {name}", enough, 20)


def test_a_crash_is_recorded_with_its_last_words_and_the_next_delay(cluster):
    crash = apps.printer(
        cluster, "--stderr", "--text", "panic: no database\n", "--then", "signal:11", restart_delay=60_000
    )
    cluster.start(crash, check=None)
    death = wait_for_death(cluster, "printer")[0]
    assert death["exit"]["signal"] == "SIGSEGV" and death["by"] == "itself"
    assert death["stderr"] == "panic: no database\n"
    assert death["decision"] == "restart_later" and 50_000 < death["next_start_ms"] <= 60_000
    assert death["uptime_ms"] >= 0 and death["pid"] > 0 and death["slot"] == 0
    assert deaths(cluster, "printer") == deaths(cluster, "printer.0") == deaths(cluster, str(death["id"]))
    text = cluster.run("why", "printer").out
    assert "killed by SIGSEGV" in text and "panic: no database" in text and "next start after" in text


def test_an_exit_code_and_the_end_of_standard_output_where_nothing_was_said_on_error(cluster):
    cluster.start(
        apps.printer(cluster, "--text", "all done\n", "--then", "exit:3", autorestart=False), check=None
    )
    death = wait_for_death(cluster, "printer")[0]
    assert death["exit"] == {"code": 3}
    assert death["stderr"] == "" and death["stdout"] == "all done\n"
    assert "autorestart is off" in death["decision_text"]


def test_a_signal_of_somebody_is_not_taken_for_ours_and_ours_not_for_somebodys(cluster):
    cluster.start(apps.sleeper())
    os.kill(cluster.views("sleeper")[0]["pid"], signal.SIGKILL)
    foreign = wait_for_death(cluster, "sleeper")[0]
    assert foreign["by"] in ("somebody", "memory")  # another test may run out of memory meanwhile
    assert "SIGKILL" in foreign["cause"]
    cluster.wait_for("the next life", lambda: cluster.views("sleeper")[0]["status"] == "online")

    cluster.run("sendSignal", "SIGKILL", "sleeper")
    assert wait_for_death(cluster, "sleeper", 2)[1]["by"] == "operator"
    cluster.wait_for("the next life", lambda: cluster.views("sleeper")[0]["status"] == "online")

    cluster.run("stop", "sleeper")
    ordered = wait_for_death(cluster, "sleeper", 3)[2]
    assert ordered["by"] == "clusterd" and ordered["decision"] == "stay_down"
    assert "the app was stopped" in ordered["cause"]


def test_an_instance_that_had_to_be_killed_says_so(cluster):
    cluster.start(
        {
            "name": "stubborn",
            "script": cluster.program("t-stubborn"),
            "args": ["TERM", "INT"],
            "kill_timeout": 300,
            "min_uptime": 200,
        }
    )
    cluster.run("stop", "stubborn", check=None)
    death = wait_for_death(cluster, "stubborn")[0]
    assert death["exit"]["signal"] == "SIGKILL" and death["by"] == "clusterd"
    assert "kill_timeout (0.3 s)" in death["cause"]


def test_a_reload_is_the_cause_of_the_end_of_the_old_one(cluster):
    cluster.start(apps.sleeper())
    cluster.run("reload", "sleeper")
    death = wait_for_death(cluster, "sleeper")[0]
    assert "another one takes its place" in death["cause"] and death["generation"] == 1


def test_the_record_outlives_the_app_and_the_daemon(cluster):
    cluster.start(apps.failing(cluster, 7, restart_delay=60_000), check=None)
    wait_for_death(cluster, "failing")
    cluster.run("delete", "failing", check=None)
    assert deaths(cluster, "failing")[0]["exit"] == {"code": 7}
    cluster.run("kill")
    assert deaths(cluster, "failing")[0]["exit"] == {"code": 7}
    assert deaths(cluster, "failing.0", "--lines", "1")


def test_what_lives_and_what_nobody_knows(cluster):
    cluster.start(apps.sleeper())
    alive = cluster.run("why", "sleeper")
    assert alive.out == "" and "no death is recorded" in alive.err
    unknown = cluster.run("why", "nope", check=None)
    assert unknown.status == 4 and "nope" in unknown.err


def test_the_record_is_private(cluster):
    cluster.start(apps.failing(cluster, 7, restart_delay=60_000), check=None)
    wait_for_death(cluster, "failing")
    assert (cluster.home / "deaths.jsonl").stat().st_mode & 0o777 == 0o600
