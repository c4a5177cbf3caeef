import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, createContext, rawJsonFromText, rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'
import { onTestFinished } from 'vitest'

/** A new folder that goes with the test. */
export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'dev-node-test-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

/** A plain HTTP handler, without the care of a real transport. */
export function handlerOf(url: string): RpcHandler {
  return async ({ method, params }, { signal }) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params?.text() ?? '[]'}}`
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal })
    const answer = (await response.json()) as { result?: unknown; error?: { code: number; message: string } }
    if (answer.error !== undefined) return { error: answer.error }
    return { result: rawJsonFromText(JSON.stringify(answer.result)) }
  }
}

/** The result of one call; throws the peer's error. */
export async function call(handler: RpcHandler | string, method: string, ...params: unknown[]): Promise<unknown> {
  const context = createContext()
  const ask = typeof handler === 'string' ? handlerOf(handler) : handler
  const response = await ask({ method, params: rawJsonFromValue(params), notification: false }, context)
  context.release()
  if (response.error !== undefined) throw new Error(`${response.error.code} ${response.error.message}`)
  if ('streaming' in response.result) throw new Error('no stream was accepted')
  return response.result.parse()
}

export const [from, to] = ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', '0x00000000000000000000000000000000c0ffee00']

/** Sends 1 wei, waits for its receipt, and gives the transaction's hash. */
export async function sendWei(url: string): Promise<string> {
  const hash = (await call(url, 'eth_sendTransaction', { from, to, value: '0x1' })) as string
  // Anvil answers before it mines.
  while ((await call(url, 'eth_getTransactionReceipt', hash)) === null) await sleep(5)
  return hash
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Waits until `condition` holds; false when it does not within `ms`. */
export async function within(ms: number, condition: () => boolean): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end;) {
    if (condition()) return true
    await sleep(20)
  }
  return condition()
}

/** Real time, `factor` times faster. */
export function fastClock(factor: number): Clock {
  return {
    now: () => performance.now() * factor,
    date: () => Date.now(),
    after(ms, run) {
      const timer = setTimeout(run, ms / factor)
      return () => clearTimeout(timer)
    },
  }
}
