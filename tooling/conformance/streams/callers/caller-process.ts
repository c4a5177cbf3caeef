import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { answerParent } from '../../starvation/measure/child.ts'
import { upgrade } from '../../starvation/attack/hold-web-sockets.ts'
import { createFrameReader, opcodes, pong, textFrame } from '@wayleave/bench/load/frames'

/* Many cheap callers, each with a WebSocket and a subscription of its own. They answer pings, and write down when heads came. */

export interface OpenCallers {
  /** Address of the gateway's WebSockets, without the path. */
  readonly ws: string
  readonly path: string
  /** The params of `eth_subscribe`, a caller each. */
  readonly params: readonly (readonly [kind: string, ...unknown[]])[]
}

/** A head as the callers of one process were told it; `times` in ms since the epoch, a caller each. */
export interface ReportedHead {
  readonly number: number
  readonly times: readonly number[]
}

export interface CallerFigures {
  /** Subscriptions that are open, and events, by kind. */
  readonly open: Readonly<Record<string, number>>
  readonly events: Readonly<Record<string, number>>
  /** Words of refusals and closes, with their counts. */
  readonly problems: Readonly<Record<string, number>>
  readonly heads: readonly ReportedHead[]
}

const openAtOnce = 50
const replyWithinMs = 30_000
/** Heads that are remembered. */
const mostHeads = 200

let open = new Map<string, number>()
let events = new Map<string, number>()
let problems = new Map<string, number>()
let heads = new Map<number, number[]>()
const sockets = new Set<Socket>()

const count = (map: Map<string, number>, name: string, by = 1): void => void map.set(name, (map.get(name) ?? 0) + by)

const numberMark = Buffer.from('"number":"0x')

/** Reads the number of a head without parsing it. */
function numberIn(payload: Buffer): number {
  const at = payload.indexOf(numberMark)
  const from = at + numberMark.length
  return at < 0 ? -1 : Number.parseInt(payload.toString('latin1', from, payload.indexOf(0x22, from)), 16)
}

function onEvent(kind: string, payload: Buffer): void {
  count(events, kind)
  if (kind !== 'newHeads') return
  const number = numberIn(payload)
  const times = heads.get(number) ?? []
  times.push(Date.now())
  if (times.length === 1) {
    heads.set(number, times)
    if (heads.size > mostHeads) heads.delete(heads.keys().next().value!)
  }
}

async function openOne(ws: string, path: string, params: readonly [string, ...unknown[]]): Promise<void> {
  const [kind] = params
  const { hostname, port } = new URL(ws)
  const socket = connect(Number(port), hostname)
  socket.setNoDelay(true)
  sockets.add(socket)
  socket.on('error', () => {})
  const replied = Promise.withResolvers<void>()
  const timer = setTimeout(() => replied.reject(new Error('no reply')), replyWithinMs)
  let isOpen = false
  socket.once('close', () => {
    // One that was closed here is out of the counts already.
    if (sockets.delete(socket)) {
      count(problems, `${kind}: the connection ended`)
      if (isOpen) count(open, kind, -1)
    }
    replied.reject(new Error('the connection ended'))
  })
  try {
    socket.write(upgrade(path))
    const [answer] = (await once(socket, 'data')) as [Buffer]
    const end = answer.indexOf('\r\n\r\n') + 4
    if (answer.toString('latin1', 9, 12) !== '101') throw new Error(answer.toString('latin1', 0, end))
    const read = createFrameReader((opcode, payload) => {
      if (opcode === opcodes.ping) socket.write(pong)
      else if (opcode === opcodes.close) count(problems, `${kind}: closed with ${closeOf(payload)}`)
      else if (isOpen) onEvent(kind, payload)
      else {
        const { error } = JSON.parse(String(payload)) as { readonly error?: { readonly message: string } }
        if (error !== undefined) count(problems, `${kind}: ${error.message}`)
        else {
          isOpen = true
          count(open, kind)
        }
        replied.resolve()
      }
    })
    socket.on('data', read)
    if (answer.length > end) read(answer.subarray(end))
    socket.write(textFrame(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params })))
    await replied.promise
  } catch (thrown) {
    count(problems, `${kind}: ${(thrown as Error).message}`)
  } finally {
    clearTimeout(timer)
  }
}

const closeOf = (payload: Buffer): string =>
  payload.length < 2 ? 'no code' : `${payload.readUInt16BE(0)} ${payload.toString('utf8', 2)}`.trim()

function reset(): void {
  events = new Map()
  problems = new Map()
  heads = new Map()
}

answerParent({
  async open({ ws, path, params }: OpenCallers): Promise<void> {
    for (let i = 0; i < params.length; i += openAtOnce)
      await Promise.all(params.slice(i, i + openAtOnce).map((each) => openOne(ws, path, each)))
  },
  /** Forgets events, problems and heads. */
  reset,
  figures: (): CallerFigures => ({
    open: Object.fromEntries(open),
    events: Object.fromEntries(events),
    problems: Object.fromEntries(problems),
    heads: [...heads].map(([number, times]) => ({ number, times })),
  }),
  close(): void {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
    open = new Map()
    reset()
  },
})
