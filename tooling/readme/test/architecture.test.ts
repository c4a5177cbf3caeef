import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const read = (path: string): string => readFileSync(root + path, 'utf8')
const page = read('ARCHITECTURE.md')

/** The rows of the table "Where things go": what to add, and the path it leads to. */
const homes = new Map(
  page
    .slice(page.indexOf('## Where things go'), page.indexOf('## Packages'))
    .split('\n')
    .flatMap((line) => {
      const row = /^\| (.+?) \| `(.+?)` \| /.exec(line)
      return row === null ? [] : [[row[1]!, row[2]!] as const]
    }),
)

describe('ARCHITECTURE.md', () => {
  // Each with what a reader who has followed the path has to find there.
  it.each([
    ['a rate limiter, or any limit of requests', /function decide\b/],
    ['a selection policy', /export type UpstreamOrder\b/],
    ['a store table', /migrations?\b.*=/],
    ['an IPFS command', /export const ipfsCommands\b/],
    ['a log line', /export function createLog\b/],
    ['a method of Starknet nodes', /\bstarknet_\w+/],
    ['a method of rollup nodes', /export const rollup_getInfo\b/],
    ['a metric', /\bgauge: 'wayleave_\w+|counter: 'wayleave_\w+/],
    ['a member of the configuration', /export type Config\b/],
    ['an HTTP status or error text of JSON-RPC', /export function statusOf\b/],
    ['a kind of chain', /export const chainKinds\b/],
    ['a WebSocket close code', /\bquota: .*\b1008\b/],
    ['a field of a key, a project, a secret or a plan (of the admin API, too)', /export const keyFields\b/],
    ["a setting's default", /export function limitsOf\b/],
    ['state that processes share', /export interface SharedPort\b/],
  ])('leads to the place of %s in one step', (what, found) => {
    const path = homes.get(what)
    expect(path).toBeDefined()
    expect(read(path!)).toMatch(found)
  })

  it('leads to the folder of methods of EVM nodes, one file a family', () => {
    const folder = homes.get('a method of EVM nodes')!
    expect(read(`${folder}/chain.ts`)).toMatch(/export const eth_chainId\b/)
    expect(homes.get('a cache rule')).toBe(folder)
  })

  it('names no path that does not exist', () => {
    const paths = [...page.matchAll(/`((?:packages|apps|tooling|docs)\/[\w./-]+)`/g)].map((match) => match[1]!)
    const links = [...page.matchAll(/\]\(([\w./-]+)\)/g)].map((match) => match[1]!)
    expect(paths.length).toBeGreaterThan(20)
    expect([...paths, ...links].filter((path) => !existsSync(root + path))).toEqual([])
  })

  it('leads on from each of those places to folders and files that exist', () => {
    const places = [
      'packages/gateway/src/rpc/stages',
      'packages/ipfs-http/src/server/commands',
      'packages/stores/src/migrations',
    ]
    for (const place of places) expect(existsSync(root + place)).toBe(true)
  })
})
