import { EventEmitter } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { type Config, type RunningGateway, startGateway } from '@wayleave/gateway'
import type { CommandIo } from '../../src/command.ts'
import { ipfs } from '../../src/commands/ipfs.ts'
import { key, secret } from '../helpers.ts'

/** A gateway in this process that keeps content in a folder. Its only network is never asked. */
export function startIpfsGateway(dataDir: string, more: Partial<Config> = {}): Promise<RunningGateway> {
  return startGateway({
    dataDir,
    listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
    ipfs: { backend: 'local' },
    defaultNetwork: 'dev',
    networks: { dev: { kind: 'evm', chainId: 31337, upstreams: [{ name: 'none', url: 'http://127.0.0.1:9' }] } },
    projects: [{ name: 'dev', keys: [{ key, secret }] }],
    ...more,
  })
}

export interface IpfsRun {
  readonly code: number
  readonly stdout: string
  readonly bytes: Buffer
  readonly stderr: string
}

export interface IpfsRunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: AsyncIterable<Uint8Array>
  readonly stdout?: Writable
  readonly isTerminal?: boolean
  /** Told of what stands for the process, such as to send it a signal. */
  readonly onProcess?: (process: EventEmitter) => void
}

/** Runs `wayleave ipfs` in this process. */
export async function runIpfs(args: readonly string[], options: IpfsRunOptions = {}): Promise<IpfsRun> {
  const { env = {}, stdin = Readable.from([]), isTerminal = false, onProcess } = options
  const out: Buffer[] = []
  let err = ''
  const stdout =
    options.stdout ??
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        out.push(chunk)
        done()
      },
    })
  const write = (text: string): boolean => ((err += text), true)
  const stderr = { isTTY: isTerminal, columns: 80, write }
  const process = Object.assign(new EventEmitter(), {
    stdin,
    stdout: Object.assign(stdout, { isTTY: isTerminal }),
    stderr,
  })
  onProcess?.(process)
  const io: CommandIo = {
    stdout: (text) => void stdout.write(text),
    stderr: (text) => void write(text),
    env,
    process: process as unknown as NodeJS.Process,
  }
  const code = await ipfs.run(args, io)
  const bytes = Buffer.concat(out)
  return { code, stdout: bytes.toString(), bytes, stderr: err }
}
