"""A Python program that speaks the victims' protocol: see internal/testutils.

A round computes and checks; "info rounds" is how many there were. Python's own
functions are what is hooked in it, so there are no counts.
"""
import hashlib
import json
import os
import re
import sys

rounds = 0


def one_round(n):
    global rounds
    rounds += 1
    words = [f"w{i * n % 97}" for i in range(200)]
    table = {}
    for word in words:
        table[word] = table.get(word, 0) + 1
    assert sum(table.values()) == 200
    assert json.loads(json.dumps(table)) == table
    assert sorted(words) == sorted(re.findall(r"w\d+", " ".join(words)))
    assert hashlib.sha256(b"abc").hexdigest().startswith("ba7816bf")
    assert 3**200 % 1000007 == pow(3, 200, 1000007)
    try:
        [][n]
    except IndexError:
        pass


def say(line):
    print(line, flush=True)


def main():
    say(f"ready {os.getpid()}")
    for line in sys.stdin:
        command = line.split()
        if command[0] == "run":
            for n in range(int(command[1])):
                one_round(n)
            say("done")
        elif command[0] == "report":
            say(f"info rounds {rounds}")
            say("end")
        elif command[0] == "quit":
            say("bye")
            return


try:
    main()
except BaseException as e:
    say(f"error {e!r}")
    raise
