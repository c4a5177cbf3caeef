import { once } from 'node:events'
import { type IncomingMessage, request as openRequest } from 'node:http'
import type { RunningGateway } from '@wayleave/gateway'
import { key } from './gateway.ts'
import { type HttpReply, post, type PostOptions } from './http.ts'

export function basic(user: string, password: string): { readonly authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}

export function get(url: string, options: PostOptions = {}): Promise<HttpReply> {
  return post(url, '', { method: 'GET', ...options })
}

/** A path of the gas API under the key of the tests. */
export function gasUrl({ rpc }: RunningGateway, chainId: number | string, endpoint = 'suggestedGasFees'): string {
  return `${rpc}/v3/${key}/networks/${chainId}/${endpoint}`
}

interface GasEvent {
  readonly event: string
  readonly id: string
  readonly data: string
}

/** An open stream of server-sent events. */
export interface EventReader extends AsyncDisposable {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly events: GasEvent[]
  /** Resolves with whether it ended as a whole. */
  readonly ended: Promise<boolean>
}

export async function openEvents(url: string, headers: Readonly<Record<string, string>> = {}): Promise<EventReader> {
  const request = openRequest(url, { headers, agent: false })
  request.on('error', () => {})
  request.end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const events: GasEvent[] = []
  let text = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    const parts = text.split('\n\n')
    text = parts.pop()!
    for (const part of parts) {
      const fields = Object.fromEntries(part.split('\n').map((line) => line.split(/: ?(.*)/s, 2) as [string, string]))
      if (fields['data'] !== undefined) events.push(fields as unknown as GasEvent)
    }
  })
  response.on('error', () => {})
  const ended = new Promise<boolean>((resolve) => response.on('close', () => resolve(response.complete)))
  return {
    status: response.statusCode!,
    headers: response.headers,
    events,
    ended,
    async [Symbol.asyncDispose]() {
      request.destroy()
      await ended
    },
  }
}
