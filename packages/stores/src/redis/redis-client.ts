import { createHash } from 'node:crypto'
import { StoresError } from '../error.ts'

/** An atomic script. It touches only the keys that it is given, so it runs on a Redis Cluster where these share a hash tag. */
export interface RedisScript {
  readonly source: string
  readonly digest: string
}

export function defineScript(source: string): RedisScript {
  // Redis names scripts by their SHA-1.
  return { source, digest: createHash('sha1').update(source).digest('hex') }
}

/** An open connection. It does not reconnect; it ends once. */
export interface RedisClient {
  run(script: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>
  /** Sends a command that concerns one key. Texts of the answer are bytes. Rejects with what the library throws, at the latest when destroyed. */
  send(key: string, args: readonly (string | Buffer)[]): Promise<unknown>
  destroy(): void
}

/** The part of `@redis/client` in use: its own types take long to check. */
interface Library {
  createClient(options: object): LibraryClient
  createCluster(options: object): LibraryCluster
}

interface LibraryBase {
  on(event: string, listener: (thrown: unknown) => void): void
  connect(): Promise<unknown>
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>
  destroy(): void
}

interface LibraryClient extends LibraryBase {
  duplicate(): LibraryClient
  sendCommand(args: readonly (string | Buffer)[], options?: object): Promise<unknown>
}

interface LibraryCluster extends LibraryBase {
  sendCommand(key: string, isReadonly: boolean, args: readonly (string | Buffer)[], options?: object): Promise<unknown>
}

/** Events of a connection while it is open. */
export interface RedisEvents {
  onMessage(message: string): void
  onLost(thrown: unknown): void
}

const mostWaiting = 10_000
/** Has the library give strings of binary content as they are: 36 is their sign, `$`. */
const asBytes = { typeMapping: { 36: Buffer } }

/** Connects, and subscribes to the channel if there is one. Rejects with what the library throws. */
export async function openRedisClient(
  urls: readonly string[],
  isCluster: boolean,
  channel: string | undefined,
  { onMessage, onLost }: RedisEvents,
  connectMs: number,
): Promise<RedisClient> {
  const library = (await import('@redis/client')) as unknown as Library
  const socket = { connectTimeout: connectMs, reconnectStrategy: false }
  const common = { socket, disableOfflineQueue: true, commandsQueueMaxLength: mostWaiting }
  const opened: LibraryBase[] = []
  const destroy = (): void => {
    for (const each of opened) {
      try {
        each.destroy()
      } catch {
        // The client had ended by itself.
      }
    }
  }
  const open = async <T extends LibraryBase>(client: T): Promise<T> => {
    // Unheard, its errors would end the process.
    client.on('error', onLost)
    client.on('end', onLost)
    opened.push(client)
    await client.connect()
    return client
  }
  try {
    if (isCluster) {
      const cluster = await open(library.createCluster(clusterOptions(urls, connectMs)))
      if (channel !== undefined) await cluster.subscribe(channel, onMessage)
      return {
        run: runWith((key, args) => cluster.sendCommand(key, false, args)),
        send: (key, args) => cluster.sendCommand(key, false, args, asBytes),
        destroy,
      }
    }
    const client = await open(library.createClient({ url: urls[0], ...common }))
    if (channel !== undefined) {
      const subscriber = await open(client.duplicate())
      await subscriber.subscribe(channel, onMessage)
    }
    return {
      run: runWith((_, args) => client.sendCommand(args)),
      send: (_, args) => client.sendCommand(args, asBytes),
      destroy,
    }
  } catch (thrown) {
    destroy()
    throw thrown
  }
}

/** Options of the library. User, password and TLS hold for the nodes that a cluster names itself, too. */
export function clusterOptions(
  urls: readonly string[],
  connectMs: number,
): { readonly rootNodes: readonly object[]; readonly defaults: object } {
  const { username, password, protocol } = new URL(urls[0]!)
  const defaults = {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    // The nodes of a cluster come and go; those that are gone are found anew by the library.
    socket: { connectTimeout: connectMs, ...(protocol === 'rediss:' ? { tls: true } : {}) },
    disableOfflineQueue: true,
    commandsQueueMaxLength: mostWaiting,
  }
  return { rootNodes: urls.map((url) => ({ url })), defaults }
}

function runWith(send: (key: string, args: readonly string[]) => Promise<unknown>): RedisClient['run'] {
  return async ({ source, digest }, keys, args) => {
    const rest = [String(keys.length), ...keys, ...args.map(String)]
    try {
      return await send(keys[0]!, ['EVALSHA', digest, ...rest])
    } catch (thrown) {
      // A server that was restarted has forgotten its scripts; nothing was done.
      if (!(thrown instanceof Error) || !thrown.message.startsWith('NOSCRIPT')) throw thrown
      return send(keys[0]!, ['EVAL', source, ...rest])
    }
  }
}

/** Turns an error of the library into ours: without user, password or keys. */
export function explainRedis(thrown: unknown, where: string): StoresError {
  if (thrown instanceof StoresError) return thrown
  const message = thrown instanceof Error ? thrown.message : ''
  const [word = ''] = /^[A-Z]{3,}/.exec(message) ?? []
  const unavailable = (reason: string, fault: StoresError['fault'] & string): StoresError =>
    new StoresError('unavailable', `${where} ${reason}`, { fault })
  if (['WRONGPASS', 'NOAUTH', 'NOPERM'].includes(word)) {
    return unavailable(`refused the user, the password or a command (${word})`, 'refused')
  }
  if (word === 'OOM') return unavailable('has no memory left: raise maxmemory', 'full')
  if (word === 'READONLY') return unavailable('takes no writes: name its primary', 'read_only')
  if (word === 'MISCONF') return unavailable('takes no writes, as it cannot save them', 'full')
  if (['LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'TRYAGAIN'].includes(word)) {
    return unavailable(`is not ready (${word})`, 'unreachable')
  }
  // An answer of Redis; anything else comes from the connection.
  if (word === 'ERR') return unavailable('refused a command: Redis 6.2 or later is needed', 'failed')
  return unavailable('cannot be reached', 'unreachable')
}
