import {
  type AskOptions,
  type Answer,
  httpCaller,
  type HttpCaller,
  socketCaller,
  type SocketCaller,
} from '../callers.ts'
import { adminToken, keyOf } from '../config.ts'
import type { Deployment } from '../deployment.ts'
import type { Transcript } from '../transcript.ts'

/** The places from which the script calls: each is of another process where a deployment has several. */
export type Place = 0 | 1
export const places: readonly [Place, Place] = [0, 1]

/** A run of the script. */
export interface Scene extends AsyncDisposable {
  readonly deployment: Deployment
  readonly transcript: Transcript
  readonly http: readonly [HttpCaller, HttpCaller]
  /** Calls a method over HTTP, under a project's key. */
  rpc(
    place: Place,
    project: string,
    method: string,
    params?: unknown,
    options?: AskOptions & { path?: string },
  ): Promise<Answer>
  /** Opens a WebSocket, which ends with the scene. */
  socket(place: Place, path: string, headers?: Readonly<Record<string, string>>): Promise<SocketCaller>
  /** Asks the admin listener. */
  admin(place: Place, method: string, path: string, body?: unknown): Promise<Answer>
  /** Adds a block, and waits until all processes tell it. */
  addBlock(): Promise<void>
}

export const frame = (method: string, params: unknown = [], id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

export const hex = (number: number): string => `0x${number.toString(16)}`

/** The result of an answer in JSON, as a text. */
export const resultIn = (text: string): string => String((JSON.parse(text) as { readonly result?: unknown }).result)

export function openScene(deployment: Deployment, transcript: Transcript): Scene {
  const opened = new AsyncDisposableStack()
  const [first, second] = deployment.doors
  const http = [opened.use(httpCaller(first)), opened.use(httpCaller(second))] as const

  const rpc: Scene['rpc'] = (place, project, method, params = [], { path = '', ...options } = {}) =>
    http[place].ask(`${path}/v3/${keyOf(project)}`, { body: frame(method, params), ...options })

  return {
    deployment,
    transcript,
    http,
    rpc,
    socket: async (place, path, headers) => opened.use(await socketCaller(deployment.doors[place], path, headers)),
    async admin(place, method, path, body) {
      const response = await fetch(`${deployment.doors[place].admin}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${adminToken}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
    },
    async addBlock() {
      const { evm } = deployment
      evm.chain.height++
      evm.pushHead()
      for (const place of places) {
        await eventually(
          async () => resultIn((await rpc(place, 'open', 'eth_blockNumber')).text) === hex(evm.chain.height),
        )
      }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** Waits until something holds; throws where it does not within `ms`. */
export async function eventually(holds: () => boolean | Promise<boolean>, ms = 10_000): Promise<void> {
  for (const end = performance.now() + ms; !(await holds());) {
    if (performance.now() > end) throw new Error(`it never came true: ${String(holds)}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
