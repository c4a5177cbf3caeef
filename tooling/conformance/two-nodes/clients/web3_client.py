"""The client of the rig over web3.py: questions as lines of JSON on stdin, answers and announced blocks on stdout."""

import asyncio
import json
import os
import sys

from web3 import AsyncHTTPProvider, AsyncWeb3, WebSocketProvider
from web3.exceptions import BlockNotFound
from web3.utils.subscriptions import NewHeadsSubscription

ADDRESS = os.environ["ADDRESS"]
KEY = os.environ["KEY"]
CHAIN_ID = int(os.environ["CHAIN_ID"])
RECEIVER = "0x000000000000000000000000000000000000dEaD"

calls = AsyncWeb3(AsyncHTTPProvider(os.environ["URL"]))


def tell(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def words(thrown):
    return f"{type(thrown).__name__}: {thrown}"


async def on_head(context):
    head = context.result
    tell({"block": {"number": head["number"], "hash": head["hash"].to_0x_hex()}})


async def watch():
    # `async for` connects again each time that the connection is lost.
    is_first = True
    while True:
        try:
            async for socket in AsyncWeb3(WebSocketProvider(os.environ["WS"])):
                try:
                    if not is_first:
                        tell({"reconnected": True})
                    is_first = False
                    await socket.subscription_manager.subscribe([NewHeadsSubscription(handler=on_head)])
                    await socket.subscription_manager.handle_subscriptions()
                except Exception as thrown:
                    tell({"failed": words(thrown)})
        except Exception as thrown:
            tell({"failed": words(thrown)})
        await asyncio.sleep(0.5)


async def has_block(block_hash):
    try:
        await calls.eth.get_block(block_hash)
        return {"found": True}
    except BlockNotFound:
        return {"found": False}


async def state_at(number):
    await calls.eth.get_balance(ADDRESS, number)
    return {}


async def send(nonce):
    signed = calls.eth.account.sign_transaction(
        {
            "to": RECEIVER,
            "value": 1,
            "gas": 21_000,
            "nonce": nonce,
            "chainId": CHAIN_ID,
            "maxFeePerGas": int(os.environ["FEE"]),
            "maxPriorityFeePerGas": 1_000_000_000,
        },
        KEY,
    )
    await calls.eth.send_raw_transaction(signed.raw_transaction)
    return {}


async def answer(asked):
    question, arg = asked["ask"], asked.get("arg")
    if question == "blockNumber":
        return {"number": await calls.eth.block_number}
    if question == "latest":
        return {"number": (await calls.eth.get_block("latest"))["number"]}
    if question == "pendingNonce":
        return {"number": await calls.eth.get_transaction_count(ADDRESS, "pending")}
    if question == "hasBlock":
        return await has_block(arg)
    if question == "stateAt":
        return await state_at(arg)
    if question == "send":
        return await send(arg)
    raise ValueError(question)


async def serve(asked):
    try:
        result = await answer(asked)
    except Exception as thrown:
        result = {"error": words(thrown)}
    tell({"id": asked["id"], **result})


async def main():
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    tasks = set()
    while line := await reader.readline():
        asked = json.loads(line)
        if asked["ask"] == "watch":
            task = asyncio.create_task(watch())
            tell({"id": asked["id"]})
        else:
            task = asyncio.create_task(serve(asked))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    # The rig has ended: nobody is left to answer.
    os._exit(0)


asyncio.run(main())
