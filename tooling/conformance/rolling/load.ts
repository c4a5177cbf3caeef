import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'

/** The longest wait of a caller, in ms. */
const deadlineMs = 20_000
/** Most calls that wait for answers: a machine that cannot hold the rate makes fewer, and `leftOut` says so. */
const mostOpen = 2_000

export interface CallLoad {
  readonly calls: () => number
  readonly leftOut: () => number
  /** In words. */
  readonly failures: readonly string[]
  /** Resolves once every call has its answer, or has failed. */
  end(): Promise<void>
}

/** Calls by an even rhythm, whatever the answers, each on a connection of its own: nothing is sent twice. */
export function startCalls(url: string, rate: number): CallLoad {
  const failures: string[] = []
  const open = new Set<Promise<void>>()
  let [calls, made] = [0, 0]

  function call(): void {
    const id = ++calls
    // Accounts that differ, so that most of the calls go on to the node.
    const account = `0x${id.toString(16).padStart(40, '0')}`
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_getBalance', params: [account, 'latest'] })
    const done = new Promise<void>((resolve) => {
      const fail = (why: string): void => (failures.push(`call ${id}: ${why}`), resolve())
      const asked = request(url, { method: 'POST', agent: false, timeout: deadlineMs }, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => (text += part))
        answer.on('error', ({ message }) => fail(message))
        const right = `{"jsonrpc":"2.0","id":${id},"result":"0x1"}`
        answer.on('end', () => (text === right ? resolve() : fail(`${answer.statusCode} ${text.slice(0, 200)}`)))
      })
      asked.on('timeout', () => asked.destroy(new Error(`no answer for ${deadlineMs} ms`)))
      asked.on('error', ({ message }) => fail(message))
      asked.end(body)
    })
    open.add(done)
    void done.finally(() => open.delete(done))
  }

  const began = performance.now()
  const timer = setInterval(() => {
    const due = ((performance.now() - began) / 1_000) * rate
    for (; made < due; made++) if (open.size < mostOpen) call()
  }, 5)
  return {
    calls: () => calls,
    leftOut: () => made - calls,
    failures,
    async end() {
      clearInterval(timer)
      await Promise.all(open)
    },
  }
}

export interface SocketLoad {
  readonly open: () => number
  /** How often sockets were closed, by code. */
  readonly closes: ReadonlyMap<number, number>
  /** Attempts to open one that failed, in words. */
  readonly failures: readonly string[]
  readonly heads: () => number
  /** Heads that did not come after the one before, as some were left out, or came twice. */
  readonly gaps: () => number
  end(): void
}

/** A head as a subscriber keeps it, to resume from. */
interface LastHead {
  readonly number: number
  readonly hash: string
}

/** Opens sockets that follow heads, each of which comes back when it is closed, and resumes. Resolves when all are open. */
export async function startSockets(url: string, count: number): Promise<SocketLoad> {
  const closes = new Map<number, number>()
  const failures: string[] = []
  const subscribed = new Set<WebSocket>()
  let [heads, gaps, isEnding] = [0, 0, false]

  function open(before?: LastHead): void {
    let last = before
    const socket = new WebSocket(url, { handshakeTimeout: deadlineMs })
    let wasOpen = false
    socket.on('error', ({ message }) => {
      if (!wasOpen && !isEnding) failures.push(message)
    })
    const subscribe = (): void => {
      if (socket.readyState !== WebSocket.OPEN) return
      const params = ['newHeads', ...(last === undefined ? [] : [{ fromHash: last.hash }])]
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params }))
    }
    socket.on('open', () => {
      wasOpen = true
      subscribe()
    })
    socket.on('message', (data) => {
      const { id, result, params } = JSON.parse(String(data)) as Reported
      if (params !== undefined) {
        const { number, hash } = params.result
        if (last !== undefined && Number(number) !== last.number + 1) gaps++
        last = { number: Number(number), hash }
        heads++
      } else if (id === 1 && typeof result === 'string') subscribed.add(socket)
      else {
        failures.push(String(data))
        setTimeout(subscribe, 1_000)
      }
    })
    socket.on('close', (code) => {
      subscribed.delete(socket)
      if (isEnding) return
      if (wasOpen) closes.set(code, (closes.get(code) ?? 0) + 1)
      setTimeout(() => open(last), wasOpen ? 0 : 100)
    })
  }

  for (let i = 0; i < count; i++) {
    open()
    // A crowd at once would measure the backlog of the balancer.
    if (i % 50 === 49) await sleep(20)
  }
  const load: SocketLoad = {
    open: () => subscribed.size,
    closes,
    failures,
    heads: () => heads,
    gaps: () => gaps,
    end() {
      isEnding = true
      for (const socket of subscribed) socket.terminate()
    },
  }
  await untilOpen(load, count)
  return load
}

/** The reply to a subscription, or one of its events. */
interface Reported {
  readonly id?: number
  readonly result?: unknown
  readonly params?: { readonly result: { readonly number: string; readonly hash: string } }
}

/** Waits until as many sockets are open and subscribed. @throws Error after a minute */
export async function untilOpen(load: SocketLoad, count: number): Promise<void> {
  for (let i = 0; load.open() < count; i++) {
    if (i === 600)
      throw new Error(`${load.open()} of ${count} sockets came back: ${load.failures.slice(0, 3).join('; ')}`)
    await sleep(100)
  }
}
