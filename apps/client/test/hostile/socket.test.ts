import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createClient, RpcError } from '@wayleave/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { apiKey, apiKeySecret } from './http-cases.ts'
import { shownBy, spellingsOf } from './secrets-in.ts'
import { type SocketCase, socketCases } from './socket-cases.ts'

const forbidden = [apiKey, apiKeySecret].flatMap(spellingsOf)
let host: Awaited<ReturnType<typeof startHost>>

/** A host of WebSockets that are as hostile as the case of the moment. */
async function startHost() {
  const upgrades = new WebSocketServer({ noServer: true })
  const open = new Set<Socket>()
  const server = createServer((_request, response) => response.writeHead(500).end()).listen(0, '127.0.0.1')
  const own: { case: SocketCase | undefined } = { case: undefined }
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => {})
  })
  server.on('upgrade', (request, socket: Socket, head) => {
    if (own.case!.upgrade !== undefined) {
      socket.on('end', () => socket.end()).resume()
      return void own.case!.upgrade(socket, request)
    }
    upgrades.handleUpgrade(request, socket, head, (opened) => {
      opened.on('error', () => {})
      opened.on('message', (data) => {
        const { id } = JSON.parse(String(data)) as { id: number }
        own.case!.answer?.({ id, socket: opened, raw: socket })
      })
    })
  })
  await once(server, 'listening')
  return {
    own,
    open,
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

beforeEach(async () => {
  host = await startHost()
})
afterEach(() => host.close())

describe('a server that sends', () => {
  for (const each of socketCases) {
    const { what, outcome, says = '' } = each
    it(`${what}: ${outcome}`, async () => {
      host.own.case = each
      const url = `http://127.0.0.1:${host.port}`
      const limits = { timeoutMs: outcome === 'timeout' ? 300 : 20_000, heartbeat: false, retry: false } as const
      const client = createClient({ url, apiKey, apiKeySecret, transport: 'websocket', resubscribe: false, ...limits })
      try {
        expect(await outcomeOf(client, outcome === 'event', says)).toBe(outcome)
      } finally {
        await client.close()
      }
      await expect.poll(() => host.open.size).toBe(0)
    })
  }

  it('all that, in as many cases as the README says', () => {
    expect(socketCases).toHaveLength(36)
  })
})

async function outcomeOf(
  client: ReturnType<typeof createClient>,
  subscribes: boolean,
  says: string | RegExp,
): Promise<string> {
  try {
    if (!subscribes) {
      expect(await client.eth.blockNumber()).toBe('0x2a')
      return 'value'
    }
    const events = await client.events(['newPendingTransactions'])
    expect(await events.next()).toEqual({ done: false, value: '0x2a' })
    return 'event'
  } catch (thrown) {
    if (!(thrown instanceof RpcError)) throw thrown
    const { message, code } = thrown
    if (code !== 'rpc') expect(message).toMatch(`127.0.0.1:${host.port}: `)
    expect(message).toMatch(says)
    expect(Buffer.byteLength(message)).toBeLessThan(1_200)
    expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    const shown = shownBy(thrown)
    for (const secret of forbidden) expect(shown).not.toContain(secret)
    return code
  }
}
