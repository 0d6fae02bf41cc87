#!/usr/bin/env python3
"""Reports a dead letter to Waybill, and repeats that until it is answered.

    WAYBILL_URL=https://waybill.example WAYBILL_TOKEN=wbp_... report.py KEY < letter.json

Prints the id of the dead letter. Ends with 1 when Waybill refuses it for good, and with 75 when it could not be taken now:
report it again later with the same key. WAYBILL_LONGEST_PAUSE limits the pauses between attempts (in seconds, 60 by
default) unless Waybill asks for a longer one.
"""

import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request

TRIES = 8
# EX_TEMPFAIL of sysexits.h
LATER = 75
NOT_NOW = (429, 500, 502, 503, 504, 507)


def report(url, token, key, letter):
    """Returns Waybill's answer. The same key may be reported as often as need be: it stays one dead letter."""
    request = urllib.request.Request(
        f"{url}/intake/v1/dead-letters",
        data=letter,
        method="POST",
        headers={
            "authorization": f"Bearer {token}",
            "content-type": "application/json",
            "idempotency-key": key,
        },
    )
    longest = float(os.environ.get("WAYBILL_LONGEST_PAUSE", "60"))
    pause = min(1.0, longest)
    for _ in range(TRIES):
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code not in NOT_NOW:
                raise SystemExit(f"{error.code}: {error.read().decode()}") from None
            print(f"not now: {error.code}", file=sys.stderr)
            pause = float(error.headers.get("retry-after", pause))
        except (OSError, http.client.HTTPException) as error:
            print(f"no answer: {error}", file=sys.stderr)
        time.sleep(pause)
        pause = min(pause * 2, longest)
    print("not taken; report it again later with the same key", file=sys.stderr)
    raise SystemExit(LATER)


if __name__ == "__main__":
    answer = report(
        os.environ["WAYBILL_URL"], os.environ["WAYBILL_TOKEN"], sys.argv[1], sys.stdin.buffer.read()
    )
    print(answer["id"])
