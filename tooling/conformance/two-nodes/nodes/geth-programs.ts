import { cp, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findProgram, isProgram, run } from '../../src/peers/peer.ts'

/** Later versions need modules that some proxies do not have. */
export const gethVersion = 'v1.17.8'
const module = `github.com/ethereum/go-ethereum@${gethVersion}`

/** Programs made of go-ethereum: the node, and clients of ours over its package `ethclient`. */
export interface GethPrograms {
  readonly geth: string
  readonly ethclient: string
  /** Follows heads and logs. */
  readonly streams: string
  /** Reads the logs of a range. */
  readonly logs: string
  /** Asks a script of questions. */
  readonly calls: string
}

/** The programs, or the reason why they are missing. */
export type FoundPrograms = GethPrograms | { readonly missing: string }

/** Our clients: the name of the program, of its source beside it, and that source. */
const ownClients = [
  ['two-nodes-ethclient', 'ethclient.go', new URL('../clients/ethclient.go', import.meta.url)],
  ['streams-ethclient', 'streams-ethclient.go', new URL('../../streams/clients/streams-ethclient.go', import.meta.url)],
  ['logs-ethclient', 'logs-ethclient.go', new URL('../../logs/clients/logs-ethclient.go', import.meta.url)],
  ['calls-ethclient', 'calls-ethclient.go', new URL('../../other-chains/clients/calls-ethclient.go', import.meta.url)],
] as const

/** Finds the programs in a folder, or builds them there if Go is installed: some minutes, and a gigabyte of Go's own cache. */
export async function provideGeth(folder: string, report: (line: string) => void): Promise<FoundPrograms> {
  const [geth, ethclient, streams, logs, calls] = ['geth', ...ownClients.map(([name]) => name)].map((name) =>
    join(folder, 'bin', name),
  ) as [string, string, string, string, string]
  const programs = { geth, ethclient, streams, logs, calls }
  const isBuilt = Object.values(programs).every(isProgram) && (await isOurs(folder))
  if (isBuilt) return programs
  if (findProgram('go') === undefined)
    return { missing: `${folder} holds no geth, and go, which builds it, is not on the PATH` }
  report(`building geth ${gethVersion} in ${folder}; the first time this takes some minutes`)
  try {
    await build(folder)
    return programs
  } catch (thrown) {
    return { missing: `geth could not be built: ${(thrown as Error).message}` }
  }
}

/** Whether the clients that were built are those of this version. */
async function isOurs(folder: string): Promise<boolean> {
  const same = ownClients.map(async ([, kept, source]) => {
    const built = await readFile(join(folder, 'bin', kept), 'utf8').catch(() => undefined)
    return built === (await readFile(source, 'utf8'))
  })
  return (await Promise.all(same)).every(Boolean)
}

async function build(folder: string): Promise<void> {
  const bin = join(folder, 'bin')
  await mkdir(bin, { recursive: true })
  const fetched = await run('go', ['mod', 'download', '-json', module], { cwd: folder })
  const source = join(folder, 'source')
  await rm(source, { recursive: true, force: true })
  await cp((JSON.parse(fetched) as { readonly Dir: string }).Dir, source, { recursive: true })
  await run('chmod', ['-R', 'u+w', source])
  for (const [name, , own] of ownClients) {
    await mkdir(join(source, 'cmd', name))
    await cp(fileURLToPath(own), join(source, 'cmd', name, 'main.go'))
  }
  const commands = ['geth', ...ownClients.map(([name]) => name)].map((name) => `./cmd/${name}`)
  await run('go', ['build', '-trimpath', '-buildvcs=false', '-o', `${bin}/`, ...commands], { cwd: source })
  await rm(source, { recursive: true, force: true })
  for (const [, kept, own] of ownClients) await cp(fileURLToPath(own), join(bin, kept))
}
