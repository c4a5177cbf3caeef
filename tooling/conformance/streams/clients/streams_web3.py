"""web3.py as a client of the rig: heads and logs by its subscription manager, as lines of JSON on stdout."""

import asyncio
import json
import os
import sys

from web3 import AsyncWeb3, WebSocketProvider
from web3.utils.subscriptions import LogsSubscription, NewHeadsSubscription


def tell(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


async def on_head(context):
    tell({"head": context.result["number"]})


async def on_log(context):
    log = context.result
    tell({"log": [log["blockNumber"], log["logIndex"], log["removed"]]})


async def watch():
    # `async for` opens the next connection where one is lost.
    async for socket in AsyncWeb3(WebSocketProvider(os.environ["WS"])):
        try:
            await socket.subscription_manager.subscribe(
                [
                    NewHeadsSubscription(handler=on_head),
                    LogsSubscription(
                        address=AsyncWeb3.to_checksum_address(os.environ["ADDRESS"]),
                        topics=[os.environ["TOPIC"]],
                        handler=on_log,
                    ),
                ]
            )
            await socket.subscription_manager.handle_subscriptions()
        except Exception as thrown:
            tell({"failed": f"{type(thrown).__name__}: {thrown}"})


asyncio.run(watch())
