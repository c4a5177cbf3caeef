import type { Held } from './asks.ts'
import type { Exchange } from './exchange.ts'
import { formOf, largeContent, type Part, treeParts } from './uploads.ts'

type Pair = readonly [Exchange, Exchange]

/** Those that Kubo prints. */
const bases = ['base2', 'base16', 'base16upper', 'base32', 'base32upper', 'base32pad', 'base32hex', 'base36', 'base36upper', 'base58btc', 'base58flickr', 'base64', 'base64pad', 'base64url', 'base64urlpad', 'base256emoji'] // prettier-ignore

/** Has both hosts hold the same content, under the same CIDs. */
export async function holdTheSame(pair: Pair): Promise<Held> {
  const put = async (path: string, parts: readonly Part[]): Promise<string> => {
    const reported = await Promise.all(pair.map(({ ask }) => ask({ path, ...formOf(parts) })))
    const cids = reported.map(({ body }) => {
      const last = JSON.parse(body.toString().trim().split('\n').at(-1)!) as { Hash?: string; Cid?: { '/': string } }
      return last.Hash ?? last.Cid?.['/']
    })
    if (cids[0] === undefined || cids[0] !== cids[1])
      throw new Error(`${path}: Kubo has ${cids[0]}, ours is ${cids[1]}`)
    return cids[0]
  }
  const part = (content: string | Buffer): readonly Part[] => [
    { head: ['Content-Disposition: form-data; name="file"; filename="x"'], content },
  ]
  const hello = await put('add?pin=false', part('hello world'))
  const helloRaw = await put('add?pin=false&cid-version=1', part('hello world'))
  const tree = await put('add?pin=false', treeParts)
  const links = { a: { b: [1, { '/': helloRaw }] }, file: { '/': hello }, dir: { '/': tree } }
  const inBase = async (base: string): Promise<string> => {
    const { body } = await pair[0].ask({ path: `block/stat?arg=${helloRaw}&cid-base=${base}` })
    return (JSON.parse(body.toString()) as { Key: string }).Key
  }
  return {
    hello,
    helloRaw,
    tree,
    empty: await put('add?pin=false', part('')),
    large: await put('add?pin=false', part(largeContent)),
    treeV1: await put('add?pin=false&cid-version=1', treeParts),
    object: await put('dag/put', part(JSON.stringify(links))),
    bases: await Promise.all(bases.map(inBase)),
  }
}

/** After answers that differed: both hosts forget the pins that only one of them has. */
export async function reconcilePins(pair: Pair): Promise<void> {
  const pins = await Promise.all(pair.map(pinsOf))
  for (const [at, host] of pair.entries()) {
    const only = [...pins[at]!].filter((pin) => !pins[1 - at]!.has(pin))
    for (const pin of only) await host.ask({ path: `pin/rm?arg=${pin.split(' ')[0]}` })
  }
}

async function pinsOf({ ask }: Exchange): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const type of ['recursive', 'direct']) {
    const { body } = await ask({ path: `pin/ls?names=true&type=${type}` })
    const { Keys = {} } = JSON.parse(body.toString()) as { Keys?: Record<string, { Type: string; Name: string }> }
    for (const [cid, { Name }] of Object.entries(Keys)) found.add(`${cid} ${type} ${Name}`)
  }
  return found
}
