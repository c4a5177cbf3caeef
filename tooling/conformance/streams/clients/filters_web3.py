"""web3.py as a client of the rig: a filter of logs, polled over HTTP, as lines of JSON on stdout."""

import json
import os
import sys
import time

from web3 import HTTPProvider, Web3

POLL_SECONDS = 0.5


def tell(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


client = Web3(HTTPProvider(os.environ["URL"]))
logs = client.eth.filter(
    {"address": Web3.to_checksum_address(os.environ["ADDRESS"]), "topics": [os.environ["TOPIC"]]}
)
while True:
    try:
        for log in logs.get_new_entries():
            tell({"log": [log["blockNumber"], log["logIndex"], log["removed"]]})
    except Exception as thrown:
        tell({"failed": f"{type(thrown).__name__}: {thrown}"})
    time.sleep(POLL_SECONDS)
