import { once } from 'node:events'
import { Agent } from 'node:http'
import type { RunningGateway } from '@wayleave/gateway'
import { WebSocket } from 'ws'
import { httpUrl, wsUrl } from './gateway.ts'
import { post } from './http.ts'

/** Ids as callers may write them: each has to come back digit by digit. */
export const rawIds: readonly string[] = [
  '1',
  '"a"',
  'null',
  '9007199254740993',
  '-12',
  '1.50',
  '-0',
  '0',
  '1e400',
  '123456789012345678901234567890',
  '""',
  '"1"',
  '"\\u0000\\/\\""',
  '"\\ud800"',
  '"\\ud83d\\ude00"',
  '"é, ☃ and 😀"',
  '-1.0E-7',
]

/** Sends a text and gives the text that answers it. */
export interface RawCaller extends AsyncDisposable {
  send(text: string): Promise<string>
}

/** A caller with one connection, over either transport. */
export async function openRawCaller(gateway: RunningGateway, transport: 'http' | 'ws'): Promise<RawCaller> {
  if (transport === 'http') {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    return {
      send: async (text) => (await post(httpUrl(gateway), text, { agent })).text,
      async [Symbol.asyncDispose]() {
        agent.destroy()
      },
    }
  }
  const socket = new WebSocket(wsUrl(gateway))
  await once(socket, 'open')
  return {
    async send(text) {
      const answered = once(socket, 'message')
      socket.send(text)
      const [data] = (await answered) as [Buffer]
      return data.toString()
    },
    async [Symbol.asyncDispose]() {
      socket.terminate()
    },
  }
}

export function printRaw(id: string, method: string, params: string | undefined): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}"${params === undefined ? '' : `,"params":${params}`}}`
}
