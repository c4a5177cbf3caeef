import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findStarknetDevnet } from '@wayleave/dev-node'
import { compileCache } from '../test/support/compile-cache.ts'
import { createAlike, realPorts } from './alike.ts'
import { type Going, linesOf, startCommand, untilEnd, untilSilent } from './going.ts'
import { startStarknetNode } from './starknet-node.ts'
import type { Act } from './transcript.ts'
// @boundaries-ignore The programs as tests start them.
import { bundlePrograms } from '../../../vitest.bundle.ts'

const bin = fileURLToPath(new URL('../../../node_modules/.bin', import.meta.url))
const programs = await bundlePrograms()
/** An act that goes on has printed all of its lines when it was silent for this long, in ms; one with fewer lines than its transcript gets longer. */
const silenceMs = 200
const longSilenceMs = 10_000
/** The ports of `wayleave dev`, which a transcript names. */
const usual = { rpc: '8545', ipfs: '5001', admin: '8546' } as const
/** The port of the Starknet node, which a transcript names. */
const usualStarknet = '9545'
/** The other ports that a transcript names: programs of its own listen there, and at the last nobody. */
const others = ['8645', '8646', '8745', '8746', '5101', '8599'] as const

interface Ready {
  readonly rpc: string
  readonly ipfs: string
  readonly admin: string
  readonly apiKey: string
  readonly apiKeySecret: string
}

/**
 * Runs acts one after the other by bash, in a folder with `files` alone, by their names, and beside a `wayleave dev` and a Starknet node of
 * their own. Gives the lines of each as they come; ports and folders are printed alike.
 */
export async function* runActs(
  acts: readonly Act[],
  signal: AbortSignal,
  files: Readonly<Record<string, string>> = {},
): AsyncGenerator<readonly string[]> {
  const root = await mkdtemp(join(tmpdir(), 'first-hour-'))
  const home = join(root, 'home')
  await mkdir(join(home, 'first-hour'), { recursive: true })
  const shell = shellIn(join(home, 'first-hour'), {
    HOME: home,
    // Files that package managers fetched are found again.
    npm_config_cache: process.env['npm_config_cache'] ?? join(homedir(), '.npm'),
    ...compileCache,
  })
  const going: Going[] = []
  const starknet = await startStarknetNode()
  try {
    const dev = shell.start(`wayleave dev --port 0 --ipfs-port 0 --admin-port 0 --data-dir ${root}/dev --json`)
    going.push(dev)
    const ready = await readyOf(dev, signal)
    const atDev = shellIn(join(home, 'first-hour'), { ...shell.env, ...variablesOf(ready) })
    const { alike, real } = createAlike(root, [
      ...Object.entries(usual).map(
        ([name, shown]) => [shown, new URL(ready[name as keyof typeof usual]).port] as const,
      ),
      [usualStarknet, starknet.port],
      ...(await realPorts(others)),
    ])
    for (const [name, text] of Object.entries(files)) await writeFile(join(home, 'first-hour', name), real(text))
    for (const act of acts) {
      signal.throwIfAborted()
      const command = real(act.command)
      if (command.endsWith(' &')) {
        const one = atDev.start(command.slice(0, -2))
        going.push(one)
        const isWhole = (): boolean => linesOf(one.written()).length >= act.lines.length
        await untilSilent(one, () => (isWhole() ? silenceMs : longSilenceMs))
        yield linesOf(alike(one.written()))
      } else if (command === 'kill %1') {
        const one = going.pop()!
        const before = one.written().length
        const code = await untilEnd(one, 'SIGINT')
        yield linesOf(alike(one.written().slice(before)), code)
      } else {
        const one = atDev.start(command)
        const code = await untilEnd(one)
        yield linesOf(alike(one.written()), code)
      }
    }
  } finally {
    await Promise.all([...going.map((one) => untilEnd(one, 'SIGINT')), starknet.close()])
    await rm(root, { recursive: true, force: true })
  }
}

function shellIn(cwd: string, more: Readonly<Record<string, string>>) {
  const { PATH = '' } = process.env
  // Whether this machine has a starknet-devnet changes what `wayleave dev` prints.
  const folders = PATH.split(delimiter).filter((path) => findStarknetDevnet({ PATH: path }) === undefined)
  const env = {
    LC_ALL: 'C.UTF-8',
    NO_COLOR: '1',
    ...more,
    PATH: [programs.bin, bin, dirname(process.execPath), ...folders].join(delimiter),
  }
  return {
    env: more,
    start: (command: string): Going => startCommand(command, cwd, env),
  }
}

async function readyOf({ child, written }: Going, signal: AbortSignal): Promise<Ready> {
  while (!written().includes('"event":"ready"')) {
    signal.throwIfAborted()
    if (child.exitCode !== null) throw new Error(`wayleave dev ended: ${written()}`)
    await sleep(50)
  }
  return JSON.parse(
    written()
      .split('\n')
      .find((line) => line.includes('"event":"ready"'))!,
  ) as Ready
}

const variablesOf = ({ rpc, ipfs, apiKey, apiKeySecret }: Ready): Record<string, string> => ({
  WAYLEAVE_RPC_URL: `${rpc}/v3/${apiKey}`,
  WAYLEAVE_IPFS_URL: ipfs,
  WAYLEAVE_API_KEY: apiKey,
  WAYLEAVE_API_KEY_SECRET: apiKeySecret,
  NODE: `${rpc}/v3/${apiKey}`,
  ROLLUP: `${rpc}/rollup-dev/v3/${apiKey}`,
})
