import { AuthError } from '@wayleave/auth'
import { consoleFiles } from '@wayleave/console'
import {
  ConfigError,
  createLog,
  inspectConfig,
  ListenError,
  realSurroundings,
  type ReloadReport,
  startGateway,
} from '@wayleave/gateway'
import { monotonicUsec } from './defaults.ts'
import { countWorkers } from './count-workers.ts'
import { readyLine, readyText } from './ready.ts'
import { findPassedSockets } from './passed-sockets.ts'
import { createReloader, type Reload, warnOf } from './reloader.ts'
import { createServiceManager } from './service-manager.ts'
import { type ProcessEvents, runUntilStopped } from './stop.ts'
import { watchFiles } from './watch-files.ts'

/** The configuration of {@link runProxy}, and the parts of its process that it uses. */
export interface ProxyOptions {
  readonly configFile: string
  /** The version of the program, for the log. */
  readonly version?: string
  /** Whether to print one line for a program instead of text for a person. */
  readonly json: boolean
  /** Whether a change of the file, or of one that it names as `${file:…}`, is served at once. Default false: only `SIGHUP` and `POST /reload`. */
  readonly watch?: boolean
  /** Processes that serve: `auto` is one for each CPU of the control group's quota. Default 1: this one serves. */
  readonly workers?: number | 'auto'
  readonly env: Readonly<Record<string, string | undefined>>
  readonly events: ProcessEvents
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
}

/**
 * Serves a configuration file until a signal; `SIGHUP` has the file read again. Resolves with the exit code: 0 stopped, 1 failed in a way
 * that another start may not, 2 bad configuration.
 */
export async function runProxy(options: ProxyOptions): Promise<number> {
  const { configFile, events, stderr } = options
  let reload: Reload | undefined
  let isAsked = false
  const onHangUp = (): void => {
    if (reload === undefined) isAsked = true
    else void reload()
  }
  // Without a listener the signal would end the process, also while it starts.
  events.on('SIGHUP', onHangUp)
  try {
    return await serve(options, (made) => {
      reload = made
      if (isAsked) void reload()
    })
  } catch (thrown) {
    if (thrown instanceof ListenError) stderr(`${thrown.message}\n`)
    else if (thrown instanceof ConfigError) stderr(`${thrown.message}\n`)
    // A key or secret that is well formed but unusable, such as a duplicate.
    else if (thrown instanceof AuthError) stderr(`${configFile}: ${thrown.message}\n`)
    // Anything else is a bug and keeps its stack.
    else throw thrown
    return !(thrown instanceof AuthError) && thrown.isTemporary ? 1 : 2
  } finally {
    events.off('SIGHUP', onHangUp)
  }
}

async function serve(options: ProxyOptions, onReady: (reload: Reload) => void): Promise<number> {
  const { configFile, version, json, watch = false, workers = 1, env, events, stdout } = options
  const { config, problems, warnings, files } = await inspectConfig(configFile, env)
  if (config === undefined) throw new ConfigError(problems, configFile)
  const log = createLog({ level: 'info' })
  await using opened = new AsyncDisposableStack()
  opened.defer(() => log.close())
  let generation = 0
  const inspect = () => inspectConfig(configFile, env, { generation: ++generation })
  const about = { config: configFile, ...(version !== undefined && { version }) }
  const sockets = findPassedSockets(env, process.pid, config.ipfs === undefined ? ['rpc', 'admin'] : undefined)
  // A socket from elsewhere is for one process.
  const wanted = workers === 'auto' && sockets.rpc !== undefined ? 1 : workers
  const count = countWorkers(wanted, config, (why) => log.warn({ why }, 'one process serves'))
  const gateway = await startGateway(config, {
    log,
    about,
    console: { files: consoleFiles },
    reread: () => reload(),
    readConfig: inspect,
    sockets,
    workers: { count, logLevel: 'info' },
    lingerMs: 250,
  })
  // Not before, as the log then has the level of the configuration.
  warnOf(warnings, configFile, log)
  const manager = createServiceManager({
    env,
    pid: process.pid,
    clock: realSurroundings.clock,
    monotonicUsec,
    onFailure: (code) =>
      log.warn({ code }, 'NOTIFY_SOCKET is set, but systemd-notify cannot be run: the service manager is told nothing'),
  })
  opened.defer(() => manager.close())
  const watching = watch ? watchFiles({ files, onChange: () => void reload() }) : undefined
  opened.defer(() => watching?.close())
  const read = createReloader({
    configFile,
    inspect,
    apply: (next) => gateway.reload(next),
    onRead: (found) => watching?.update(found),
    log,
  })
  async function reload(): Promise<ReloadReport> {
    manager.reloading()
    return await read().finally(() => manager.ready())
  }
  const service = {
    async drain() {
      manager.stopping()
      await gateway.drain()
    },
    async close() {
      manager.stopping()
      await gateway.close()
    },
  }
  // A reader of the ready line may signal at once, so signals are handled before it is printed.
  const stopped = runUntilStopped(service, events, undefined, ['SIGINT', 'SIGTERM'])
  onReady(reload)
  manager.ready()
  stdout(json ? readyLine(gateway) : readyText(gateway, configFile, config.dataDir))
  return await stopped
}
