import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLocalBackend } from '@wayleave/ipfs-http/local'
import { CID } from 'kubo-rpc-client'
import { contentOf } from './content-of.ts'

/** The count of acknowledged roots, and those that a kill damaged. */
export interface CrashResult {
  readonly acknowledged: number
  /** For each unreadable root, the reason. */
  readonly lost: readonly string[]
  /** Files of unfinished writes that were left after the store was opened again. */
  readonly leftovers: number
}

/** The message of a writing process that a root is safe, with the seed of its content. */
export interface Acknowledged {
  readonly seed: number
  readonly cid: string
}

/** The longest time from the first root of a process to its end, in ms. */
const longestLife = 150

/**
 * Starts a process that adds files to the store in `dir`, kills it at a moment that depends on `seed`, and repeats this
 * `kills` times. After each kill, opens the store and reads back the roots acknowledged since the last time; at the end,
 * reads all of them.
 */
export async function crashRounds(options: {
  readonly dir: string
  readonly kills: number
  readonly seed: number
  readonly report?: (line: string) => void
}): Promise<CrashResult> {
  const { dir, kills, seed, report = () => {} } = options
  const all: Acknowledged[] = []
  const lost: string[] = []
  let leftovers = 0
  for (let kill = 0; kill < kills; kill++) {
    const fresh = await writeAndDie(dir, seed * 1_000_000 + kill * 10_000)
    all.push(...fresh)
    lost.push(...(await unreadable(dir, fresh)))
    leftovers += await partsIn(dir)
    report(`kill ${kill + 1} of ${kills}: ${fresh.length} acknowledged, ${lost.length} lost`)
  }
  lost.push(...(await unreadable(dir, all)))
  return { acknowledged: all.length, lost: [...new Set(lost)], leftovers }
}

async function writeAndDie(dir: string, seed: number): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = []
  const child = fork(fileURLToPath(new URL('writer.ts', import.meta.url)), [dir, `${seed}`], {
    execArgv: ['--conditions=@wayleave/source'],
  })
  const ended = once(child, 'exit')
  child.on('message', (reported) => acknowledged.push(reported as Acknowledged))
  await Promise.race([once(child, 'message'), ended])
  // The moment is seeded, but the process is never twice at the same point of its work.
  const moment = contentOf(seed)[0]! % longestLife
  const timer = setTimeout(() => child.kill('SIGKILL'), moment)
  const [code] = await ended
  clearTimeout(timer)
  if (code !== null) throw new Error(`the writing process ended by itself, with ${code}`)
  return acknowledged
}

async function unreadable(dir: string, roots: readonly Acknowledged[]): Promise<string[]> {
  const lost: string[] = []
  await using backend = await createLocalBackend({ dir })
  const { signal } = new AbortController()
  for (const { seed, cid } of roots) {
    try {
      const path = { cid: CID.parse(cid), segments: ['content'] }
      const { bytes } = await backend.cat(path, { offset: 0n, length: undefined }, { signal })
      const parts: Uint8Array[] = []
      for await (const part of bytes) parts.push(part)
      if (!Buffer.concat(parts).equals(contentOf(seed))) lost.push(`${cid}: other content`)
    } catch (error) {
      lost.push(`${cid}: ${String(error)}`)
    }
  }
  return lost
}

async function partsIn(dir: string): Promise<number> {
  const names = await readdir(join(dir, 'blocks'), { recursive: true })
  return names.filter((name) => name.endsWith('.part')).length
}
