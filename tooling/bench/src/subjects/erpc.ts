import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startCommand } from './child.ts'
import { freePort } from './nginx.ts'
import type { SubjectKind } from './subject.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

/** eRPC with one network and one upstream, no cache and no policy: the least that it does. The variable `ERPC` names the program. */
export const erpc: SubjectKind = {
  name: 'eRPC',
  missing() {
    const program = process.env['ERPC']
    if (program === undefined) return 'ERPC does not say where eRPC is'
    return existsSync(program) ? undefined : 'ERPC names no program'
  },
  async start({ upstreamPort, clock }) {
    const folder = createTemporaryFolder('erpc')
    const port = await freePort()
    const file = join(folder.path, 'erpc.yaml')
    // JSON is YAML.
    await writeFile(file, JSON.stringify(describeConfig(port, upstreamPort)))
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
    const path = '/main/evm/1'
    const { child } = await startCommand<void>(clock, process.env['ERPC']!, [file], (started, resolve) => {
      started.stdout!.resume()
      const ask = (): void => {
        if (started.exitCode !== null) return
        const again = (): void => void clock.after(50, ask)
        fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body }).then(
          async (answer) => ((await answer.text()).includes('"0x1"') ? resolve() : again()),
          again,
        )
      }
      ask()
    })
    return {
      name: 'eRPC',
      pid: child.pid,
      target: { port, path },
      async [Symbol.asyncDispose]() {
        await child.close()
        folder.close()
      },
    }
  },
}

function describeConfig(port: number, upstreamPort: number): object {
  const evm = { chainId: 1 }
  return {
    logLevel: 'error',
    server: { listenV4: true, httpHostV4: '127.0.0.1', httpPortV4: port },
    metrics: { enabled: false },
    projects: [
      {
        id: 'main',
        networks: [{ architecture: 'evm', evm }],
        upstreams: [{ id: 'bench', endpoint: `http://127.0.0.1:${upstreamPort}`, evm }],
      },
    ],
  }
}
