import { RpcError } from '@wayleave/client'
import { createContext, systemClock } from '@wayleave/jsonrpc-core'
import type { CommandIo } from '../command.ts'
import { fromEnv } from '../from-env.ts'
import { type CallFlagValues, openClient } from './open-client.ts'

/** The longest time that a command which has failed takes to learn more, in ms. */
const patienceMs = 5_000

/**
 * Runs `open`. Where no WebSocket can be opened, which tells no status, a call is made over HTTP, and an error with its status is thrown
 * instead: a key that is refused, a network that is not there.
 */
export async function tellWhyNoSocket<T>(
  flags: CallFlagValues,
  env: CommandIo['env'],
  method: string,
  open: () => Promise<T>,
): Promise<T> {
  try {
    return await open()
  } catch (thrown) {
    if (!(thrown instanceof RpcError) || thrown.code !== 'connect') throw thrown
    throw (await refusalOverHttp(flags, env, method)) ?? thrown
  }
}

async function refusalOverHttp(
  flags: CallFlagValues,
  env: CommandIo['env'],
  method: string,
): Promise<RpcError | undefined> {
  const given = flags['rpc-url'] ?? fromEnv(env, 'WAYLEAVE_RPC_URL')
  const url = given?.replace(/^ws/i, 'http').replace(/\/ws(\/v3\/[^/]+)/, '$1')
  const context = createContext({ clock: systemClock, timeoutMs: patienceMs })
  const client = openClient({ ...flags, 'rpc-url': url }, env)
  try {
    await client.handler({ method, params: undefined, notification: false }, context)
    return undefined
  } catch (thrown) {
    return thrown instanceof RpcError && thrown.httpStatus !== undefined ? thrown : undefined
  } finally {
    context.release()
    await client.close()
  }
}
