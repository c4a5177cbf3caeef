"""Asks the questions of the fault table by web3.py: lines of JSON on stdin, answers on stdout."""

import asyncio
import json
import sys
from concurrent.futures import ThreadPoolExecutor

import requests
from web3 import AsyncWeb3, HTTPProvider, Web3, WebSocketProvider
from web3.exceptions import Web3RPCError

printing = __import__("threading").Lock()


def told(thrown):
    if isinstance(thrown, Web3RPCError) and thrown.rpc_response is not None:
        return thrown.rpc_response["error"]
    if isinstance(thrown, requests.HTTPError):
        error = {"message": str(thrown)}
        try:
            error = thrown.response.json()["error"]
        except ValueError:
            pass
        return {**error, "status": thrown.response.status_code}
    # An error of the node that the library has a class of its own for.
    inner = getattr(thrown, "rpc_response", None) or {}
    return {"message": str(thrown), "data": getattr(thrown, "data", None), **inner.get("error", {})}


def plain(value):
    return Web3.to_hex(value) if isinstance(value, bytes) else value


def over_http(kind, target):
    w3 = Web3(HTTPProvider(target["url"]))
    account = target["account"]
    if kind == "write":
        return [w3.eth.send_raw_transaction(target["transaction"])]
    if kind == "read":
        return [w3.eth.get_balance(account)]
    with w3.batch_requests() as batch:
        batch.add(w3.eth.get_balance(account))
        batch.add(w3.eth.get_transaction_count(account))
        batch.add(w3.eth.get_code(account))
        return batch.execute()


async def over_socket(target):
    async with AsyncWeb3(WebSocketProvider(target["ws"])) as w3:
        return [await w3.eth.get_balance(target["account"])]


def answer(asked):
    kind, target = asked["kind"], asked["target"]
    try:
        values = asyncio.run(over_socket(target)) if kind == "socket" else over_http(kind, target)
        answers = [{"value": plain(value)} for value in values]
    except Exception as thrown:
        # A batch fails as a whole.
        answers = [told(thrown)]
    with printing:
        print(json.dumps({"id": asked["id"], "answers": answers}), flush=True)


with ThreadPoolExecutor(32) as pool:
    for line in sys.stdin:
        pool.submit(answer, json.loads(line))
