"""5,000 grades with 200 asks under way: the sockets that a server sees at once, and what is wrong.

    python benchmarks/sockets.py [GRADES] [UNDER_WAY]

The server is in a process of its own and answers after 50 ms, which is as long as all asks need to
be under way. Every other answer has a statement that the context lacks, so each score is known.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

from faithfulness_assert import Grader

HERE = Path(__file__).parent
SERVER = """
import sys, threading
sys.path[:0] = sys.argv[1:3]
from loopback import Answer, Loopback
from true_server import answered

lock, now, most = threading.Lock(), 0, 0

def answer(request):
    return Answer(answered(request).body, delay=0.05)

server = Loopback(answer)
handler = server._server.RequestHandlerClass
setup, finish = handler.setup, handler.finish

def counted(change, then):
    def do(self):
        global now, most
        with lock:
            now += change
            most = max(most, now)
        then(self)
    return do

handler.setup, handler.finish = counted(1, setup), counted(-1, finish)
with server:
    print(server.url, flush=True)
    sys.stdin.readline()
    print(most, server.connections, len(server.requests), flush=True)
"""


def main() -> None:
    """Prints the figures; exit code 1 if any score is wrong."""
    grades, under_way = (int(n) for n in (*sys.argv[1:], *("5000", "200")[len(sys.argv) - 1 :]))
    paths = [str(HERE.parent / "tests"), str(HERE.parent / "tests" / "support")]
    command = [sys.executable, "-c", SERVER, *paths]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin
        assert server.stdout
        url = server.stdout.readline().strip()
        grader = Grader("openai:m", base_url=url, api_key="k", controls="off")
        grader.gate = None  # as for a server elsewhere: one on this machine is asked carefully
        cases = [
            {
                "answer": f"Gate {n} is open. Gate {n + n % 2} is open.",
                "context": f"Gate {n} is open.",
            }
            for n in range(grades)
        ]
        before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        results = list(grader.grade_many(cases, concurrency=under_way))
        spent = resource.getrusage(resource.RUSAGE_SELF).ru_utime - before
        server.stdin.write("\n")
        server.stdin.flush()
        most, opened, requests = server.stdout.readline().split()
    wrong = [r for n, r in enumerate(results) if r.score != (0.5 if n % 2 else 1.0)]
    cpu = spent / grades * 1000
    print(f"{grades:,} grades, {under_way} under way: {requests} requests over {opened} sockets,")
    print(f"{most} of them at once; {len(wrong)} scores wrong; {cpu:.2f} ms of CPU each")
    for reason in {result.reason for result in wrong}:
        print(reason)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
