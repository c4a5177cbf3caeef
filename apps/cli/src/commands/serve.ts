import { type Command, UsageError } from '../command.ts'
import { defaultConfig } from '../config/default-config.ts'
import { ownVersion } from '../own-version.ts'
import { homeDataDir, homePorts } from '../serve/home-flags.ts'
import { readFlags, textFlags } from '../read-args.ts'

/** `wayleave serve`: serves the networks of a configuration file, or the nodes that it is given. */
export const serve: Command = {
  help: `Usage: wayleave serve --upstream URL [--upstream URL …] [options]
       wayleave serve [--config FILE] [--workers N|auto] [--watch] [--json]

Without a file: asks each node for its chain, makes a key and keeps it, and prints a URL to use.

  --upstream URL    a node (http, https, ws, wss): EVM, rollup or Starknet. Those of one chain stand in for each other; those
                    of several chains become a network each, the first of which is the default
  --port N          JSON-RPC over HTTP and WebSocket; default ${homePorts.rpc}, beside the ports of a node
  --host ADDRESS    default 127.0.0.1, which only this machine reaches; 0.0.0.0 is reached from everywhere
  --public-url URL  the address of a proxy with a certificate before it, such as https://node.example.org
  --admin-port N    health and metrics, on 127.0.0.1; default ${homePorts.admin}
  --data-dir DIR    where the key, usage and fees are kept; default ${homeDataDir}
  --workers N       as below
  --json            print one JSON line when ready, instead of text

From a file:

  --config FILE     .ts, .js, .yaml or .json; \${NAME} is read from the environment, and
                    \${file:PATH} from a file beside it; default: wayleave.config.ts, .yaml, .yml or .json in this folder
  --watch           serves each change of FILE and of these files at once
  --workers N       processes that serve; auto is one for each CPU of the control group's quota, else of the machine; default 1
  --json            print one JSON line when ready, instead of text

SIGTERM lets calls in flight finish, with --config after shutdown.delayMs, then exits 0. With --config, SIGHUP, or POST /reload of the
admin listener, has FILE read again: calls, sockets and subscriptions go on. Logs go to stderr.
`,
  async run(args, io) {
    const values = readFlags(args, {
      config: { type: 'string' },
      watch: { type: 'boolean', default: false },
      workers: { type: 'string', default: '1' },
      upstream: { type: 'string', multiple: true },
      ...textFlags('host', 'port', 'admin-port', 'data-dir', 'public-url'),
      json: { type: 'boolean', default: false },
    })
    const { config, upstream, watch, json, workers: wanted, ...home } = values
    // The gateway loads when it is to run.
    const { mostWorkers, readWorkers, runProxy } = await import('@wayleave/proxy')
    const workers = readWorkers(wanted)
    if (workers === undefined) {
      throw new UsageError(`--workers: expected a number from 1 to ${mostWorkers}, or auto, got "${wanted}"`)
    }
    if (upstream !== undefined) {
      if (config !== undefined) throw new UsageError('expected --config FILE or --upstream URL, got both')
      if (watch) throw new UsageError('expected no --watch beside --upstream: there is no file to watch')
      return (await import('../serve/serve-home.ts')).serveHome({ upstream, json, workers, ...home }, io)
    }
    const [stray] = Object.keys(home)
    if (stray !== undefined) throw new UsageError(`--${stray} goes with --upstream; a file has listen and dataDir`)
    const configFile = config ?? (await defaultConfig())
    const { stdout, stderr, env, process } = io
    return runProxy({ configFile, version: ownVersion(), json, watch, workers, env, events: process, stdout, stderr })
  },
}
