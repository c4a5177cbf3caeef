import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { GethPrograms } from '../two-nodes/nodes/geth-programs.ts'
import { ethersClient } from './clients/ethers.ts'
import { programClient } from './clients/program.ts'
import type { OpenStreamClient } from './clients/stream-client.ts'
import { viemClient } from './clients/viem.ts'

type Named = readonly [name: string, open: OpenStreamClient]

const fileOf = (name: string): string => fileURLToPath(new URL(`clients/${name}`, import.meta.url))

/** The clients of the packages that are always there. */
export const ownClients: readonly Named[] = [
  ['viem', viemClient],
  ['ethers', ethersClient],
]

/** The clients in other languages that can run here, which stand for web3.py and ethclient; tells `skip` which cannot. */
export function otherClients(
  python: string,
  programs: Pick<GethPrograms, 'streams'> | { readonly missing: string },
  skip: (why: string) => void,
): readonly Named[] {
  const clients: Named[] = []
  if (hasWeb3(python, skip)) clients.push(programNamed('web3.py', [python, fileOf('streams_web3.py')]))
  if ('missing' in programs) skip(`ethclient: ${programs.missing}`)
  else clients.push(programNamed('ethclient', [programs.streams]))
  return clients
}

/** web3.py as a client that polls filters; undefined where it is not there. */
export function web3Filters(python: string, skip: (why: string) => void): OpenStreamClient | undefined {
  return hasWeb3(python, skip) ? programNamed('web3.py', [python, fileOf('filters_web3.py')])[1] : undefined
}

function programNamed(name: string, command: readonly [string, ...string[]]): Named {
  return [name, (target, reported) => programClient(name, command, target, reported)]
}

function hasWeb3(python: string, skip: (why: string) => void): boolean {
  if (spawnSync(python, ['-c', 'import web3']).status === 0) return true
  skip(`web3.py: ${python} has it not; pip install web3, and --python names another one`)
  return false
}
