"""Where output goes, and what `logs` shows of it."""

import json
import re

from rivals.compare import Differs, compared

TWO_LINES = "echo to-out; echo to-err >&2; exec sleep 1000\n"


def talker(rival, body: str = TWO_LINES, **keys) -> dict:
    rival.write("talk.sh", body, 0o755)
    return {"name": "talk", "script": "./talk.sh", "min_uptime": 100} | keys


def written(rival, path, text: str) -> str:
    def read():
        content = path.read_text(errors="replace") if path.exists() else ""
        return content if text in content else None

    return rival.wait(f"{text} in {path}", read)


@compared()
def test_the_default_files(rival):
    rival.start(talker(rival))
    out = written(rival, rival.home / "logs/talk-out.log", "to-out")
    err = written(rival, rival.home / "logs/talk-error.log", "to-err")
    return {"out": out, "err": err, "files": rival.log_files()}


@compared(
    differs={
        "files": Differs(
            "D35",
            pm2=["talk-error-1.log", "talk-error-2.log", "talk-out-1.log", "talk-out-2.log"],
            clusterd=["talk-error-0.log", "talk-error-1.log", "talk-out-0.log", "talk-out-1.log"],
        )
    },
)
def test_the_files_of_several_instances(rival):
    rival.start(rival.sleeper("mail"), talker(rival, instances=2, exec_mode="fork"))
    rival.wait("the files", lambda: sum("talk-out" in name for name in rival.log_files()) == 2)
    return {"files": [name for name in rival.log_files() if "talk" in name]}


@compared()
def test_one_file_for_all_instances(rival):
    rival.start(talker(rival, instances=2, exec_mode="fork", merge_logs=True))
    out = rival.wait("both", lambda: t if (t := rival.log("talk-out.log")).count("to-out") == 2 else None)
    return {"out": out, "files": rival.log_files()}


@compared(
    differs={"one file": Differs("D36", pm2=True, clusterd=False)},
)
def test_the_files_of_max_instances(rival):
    rival.start(talker(rival, instances="max", exec_mode="fork"))
    rival.wait("a file", lambda: any("talk-out" in name for name in rival.log_files()))
    return {"one file": rival.log_files() == ["talk-error.log", "talk-out.log"]}


@compared()
def test_files_by_name(rival):
    rival.start(talker(rival, out_file="sub/my.out", error_file="sub/my.err"))
    out = written(rival, rival.work / "sub/my.out", "to-out")
    return {"out": out, "err": written(rival, rival.work / "sub/my.err", "to-err")}


@compared()
def test_files_by_option(rival):
    talker(rival)
    rival.run("start", "talk.sh", "-o", "my.out", "-e", "my.err")
    out = written(rival, rival.work / "my.out", "to-out")
    return {"out": out, "err": written(rival, rival.work / "my.err", "to-err")}


@compared()
def test_one_file_for_both_streams(rival):
    rival.start(talker(rival, out_file="all.log", error_file="all.log"))
    rival.wait(
        "both",
        lambda: (rival.work / "all.log").exists()
        and len((rival.work / "all.log").read_text().splitlines()) == 2,
    )
    return {"lines": sorted((rival.work / "all.log").read_text().splitlines())}


@compared()
def test_no_files(rival):
    rival.start(talker(rival, out_file="/dev/null", error_file="/dev/null"))
    return {"files": rival.log_files()}


@compared()
def test_old_output_is_kept(rival):
    rival.start(talker(rival))
    written(rival, rival.home / "logs/talk-out.log", "to-out")
    rival.run("delete", "talk")
    kept = rival.log("talk-out.log")
    rival.start(talker(rival))
    rival.wait("a second line", lambda: rival.log("talk-out.log").count("to-out") == 2)
    return {"kept": kept}


@compared()
def test_flush(rival):
    rival.start(talker(rival), rival.sleeper("web"))
    written(rival, rival.home / "logs/talk-out.log", "to-out")
    written(rival, rival.home / "logs/talk-error.log", "to-err")
    done = rival.run("flush", "talk")
    return {"result": done.result, "out": rival.log("talk-out.log"), "err": rival.log("talk-error.log")}


@compared()
def test_the_last_words_of_a_crash(rival):
    body = "i=0; while [ $i -lt 20000 ]; do echo line-$i; i=$((i+1)); done; echo the-end; exit 1\n"
    rival.start(talker(rival, body, autorestart=False))
    rival.wait("the end", lambda: rival.process("talk").status in ("stopped", "errored"))
    rival.wait("some output", lambda: "line-100" in rival.log("talk-out.log"))
    return {
        "no line is torn": all(
            re.fullmatch(r"line-\d+|the-end", l) for l in rival.log("talk-out.log").splitlines()
        )
    }


