import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { provideCollector } from '../collector/provide-collector.ts'
import { provideGeth } from '../two-nodes/nodes/geth-programs.ts'
import { kubo } from './peers/kubo.ts'
import { providePeer } from './peers/peer.ts'
import { starknetDevnet } from './peers/starknet-devnet.ts'

/*
 * Runs the suites of `interop/` against real peers that are installed or can be built here. A missing peer is named, and its
 * suites skip. Arguments go to vitest.
 */

const root = fileURLToPath(new URL('../../..', import.meta.url))
const env = { ...process.env }
const missing: string[] = []

for (const peer of [kubo, starknetDevnet]) {
  const found = await providePeer(peer, (line) => console.log(line))
  if (found.missing === undefined) {
    env[peer.variable] = found.path
    console.log(`${peer.name}: found`)
  } else {
    missing.push(`${peer.name} is skipped: ${found.missing}`)
    console.log(missing.at(-1))
  }
}

const geth = await provideGeth(join(tmpdir(), 'wayleave-geth'), (line) => console.log(line))
if ('missing' in geth) {
  missing.push(`geth is skipped: ${geth.missing}`)
  console.log(missing.at(-1))
} else {
  Object.assign(env, { GETH: geth.geth, STREAMS_ETHCLIENT: geth.streams, CALLS_ETHCLIENT: geth.calls })
  console.log('geth: found')
}

const collector = await provideCollector(join(tmpdir(), 'wayleave-collector'), (line) => console.log(line))
if (collector.missing === undefined) {
  env['OTLP_COLLECTOR'] = collector.path
  console.log('collector: found')
} else {
  missing.push(`collector is skipped: ${collector.missing}`)
  console.log(missing.at(-1))
}

const config = 'vitest.interop.config.ts'
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--config', config, ...process.argv.slice(2)],
  { cwd: root, env, stdio: 'inherit' },
)
for (const line of missing) console.log(line)
process.exitCode = status ?? 1
