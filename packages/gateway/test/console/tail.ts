import { request as openRequest } from 'node:http'
import type { LiveCall } from '@wayleave/admin-api'
import { onTestFinished } from 'vitest'
import { token } from './support.ts'

export const bearer: Record<string, string> = { authorization: `Bearer ${token}` }

/** A reader of the live tail, over real HTTP. */
export interface Tail {
  readonly status: number
  readonly calls: LiveCall[]
  /** The sizes of the events. */
  readonly sizes: number[]
  readonly dropped: number
  readonly comments: number
  readonly hasEnded: boolean
  /** Stops to read the socket, or goes on. */
  pause(): void
  resume(): void
  leave(): void
}

/** Follows the calls of a gateway that end. */
export async function follow(admin: string, query = '', headers: Record<string, string> = bearer): Promise<Tail> {
  const state = { calls: [] as LiveCall[], sizes: [] as number[], dropped: 0, comments: 0, hasEnded: false }
  return new Promise((resolve, reject) => {
    const outgoing = openRequest(`${admin}/admin/v1/calls/live${query}`, { headers, agent: false }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += String(chunk)
        const blocks = text.split('\n\n')
        text = blocks.pop()!
        for (const block of blocks) take(block)
      })
      response.on('close', () => (state.hasEnded = true))
      resolve(
        Object.assign(state, {
          status: response.statusCode!,
          pause: () => void response.socket.pause(),
          resume: () => void response.socket.resume(),
          leave: () => void outgoing.destroy(),
        }),
      )
    })
    const take = (block: string): void => {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
      if (event === 'calls') {
        const calls = JSON.parse(data!) as LiveCall[]
        state.calls.push(...calls)
        state.sizes.push(calls.length)
      } else if (event === 'dropped') state.dropped += JSON.parse(data!).count
      else if (block === ':') state.comments++
      else throw new Error(`what is ${block}?`)
    }
    outgoing.on('error', reject)
    onTestFinished(() => void outgoing.destroy())
    outgoing.end()
  })
}
