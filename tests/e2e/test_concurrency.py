"""Protects: many commands at once are all carried out, and a slow one delays no other."""

import random

import pytest

from harness import apps, processes


def finish(commands) -> list[tuple[int, str]]:
    done = []
    for command in commands:
        _, err = command.communicate(timeout=60)
        done.append((command.returncode, err))
    return done


def test_fifty_starts_at_once_are_all_there(cluster):
    cluster.run("list")
    answers = finish([cluster.popen("start", cluster.ecosystem(apps.sleeper(f"s{n}"))) for n in range(50)])
    assert [status for status, _ in answers] == [0] * 50, answers
    assert {view["name"] for view in cluster.instances() if view["status"] == "online"} == {
        f"s{n}" for n in range(50)
    }


def test_contradicting_orders_for_one_app_all_get_an_answer_and_end_in_one_world(cluster):
    path, dice = cluster.ecosystem(apps.sleeper("web", instances=2)), random.Random(7)
    cluster.run("start", path)
    daemon = cluster.daemon_pid()
    orders = [
        ["start", path],
        ["stop", "web"],
        ["restart", "web"],
        ["reload", "web"],
        ["scale", "web", "3"],
        ["delete", "web"],
    ]
    commands = [cluster.popen(*dice.choice(orders)) for _ in range(40)]
    for status, err in finish(commands):
        assert status == 0 or err.strip(), "a failure without a word"
    assert cluster.daemon_pid() == daemon
    assert all(
        view["status"] in ("online", "stopped", "stopping", "launching") for view in cluster.instances()
    )
    cluster.wait_for(
        "processes and list to agree",
        lambda: sorted(cluster.pids("web"))
        == sorted(
            pid
            for pid in processes.mentioning(str(cluster.root))
            if processes.command_line(pid) == "sleep 100000"
        ),
    )


def test_an_app_that_never_gets_ready_delays_no_other_command(cluster, port):
    cluster.run("list")
    waiting = cluster.popen(
        "start",
        cluster.ecosystem(apps.web(cluster, port, "--boot", "60000", wait_ready=True, listen_timeout=60_000)),
    )
    cluster.wait_status("web", "launching")
    for words in (
        ["list"],
        ["start", cluster.ecosystem(apps.sleeper())],
        ["stop", "sleeper"],
        ["logs", "--nostream"],
        ["save"],
    ):
        assert cluster.run(*words).seconds < 5, words
    assert waiting.poll() is None
    cluster.run("stop", "web")
    waiting.communicate(timeout=10)
    assert waiting.returncode != 0
    assert cluster.statuses("web") == ["stopped"]


@pytest.mark.parametrize("verb", ["delete", "restart", "reload"])
def test_the_same_order_twice_at_once_is_answered_twice(cluster, verb):
    cluster.start(apps.sleeper(instances=2))
    answers = finish([cluster.popen(verb, "sleeper"), cluster.popen(verb, "sleeper")])
    assert answers[0][0] == 0 or answers[1][0] == 0, answers
    assert all(status in (0, 1, 4, 6) for status, _ in answers), answers
    expected = [] if verb == "delete" else ["online"] * 2
    cluster.wait_for("one world", lambda: cluster.statuses("sleeper") == expected)
