import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startCommand } from './child.ts'
import type { Subject, SubjectKind, SubjectOptions } from './subject.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

const cli = fileURLToPath(new URL('../../../../apps/cli/', import.meta.url))
const key = '00112233445566778899aabbccddeeff'

/** A gateway that runs. */
export interface GatewaySubject extends Subject {
  /** `http://host:port` of its admin listener. */
  readonly admin: string
}

/** The gateway as an operator runs it: `wayleave serve` with one network, one upstream, one project. */
export const gateway: SubjectKind = {
  name: 'gateway',
  missing: () => (existsSync(join(cli, 'dist/main.js')) ? undefined : 'apps/cli is not built'),
  start: (options) => startGateway('gateway', options, 1),
}

/** Starts it with worker processes; 1: without. */
export async function startGateway(
  name: string,
  { upstreamPort, clock }: Pick<SubjectOptions, 'upstreamPort' | 'clock'>,
  workers: number,
): Promise<GatewaySubject> {
  const folder = createTemporaryFolder('gateway')
  const config = join(folder.path, 'config.json')
  await writeFile(config, JSON.stringify(describeConfig(folder.path, upstreamPort)))
  const args = [join(cli, 'bin/wayleave.js'), 'serve', '--config', config, '--workers', String(workers), '--json']
  const { child, value } = await startCommand<Ready>(clock, process.execPath, args, (started, resolve) => {
    createInterface(started.stdout!).on('line', (line) => {
      const ready = readReady(line)
      if (ready !== undefined) resolve(ready)
    })
  })
  return {
    name,
    pid: child.pid,
    target: { port: Number(new URL(value.rpc).port), path: `/v3/${key}` },
    admin: value.admin,
    async [Symbol.asyncDispose]() {
      await child.close()
      folder.close()
    },
  }
}

function describeConfig(folder: string, upstreamPort: number): object {
  return {
    dataDir: join(folder, 'data'),
    listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
    defaultNetwork: 'bench',
    networks: { bench: { kind: 'evm', chainId: 1, upstreams: [`http://127.0.0.1:${upstreamPort}`] } },
    projects: [{ name: 'bench', keys: [{ key, secret: 'ffeeddccbbaa99887766554433221100' }] }],
  }
}

interface Ready {
  readonly rpc: string
  readonly admin: string
}

/** Reads the URLs of a ready line; undefined for any other line. */
function readReady(line: string): Ready | undefined {
  try {
    const { event, rpc, admin } = JSON.parse(line) as { event?: unknown; rpc?: unknown; admin?: unknown }
    return event === 'ready' && typeof rpc === 'string' && typeof admin === 'string' ? { rpc, admin } : undefined
  } catch {
    return undefined
  }
}
