import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** A `wayleave-proxy` that is started again whenever it ends in order. */
export interface KeptProcess extends AsyncDisposable {
  /** Sends `SIGTERM`; resolves with the ms until the next one is ready. */
  restart(): Promise<number>
}

const program = fileURLToPath(new URL('../../../apps/proxy/src/main.ts', import.meta.url))

/** A shell's loop that starts the process again each time it ends well, as a service manager does: with the socket as descriptor 3, and its own id. */
const again = `while sh -c 'echo $$; LISTEN_PID=$$ exec "$@"' sh "$@"; do :; done`

/** Starts the process at a socket that `systemd-socket-activate` holds, which is of systemd; or, where `isBare`, without one. */
export async function startKept(port: number, config: object, folder: string, isBare: boolean): Promise<KeptProcess> {
  const configFile = join(folder, 'config.json')
  await writeFile(configFile, JSON.stringify(config))
  const command = [process.execPath, '--conditions=@wayleave/source', program, configFile, '--json']
  const held = ['systemd-socket-activate', '-l', `127.0.0.1:${port}`]
  const [first, ...rest] = [...(isBare ? [] : held), 'sh', '-c', again, 'sh', ...command] as [string, ...string[]]
  const child = spawn(first, rest, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const exited = once(child, 'exit')
  const end = (): void => {
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL')
  }
  process.once('exit', end)
  child.stderr.pipe(createWriteStream(join(folder, 'proxy.log')))
  let pid = 0
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  async function untilReady(): Promise<void> {
    for (;;) {
      const { value: line = '', done } = await lines.next()
      if (done === true) throw new Error(`it did not start: see ${folder}`)
      if (line.startsWith('{')) return
      pid = Number(line)
    }
  }
  // The first connection has it started.
  if (!isBare) await connectTo(port)
  await untilReady()
  return {
    async restart() {
      const began = performance.now()
      process.kill(pid, 'SIGTERM')
      await untilReady()
      return Math.round(performance.now() - began)
    },
    async [Symbol.asyncDispose]() {
      process.off('exit', end)
      end()
      await exited
    },
  }
}

async function connectTo(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isThere) return
    await sleep(20)
  }
}
