"""Protects: a line that is sent arrives at the program, whole and once, or the command says that it did not."""

import os
import subprocess

import pytest

from harness import apps, processes

READER = 'echo ready; while IFS= read -r line; do echo "got $line"; done; echo ended'


def reader(cluster, body: str = READER, **keys) -> dict:
    return apps.QUICK | {"name": "reader", "script": str(cluster.script("reader", body)), "stdin": "pipe"} | keys


def wait_for_line(cluster, line: str, name: str = "reader", slot: int | None = None):
    cluster.wait_for(f"{name} to print {line}", lambda: line in cluster.log(name, slot=slot).splitlines())


def test_a_line_arrives_and_the_input_goes_on(any_user_cluster):
    cluster = any_user_cluster
    cluster.start(reader(cluster))
    assert "1 instance" in cluster.run("send", "reader", "reload templates").err
    cluster.run("send", str(cluster.view("reader")["id"]), "  second\\line ")
    wait_for_line(cluster, "got   second\\line ")
    assert cluster.log("reader").splitlines() == ["ready", "got reload templates", "got   second\\line "]
    assert cluster.view("reader")["restarts"] == 0


def test_every_running_instance_gets_it_once(cluster):
    cluster.start(reader(cluster, instances=3))
    cluster.run("stop", "reader.1")
    assert "2 instances" in cluster.run("send", "reader", "all").err
    cluster.run("send", "reader.2", "one")
    wait_for_line(cluster, "got one", slot=2)
    wait_for_line(cluster, "got all", slot=0)
    assert cluster.log("reader", slot=0).count("got") == 1
    assert cluster.log("reader", slot=1).count("got") == 0


@pytest.mark.needs_root
def test_a_program_of_another_user_may_open_its_input_again(cluster):
    body = 'exec 3</dev/stdin; while read -r line <&3; do echo "got $line"; done'
    cluster.start(reader(cluster, body, user="nobody"))
    cluster.run("send", "reader", "hello")
    wait_for_line(cluster, "got hello")


def test_a_program_that_does_not_read_holds_nobody_up(cluster):
    cluster.start(apps.sleeper(stdin="pipe"), reader(cluster))
    line = "x" * 4000
    refused = None
    for _ in range(64):
        done = cluster.run("send", "sleeper", line, check=None)
        if done.status != 0:
            refused = done
            break
    assert refused is not None and "sleeper.0: its standard input is full" in refused.err
    cluster.run("send", "reader", "after")
    wait_for_line(cluster, "got after")


def test_what_cannot_be_sent_is_said(cluster):
    cluster.start(apps.sleeper("null"), apps.sleeper("gone", stdin="pipe"))
    cluster.start(reader(cluster, "exec </dev/null; echo ready; exec sleep 1000", name="other"))
    cluster.run("stop", "gone")
    wait_for_line(cluster, "ready", "other")
    for target, line, status, words in (
        ("null", "x", 6, "`stdin: pipe`"),
        ("gone", "x", 6, "nothing of it runs"),
        ("other", "x", 6, "is not the pipe it was started with"),
        ("nobody", "x", 4, "nobody"),
        ("null", "x" * 4096, 2, "4096 are allowed"),
    ):
        done = cluster.run("send", target, line, check=None)
        assert words in done.err, done
        assert done.status == status, done
    assert os.readlink(f"/proc/{cluster.pid('null')}/fd/0") == "/dev/null"


def test_what_is_sent_survives_no_restart_but_the_next_life_reads(cluster):
    cluster.start(reader(cluster))
    cluster.run("restart", "reader")
    cluster.run("send", "reader", "again")
    wait_for_line(cluster, "got again")


def typed(cluster, text: str):
    return cluster.write("typed.txt", text).open()


def test_attach_shows_the_output_and_sends_what_is_typed(cluster):
    cluster.start(reader(cluster))
    wait_for_line(cluster, "ready")
    command = cluster.popen("attach", "reader", stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        command.stdin.write("hello\n")
        command.stdin.flush()
        assert command.stdout.readline() == "got hello\n"
        command.stdin.write("last")  # its end is the end of the input
        command.stdin.close()
        assert command.wait(20) == 0
    finally:
        command.kill()
        command.wait()
        command.stdout.close()
    wait_for_line(cluster, "got last")
    assert processes.alive(cluster.pid("reader"))


def test_attach_with_a_separator(cluster):
    body = 'while IFS= read -r -d ";" line; do echo "got $line"; done'
    cluster.start(reader(cluster, body, script="/bin/bash", args=["-c", body]))
    cluster.run("attach", "reader", ";", stdin=typed(cluster, "a\nb\n"))
    wait_for_line(cluster, "got b")
    assert cluster.log("reader").splitlines() == ["got a", "got b"]


def test_attach_wants_one_instance(cluster):
    cluster.start(reader(cluster, instances=2))
    done = cluster.run("attach", "reader", check=None, stdin=typed(cluster, ""))
    assert done.status == 2 and "reader has 2 instances" in done.err and "reader.0" in done.err
    cluster.run("attach", "reader.1", stdin=typed(cluster, "mine\n"))
    wait_for_line(cluster, "got mine", slot=1)


def test_attach_says_when_a_line_could_not_be_sent(cluster):
    cluster.start(apps.sleeper("null"))
    done = cluster.run("attach", "null", check=None, stdin=typed(cluster, "x\n"))
    assert done.status == 6 and "`stdin: pipe`" in done.err
