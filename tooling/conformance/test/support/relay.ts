import { call, post } from './http.ts'
import { type HttpScript, type Peer, type PeerCall, startPeer } from './peer.ts'

/** What a relay makes of an answer. */
export type Change = (result: unknown, call: Pick<PeerCall, 'method' | 'params'>) => unknown

/** A node that passes everything on to `url`, but for what `change` makes of its results. */
export async function startRelay(url: string, change: Change = (result) => result): Promise<Peer> {
  return startPeer(relaying(url, change))
}

/** The script of such a node. */
export function relaying(url: string, change: Change = (result) => result): HttpScript {
  return ({ id, method, params = [], response }) => {
    void (async () => {
      const { text } = await post(url, call(method, params, id))
      const { result, ...frame } = JSON.parse(text) as { result?: unknown }
      const changed = result === undefined ? {} : { result: change(repaired(result), { method, params }) }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ ...frame, ...changed }))
    })()
  }
}

/** anvil counts the bytes of a block without its list of withdrawals, which takes one where it is empty. */
function repaired(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('size' in result && 'withdrawals' in result)) return result
  return { ...result, size: `0x${(Number(result.size) + 1).toString(16)}` }
}

/** A liar: changes the member at `path` of what `method` answers. */
export function lyingAbout(method: string, path: readonly (string | number)[], value: unknown): Change {
  return (result, asked) => (asked.method === method ? replaced(result, path, value) : result)
}

function replaced(target: unknown, [step, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (step === undefined) return value
  if (typeof target !== 'object' || target === null) return target
  const copy = (Array.isArray(target) ? [...target] : { ...target }) as Record<string | number, unknown>
  copy[step] = replaced(copy[step], rest, value)
  return copy
}
