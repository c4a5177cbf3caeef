import { accessSync, constants } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startGethChain } from '@wayleave/conformance/two-nodes/nodes/geth-chain'
import type { LiveChain } from './live-chain.ts'

/** Finds an installed program: by a variable, where the rig of two nodes builds it, or on the PATH. */
export function findBuilt(program: string, variable: string): string | undefined {
  const given = process.env[variable]
  if (given !== undefined && given !== '') return isProgram(given) ? given : undefined
  const folders = [join(tmpdir(), 'wayleave-geth', 'bin'), ...(process.env['PATH'] ?? '').split(delimiter)]
  return folders.map((folder) => join(folder, program)).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Starts two geths of one chain, of which each builds blocks in turn. */
export async function startLiveGeths(options: Parameters<typeof startGethChain>[0]): Promise<LiveChain> {
  const chain = await startGethChain(options)
  return {
    ...chain,
    kill: (node) => node.kill(),
    async start(node) {
      await node.start()
      // On a busy machine a node may need longer for its first answers than a question waits.
      for (let left = 10; ; left--) {
        try {
          return await chain.restarted(node)
        } catch (why) {
          if (left === 0) throw why
          await sleep(500)
        }
      }
    },
    pause: async (node) => node.pause(),
    resume: (node) => node.resume(),
    sending: (send) => send(),
    referenceUrl: undefined,
    forks: () => [],
    [Symbol.asyncDispose]: () => chain[Symbol.asyncDispose](),
  }
}
