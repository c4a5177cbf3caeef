import type { ServerResponse } from 'node:http'
import { createHttpTransport, type HttpPort, streamAnswers } from '@wayleave/jsonrpc-core'
import { handlerLaws, type ScriptedPeer } from '@wayleave/jsonrpc-core/testing'
import { createUndiciPort } from '@wayleave/upstream/node'
import { afterAll, describe, it } from 'vitest'
import { bodyOf, startServer } from '../support.ts'

const peers: ScriptedPeer[] = []
const port = createUndiciPort()
const server = await startServer((request, response) => {
  void bodyOf(request).then((body) => answer(peers[Number(request.url!.slice(1))]!, body, response))
})

afterAll(async () => {
  await port.close()
  await server[Symbol.asyncDispose]()
})

async function answer(peer: ScriptedPeer, body: string, response: ServerResponse): Promise<void> {
  const { id, method } = JSON.parse(body) as { id: number; method: string }
  peer.calls.push(method)
  const action = peer.act(method)
  const head = `{"jsonrpc":"2.0","id":${id},`
  if (action.kind === 'answer') {
    await action.when
    response.end(`${head}${action.body}}`)
  } else if (action.kind === 'drop') response.destroy()
  else if (action.kind === 'stall') response.write(`${head}"result":["${'a'.repeat(200_000)}"`)
  else if (action.kind === 'stream')
    response.end(`${head}"result":[${Array.from({ length: action.count }, () => action.piece).join(',')}]}`)
}

/** The port, counting the bodies that are being read. */
function counted(peer: ScriptedPeer): HttpPort {
  return async (request, context) => {
    const reply = await port.http(request, context)
    if (Array.isArray(reply.body)) return reply
    return { ...reply, body: countReads(peer, reply.body as AsyncIterable<Uint8Array>) }
  }
}

async function* countReads(peer: ScriptedPeer, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  peer.openBodies++
  try {
    yield* body
  } finally {
    peer.openBodies--
  }
}

describe('the HTTP transport over undici and a real server', () => {
  const laws = handlerLaws({
    create: (peer) =>
      createHttpTransport({
        url: `${server.url}/${peers.push(peer) - 1}`,
        http: counted(peer),
        answers: streamAnswers(),
      }),
  })
  for (const law of laws) it(law.name, law.run)
})
