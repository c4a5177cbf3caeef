import { type Client, RpcError } from '@wayleave/client'
import { createContext, systemClock } from '@wayleave/jsonrpc-core'
import type { CommandIo } from '../command.ts'
import { type CallFlagValues, givenUrl } from './call-flags.ts'
import { openClient } from './open-client.ts'

/** Opens a client of another URL. */
type Open = (flags: CallFlagValues) => Pick<Client, 'handler' | 'close'>

/** The longest time that a command which has failed takes to learn more, in ms. */
const patienceMs = 5_000

/**
 * Runs `open`. Where no WebSocket can be opened, which tells no reason, a call is made over HTTP, and its error is thrown instead: a key
 * that is refused, a network that is not there, a port where nothing listens.
 */
export async function reportWhyNoSocket<T>(
  flags: CallFlagValues,
  env: CommandIo['env'],
  method: string,
  open: () => Promise<T>,
  openOther: Open = (other) => openClient(other, env),
): Promise<T> {
  try {
    return await open()
  } catch (thrown) {
    if (!(thrown instanceof RpcError) || thrown.code !== 'connect') throw thrown
    throw (await refusalOverHttp(flags, env, method, openOther)) ?? thrown
  }
}

async function refusalOverHttp(
  flags: CallFlagValues,
  env: CommandIo['env'],
  method: string,
  openOther: Open,
): Promise<RpcError | undefined> {
  const url = givenUrl(flags, env)
    ?.replace(/^ws/i, 'http')
    .replace(/\/ws(\/v3\/[^/]+)/, '$1')
  const context = createContext({ clock: systemClock, timeoutMs: patienceMs })
  const client = openOther({ ...flags, 'rpc-url': url })
  try {
    await client.handler({ method, params: undefined, notification: false }, context)
    return undefined
  } catch (thrown) {
    return thrown instanceof RpcError && (thrown.httpStatus !== undefined || thrown.code === 'connect')
      ? thrown
      : undefined
  } finally {
    context.release()
    await client.close()
  }
}
