import { call, post } from './http.ts'
import { type HttpScript, type Peer, type PeerCall, startPeer } from './peer.ts'

/** What a relay makes of an answer, at once or later. */
export type Change = (result: unknown, call: Pick<PeerCall, 'method' | 'params'>) => unknown

type Asked = Pick<PeerCall, 'id' | 'method' | 'params'>

/** A node that passes everything on to `url`, but for what `change` makes of its results. */
export async function startRelay(url: string, change: Change = (result) => result): Promise<Peer> {
  return startPeer(relaying(url, change), (asked, socket) => {
    void answerOf(url, change, asked).then((text) => socket.send(text))
  })
}

/** The script of such a node. */
export function relaying(url: string, change: Change = (result) => result): HttpScript {
  return ({ response, ...asked }) => {
    void answerOf(url, change, asked).then((text) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(text)
    })
  }
}

async function answerOf(url: string, change: Change, { id, method, params = [] }: Asked): Promise<string> {
  const isLost = method === 'eth_getProof' && (await isFirstBlock(url, params[2]))
  const { text } = await post(url, call(isLost ? 'no_proof' : method, params, id))
  const { result, ...frame } = JSON.parse(text) as { result?: unknown }
  const changed = result === undefined ? {} : { result: await change(result, { method, params }) }
  return JSON.stringify({ ...frame, ...changed })
}

/** The root in anvil's first block is that of an empty state: no proof of its state can be right. */
async function isFirstBlock(url: string, block: unknown): Promise<boolean> {
  if (typeof block !== 'object' || block === null || !('blockHash' in block)) return block === '0x0'
  const { text } = await post(url, call('eth_getBlockByHash', [block.blockHash, false]))
  return (JSON.parse(text) as { result: { number: string } | null }).result?.number === '0x0'
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
