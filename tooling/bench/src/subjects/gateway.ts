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

/** The gateway as an operator runs it: `wayleave serve` with one network, one upstream, one project. */
export const gateway: SubjectKind = {
  name: 'gateway',
  missing: () => (existsSync(join(cli, 'dist/main.js')) ? undefined : 'apps/cli is not built'),
  start,
}

async function start({ upstreamPort, clock }: SubjectOptions): Promise<Subject> {
  const folder = createTemporaryFolder('gateway')
  const config = join(folder.path, 'config.json')
  await writeFile(config, JSON.stringify(describeConfig(folder.path, upstreamPort)))
  const args = [join(cli, 'bin/wayleave.js'), 'serve', '--config', config, '--json']
  const { child, value: url } = await startCommand<string>(clock, process.execPath, args, (started, resolve) => {
    createInterface(started.stdout!).on('line', (line) => {
      const ready = readReady(line)
      if (ready !== undefined) resolve(ready)
    })
  })
  return {
    name: 'gateway',
    pid: child.pid,
    target: { port: Number(new URL(url).port), path: `/v3/${key}` },
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

/** Reads the RPC URL of a ready line; undefined for any other line. */
function readReady(line: string): string | undefined {
  try {
    const { event, rpc } = JSON.parse(line) as { event?: unknown; rpc?: unknown }
    return event === 'ready' && typeof rpc === 'string' ? rpc : undefined
  } catch {
    return undefined
  }
}
