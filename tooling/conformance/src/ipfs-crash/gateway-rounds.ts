import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createIpfsClient, type IpfsClient } from '@wayleave/ipfs-http'
import { chunkerOf, contentOf } from './content-of.ts'

/** The counts of acknowledged operations, and those that a kill undid. */
interface GatewayCrashResult {
  readonly added: number
  readonly pinned: number
  readonly unpinned: number
  /** The count of pins that were read back whole after a kill, each byte verified. */
  readonly reads: number
  /** Pins that were gone or could not be read whole. */
  readonly lost: readonly string[]
  /** Unpinned content that was pinned again after a kill. */
  readonly returned: readonly string[]
  /** The count of files from unfinished writes. */
  readonly leftovers: number
}

interface State {
  /** The acknowledged pins: the seed of the content by its CID. */
  readonly pins: Map<string, number>
  /** Unpins that were in flight when the gateway died: pinned or not, both are right. */
  readonly unsure: Map<string, number>
  /** Content whose unpin was acknowledged. */
  readonly gone: Set<string>
  /** CIDs with a call in flight; each has one at a time. */
  readonly busy: Set<string>
  nextSeed: number
}

const workers = 4
const mostPins = 30
/** The longest time from the first acknowledgement to the kill, in ms. */
const longestLife = 200

/**
 * Starts a gateway over the folder `dir`; adds, pins and unpins concurrently through its IPFS API while it collects; kills it
 * at a moment that depends on `seed`; and repeats this `kills` times. After each kill another gateway must list every
 * acknowledged pin, and return every byte of what it lists.
 */
export async function gatewayCrashRounds(options: {
  readonly dir: string
  readonly kills: number
  readonly seed: number
  readonly report?: (line: string) => void
}): Promise<GatewayCrashResult> {
  const { dir, kills, seed, report = () => {} } = options
  const state: State = { pins: new Map(), unsure: new Map(), gone: new Set(), busy: new Set(), nextSeed: seed * 1e6 }
  const counts = { added: 0, pinned: 0, unpinned: 0, reads: 0, leftovers: 0 }
  const lost: string[] = []
  const returned: string[] = []
  await mkdir(dir, { recursive: true })
  for (let kill = 0; kill <= kills; kill++) {
    const { gateway, client } = await start(dir)
    try {
      counts.leftovers += kill === 0 ? 0 : await partsIn(dir)
      counts.reads += await compare(client, state, lost, returned)
      if (kill < kills) await workAndDie(gateway, client, state, counts)
    } finally {
      gateway.kill('SIGKILL')
    }
    if (kill < kills) {
      const { added, pinned, unpinned, reads } = counts
      report(
        `kill ${kill + 1} of ${kills}: ${added} added, ${pinned} pinned, ${unpinned} unpinned, ${reads} read, ${lost.length} lost`,
      )
    }
  }
  return { ...counts, lost: [...new Set(lost)], returned: [...new Set(returned)] }
}

async function start(dir: string): Promise<{ readonly gateway: ChildProcess; readonly client: IpfsClient }> {
  const gateway = fork(fileURLToPath(new URL('gateway-process.ts', import.meta.url)), [dir], {
    execArgv: ['--conditions=@wayleave/source'],
  })
  const ended = once(gateway, 'exit').then(([code]) => {
    throw new Error(`the gateway did not start: it ended with ${code}`)
  })
  const [url] = (await Promise.race([once(gateway, 'message'), ended])) as [string]
  ended.catch(() => {})
  return { gateway, client: createIpfsClient({ url, apiKey: 'key', apiKeySecret: 'secret', verify: 'proven' }) }
}

/** Compares the gateway's list of pins with the acknowledged ones, and reads all of them. */
async function compare(client: IpfsClient, state: State, lost: string[], returned: string[]): Promise<number> {
  const { pins, unsure, gone } = state
  const reported = new Set<string>()
  for await (const { cid } of client.pin.ls({ type: 'recursive' })) reported.add(cid)
  for (const cid of pins.keys()) if (!reported.has(cid)) lost.push(`${cid}: not pinned any more`)
  for (const cid of reported) if (gone.has(cid) && !pins.has(cid) && !unsure.has(cid)) returned.push(cid)
  let reads = 0
  for (const cid of reported) {
    const seed = pins.get(cid) ?? unsure.get(cid)
    try {
      // Each byte is verified up to the CID.
      const bytes = await client.cat(cid).bytes(8_000_000)
      if (seed !== undefined && !contentOf(seed).equals(bytes)) lost.push(`${cid}: other content`)
      reads++
    } catch (error) {
      lost.push(`${cid}: ${String(error)}`)
    }
    if (seed === undefined) {
      // An add that was not acknowledged has no known content, so it is unpinned.
      await client.pin.rm(cid)
      gone.add(cid)
    } else pins.set(cid, seed)
  }
  for (const cid of unsure.keys()) if (!reported.has(cid)) gone.add(cid)
  for (const cid of pins.keys()) if (!reported.has(cid)) pins.delete(cid)
  unsure.clear()
  state.busy.clear()
  return reads
}

async function workAndDie(
  gateway: ChildProcess,
  client: IpfsClient,
  state: State,
  counts: { added: number; pinned: number; unpinned: number },
): Promise<void> {
  const ended = once(gateway, 'exit')
  const leaving = new AbortController()
  let timer: NodeJS.Timeout | undefined
  // The moment is seeded, but the process is never twice at the same point of its work.
  const moment = (contentOf(state.nextSeed)[0]! / 256) * longestLife
  const acknowledged = (what: keyof typeof counts): void => {
    counts[what]++
    timer ??= setTimeout(() => {
      leaving.abort()
      gateway.kill('SIGKILL')
    }, moment)
  }
  const idle = (): string | undefined => {
    const free = [...state.pins.keys()].filter((cid) => !state.busy.has(cid))
    return free[state.nextSeed % Math.max(1, free.length)]
  }
  const work = async (): Promise<void> => {
    for (;;) {
      const seed = state.nextSeed++
      const cid = idle()
      const turn = contentOf(seed)[0]! % 8
      if (cid !== undefined && turn === 0) {
        await busyWith(cid, async () => {
          await client.pin.add(cid)
          acknowledged('pinned')
        })
      } else if (cid !== undefined && (turn === 1 || state.pins.size >= mostPins)) {
        await busyWith(cid, () => unpin(cid))
      } else {
        const { cid: fresh } = await client.add(contentOf(seed), { cidVersion: 1, chunker: chunkerOf(seed) })
        state.pins.set(fresh, seed)
        acknowledged('added')
      }
    }
  }
  const unpin = async (cid: string): Promise<void> => {
    const seed = state.pins.get(cid)!
    state.pins.delete(cid)
    state.unsure.set(cid, seed)
    await client.pin.rm(cid)
    state.unsure.delete(cid)
    state.gone.add(cid)
    acknowledged('unpinned')
  }
  const busyWith = async (cid: string, run: () => Promise<void>): Promise<void> => {
    state.busy.add(cid)
    await run()
    state.busy.delete(cid)
  }
  const works = Array.from({ length: workers }, () =>
    work().catch((error: unknown) => {
      // A failure while the gateway lives is a wrong answer.
      if (!leaving.signal.aborted) {
        gateway.kill('SIGKILL')
        throw error
      }
    }),
  )
  await Promise.all(works)
  await ended
}

async function partsIn(dir: string): Promise<number> {
  const names = await readdir(join(dir, 'ipfs', 'blocks'), { recursive: true })
  return names.filter((name) => name.endsWith('.part')).length
}
