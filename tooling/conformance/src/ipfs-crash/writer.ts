import { createLocalBackend } from '@wayleave/ipfs-http/local'
import { chunkerOf, contentOf } from './content-of.ts'
import type { Acknowledged } from './crash-rounds.ts'

/* Adds files, several at a time, and sends each root to its parent, until it is killed. */

const [dir = '', first = '0'] = process.argv.slice(2)
const backend = await createLocalBackend({ dir })
const { signal } = new AbortController()
const options = {
  cidVersion: 1,
  hash: 'sha2-256',
  rawLeaves: true,
  maxFileLinks: 174,
  maxDirectoryLinks: 0,
  maxHamtFanout: 256,
  sizeEstimation: 'links',
  emptyDirs: true,
  trickle: false,
  inline: false,
  inlineLimit: 32,
  wrapWithDirectory: true,
  pin: true,
  onlyHash: false,
  preserveMode: false,
  preserveMtime: false,
  progress: false,
} as const

let seed = Number(first)

async function add(): Promise<void> {
  for (;;) {
    const mine = seed++
    const content = contentOf(mine)
    const entries = (async function* () {
      const bytes = (async function* () {
        for (let at = 0; at < content.length; at += 5000) yield content.subarray(at, at + 5000)
      })()
      yield { type: 'file', path: 'content', content: bytes } as const
    })()
    for await (const event of backend.add(entries, { ...options, chunker: chunkerOf(mine) }, { signal })) {
      if (event.type === 'root') process.send!({ seed: mine, cid: String(event.cid) } satisfies Acknowledged)
    }
  }
}

await Promise.all([add(), add(), add()])
