import { cp, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findProgram, isProgram, run } from '../../src/peers/peer.ts'

/** Later versions need modules that some proxies do not have. */
export const gethVersion = 'v1.17.8'
const module = `github.com/ethereum/go-ethereum@${gethVersion}`

/** Programs made of go-ethereum: the node, and a client of ours over its package `ethclient`. */
export interface GethPrograms {
  readonly geth: string
  readonly ethclient: string
}

/** The programs, or the reason why they are missing. */
export type FoundPrograms = GethPrograms | { readonly missing: string }

const ownClient = fileURLToPath(new URL('../clients/ethclient.go', import.meta.url))

/** Finds the programs in a folder, or builds them there if Go is installed: some minutes, and a gigabyte of Go's own cache. */
export async function provideGeth(folder: string, tell: (line: string) => void): Promise<FoundPrograms> {
  const programs = { geth: join(folder, 'bin', 'geth'), ethclient: join(folder, 'bin', 'two-nodes-ethclient') }
  const isBuilt = [programs.geth, programs.ethclient].every(isProgram) && (await isOurs(folder))
  if (isBuilt) return programs
  if (findProgram('go') === undefined)
    return { missing: `${folder} holds no geth, and go, which builds it, is not on the PATH` }
  tell(`building geth ${gethVersion} in ${folder}; the first time this takes some minutes`)
  try {
    await build(folder)
    return programs
  } catch (thrown) {
    return { missing: `geth could not be built: ${(thrown as Error).message}` }
  }
}

/** Whether the client that was built is the one of this version. */
async function isOurs(folder: string): Promise<boolean> {
  const [built, own] = await Promise.all([
    readFile(join(folder, 'bin', 'ethclient.go'), 'utf8').catch(() => undefined),
    readFile(ownClient, 'utf8'),
  ])
  return built === own
}

async function build(folder: string): Promise<void> {
  const bin = join(folder, 'bin')
  await mkdir(bin, { recursive: true })
  const fetched = await run('go', ['mod', 'download', '-json', module], { cwd: folder })
  const source = join(folder, 'source')
  await rm(source, { recursive: true, force: true })
  await cp((JSON.parse(fetched) as { readonly Dir: string }).Dir, source, { recursive: true })
  await run('chmod', ['-R', 'u+w', source])
  const client = join(source, 'cmd', 'two-nodes-ethclient')
  await mkdir(client)
  await cp(ownClient, join(client, 'main.go'))
  const commands = ['./cmd/geth', './cmd/two-nodes-ethclient']
  await run('go', ['build', '-trimpath', '-buildvcs=false', '-o', `${bin}/`, ...commands], { cwd: source })
  await rm(source, { recursive: true, force: true })
  await cp(ownClient, join(bin, 'ethclient.go'))
}
