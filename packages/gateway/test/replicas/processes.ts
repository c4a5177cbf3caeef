import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Config, RunningGateway } from '@wayleave/gateway'
import type { StoresOptions } from '@wayleave/stores'

const start = (program: URL, ...args: readonly string[]) =>
  spawn(process.execPath, ['--conditions=@wayleave/source', fileURLToPath(program), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })

/** A gateway in a process of its own. */
export interface GatewayProcess extends Pick<RunningGateway, 'rpc' | 'ws' | 'admin' | 'ipfs'> {
  close(): Promise<void>
  /** Ends it in the middle of its work. */
  kill(): Promise<void>
}

/** Starts a gateway in a process of its own, which ends with this one. */
export async function startGatewayProcess(config: Config): Promise<GatewayProcess> {
  const child = start(new URL('gateway-program.ts', import.meta.url), JSON.stringify(config))
  const exited = once(child, 'exit')
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
  if (value === undefined) throw new Error('the gateway ended before it was ready')
  return {
    ...(JSON.parse(value) as Pick<RunningGateway, 'rpc' | 'ws' | 'admin' | 'ipfs'>),
    async close() {
      child.stdin.end()
      await exited
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Disables a key in a process of its own, which is killed right after it was confirmed. */
export async function revokeAndDie(place: StoresOptions, keyId: string): Promise<void> {
  const child = start(new URL('revoker.ts', import.meta.url), JSON.stringify(place), keyId)
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
}