@compared()
def test_showing_the_last_lines(rival):
    body = "for i in 1 2 3 4 5; do echo line-$i; done; echo oops >&2; exec sleep 1000\n"
    rival.start(talker(rival, body))
    written(rival, rival.home / "logs/talk-out.log", "line-5")
    written(rival, rival.home / "logs/talk-error.log", "oops")
    done = rival.run("logs", "talk", "--nostream", "--lines", "2")
    lines = [line for line in done.out.splitlines() if re.search(r"line-|oops", line)]
    return {
        "result": done.result,
        "shown": sorted(re.findall(r"line-\d|oops", done.out)),
        "prefix": sorted({re.sub(r"(line-\d|oops)", "TEXT", line).strip() for line in lines}),
    }


@compared()
def test_showing_one_stream(rival):
    rival.start(talker(rival))
    written(rival, rival.home / "logs/talk-error.log", "to-err")
    shown = {}
    for option in ("--err", "--out"):
        said = rival.run("logs", "talk", "--nostream", option).said
        shown[option] = sorted(word for word in ("to-out", "to-err") if word in said)
    return shown


@compared()
def test_showing_only_the_text(rival):
    rival.start(talker(rival))
    written(rival, rival.home / "logs/talk-out.log", "to-out")
    done = rival.run("logs", "talk", "--nostream", "--raw", "--out")
    return {"has the bare line": "to-out" in done.out.splitlines(), "result": done.result}


@compared(
    differs={"result": Differs("D37", pm2="ok", clusterd="failed")},
)
def test_logs_of_an_unknown_app(rival):
    rival.start(rival.sleeper("web"))
    return {"result": rival.run("logs", "nobody", "--nostream").result}


@compared()
def test_following(rival):
    rival.start(talker(rival, "while :; do echo tick; sleep 0.2; done\n"))
    process = rival.popen("logs", "talk", "--lines", "0")
    try:
        line = next(line for line in process.stdout if "tick" in line)
    finally:
        process.terminate()
        process.communicate(timeout=20)
    return {"line": re.sub(r"\s+", " ", line).strip()}


@compared()
def test_following_as_json(rival):
    rival.start(talker(rival, "while :; do echo tick; sleep 0.2; done\n"))
    process = rival.popen("logs", "talk", "--lines", "0", "--json")
    try:
        event = json.loads(next(line for line in process.stdout if "tick" in line))
    finally:
        process.terminate()
        process.communicate(timeout=20)
    kept = {name: event.get(name) for name in ("type", "app_name", "process_id")}
    return kept | {"message": event["message"].strip(), "has a time": "timestamp" in event}


@compared()
def test_files_that_were_moved_away(rival):
    rival.start(talker(rival, "while :; do echo tick; sleep 0.1; done\n"))
    path = rival.home / "logs/talk-out.log"
    written(rival, path, "tick")
    path.rename(path.with_suffix(".old"))
    done = rival.run("reloadLogs")
    return {"result": done.result, "again": "tick" in written(rival, path, "tick")}


@compared()
def test_a_date_before_each_line(rival):
    rival.start(talker(rival, log_date_format="YYYY-MM-DD HH:mm"))
    line = written(rival, rival.home / "logs/talk-out.log", "to-out")
    return {"line": re.sub(r"\d", "9", line)}


@compared()
def test_the_time_before_each_line(rival):
    rival.start(talker(rival, time=True))
    line = written(rival, rival.home / "logs/talk-out.log", "to-out")
    return {"line": re.sub(r"\d", "9", line)}


@compared()
def test_lines_as_json(rival):
    rival.start(talker(rival, log_type="json"))
    line = written(rival, rival.home / "logs/talk-out.log", "to-out").splitlines()[0]
    event = json.loads(line)
    return {name: event.get(name) for name in ("type", "app_name", "process_id")} | {
        "message": event["message"].strip(),
        "has a time": "timestamp" in event,
    }


@compared()
def test_disabled_logs(rival):
    rival.start(talker(rival, "echo said; touch done; exec sleep 1000\n", disable_logs=True))
    rival.wait("the end", (rival.work / "done").exists)
    return {"written": any("said" in rival.log(name) for name in rival.log_files())}


@compared()
def test_a_combined_file(rival):
    rival.start(talker(rival, log_file="all.log"))
    path = rival.work / "all.log"
    written(rival, path, "to-out")
    written(rival, path, "to-err")
    out = written(rival, rival.home / "logs/talk-out.log", "to-out")
    return {"combined": sorted(path.read_text().splitlines()), "out": out}
