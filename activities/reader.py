"""Has a dataset's program read the logs of a test command, and prints what became of each test as JSON.

read.py log|files, in a folder with program.py, stdout.log and stderr.log. A status other than 0 says that there is no
answer, and the last line of standard error says why.
"""
import json
import os
import re
import subprocess
import sys

ANSWER = os.path.join(os.environ.get("TMPDIR", "/tmp"), "output.json")
WORDS = {"passed", "pass", "failed", "fail", "skipped", "skip", "error", "xfail", "xpass"}
LAST = 500  # characters of a reason
SEQUENCES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")


class NoAnswer(Exception):
    pass


def from_log():
    with open("program.py", encoding="utf-8") as f:
        source = f.read()
    with open("stdout.log", encoding="utf-8", errors="replace", newline="") as f:
        log = SEQUENCES.sub("", f.read()).replace("\r", "")
    names = {"__name__": "program"}
    exec(compile(source, "program.py", "exec"), names)
    if not callable(names.get("parser")):
        raise NoAnswer("it defines no function parser(log)")
    answer = names["parser"](log)
    if not isinstance(answer, dict):
        raise NoAnswer("parser(log) gives a %s and no dict" % type(answer).__name__)
    return list(answer.items())


def from_files():
    ended = subprocess.run([sys.executable, "program.py", "stdout.log", "stderr.log", ANSWER], stderr=subprocess.PIPE)
    said = ended.stderr.decode("utf-8", "replace")
    sys.stderr.write(said)
    if ended.returncode != 0:
        raise NoAnswer("status %d: %s" % (ended.returncode, said.rstrip("\n").rsplit("\n", 1)[-1]))
    with open(ANSWER, encoding="utf-8") as f:
        tests = json.load(f)["tests"]
    return [(t["name"], t["status"]) for t in tests]


def main():
    # What the program prints is no part of the answer.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    tests = {"log": from_log, "files": from_files}[sys.argv[1]]()
    for name, status in tests:
        if not isinstance(name, str) or not name:
            raise NoAnswer("%.80r is no name of a test" % (name,))
        if not isinstance(status, str) or status.lower() not in WORDS:
            raise NoAnswer("%.80r is said to be %.40r, which is no outcome" % (name, status))
    json.dump({"tests": [{"name": n, "status": s} for n, s in tests]}, out)
    out.write("\n")
    out.flush()


try:
    main()
except BaseException as e:
    reason = str(e) if isinstance(e, NoAnswer) else "%s: %s" % (type(e).__name__, e)
    sys.stdout.flush()
    sys.stderr.write("\n" + " ".join(reason.split())[:LAST] + "\n")
    sys.stderr.flush()
    os._exit(1)
os._exit(0)
