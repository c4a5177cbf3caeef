import type { SubscriptionParams } from '@wayleave/client'
import { type CommandIo, UsageError } from '../command.ts'
import { suggest } from '../suggest.ts'
import type { CallFlagValues } from './call-flags.ts'
import { methodNamed } from './methods.ts'
import { openClient } from './open-client.ts'
import { type ParamFlagValues, subscriptionFilterOf } from './param-flags.ts'
import { readValue } from './read-params.ts'
import { runWith } from './run-with.ts'
import { readCount, streamEvents } from './stream-events.ts'
import { untilStopped } from './until-stopped.ts'
import { reportWhyNoSocket } from './why-no-socket.ts'

const kinds = ['newHeads', 'logs', 'transactionReceipts', 'newPendingTransactions', 'syncing']

interface SubscribeFlags extends CallFlagValues, ParamFlagValues {
  readonly count?: string | undefined
}

/** Runs `wayleave eth subscribe`, which prints a line for each event. Resolves with the exit code. */
export async function runSubscribe(texts: readonly string[], flags: SubscribeFlags, io: CommandIo): Promise<number> {
  const count = readCount(flags.count)
  const params = readSubscription(texts, flags)
  const client = openClient(flags, io.env)
  return untilStopped(io, (signal) =>
    runWith(client, 'eth_subscribe', flags, io, () =>
      reportWhyNoSocket(flags, io.env, 'eth_chainId', () =>
        streamEvents(client.handler, { method: 'eth_subscribe', params }, { ...flags, count }, io, signal),
      ),
    ),
  )
}

function readSubscription([kind, ...rest]: readonly string[], flags: ParamFlagValues): SubscriptionParams {
  if (kind === undefined) throw new UsageError(`expected a kind: ${kinds.join(', ')}`)
  if (!kinds.includes(kind)) {
    throw new UsageError(`there is no subscription to "${kind}"${suggest(kind, kinds)}; there are ${kinds.join(', ')}`)
  }
  const params = [kind, ...rest.map((text) => readValue(text))]
  const filter = subscriptionFilterOf(kind, flags)
  if (filter !== undefined && rest.length === 0) params.push(filter)
  else if (filter !== undefined && Object.keys(filter).length > 0)
    throw new UsageError('the filter came twice: by flags and as JSON')
  const issue = methodNamed('eth_subscribe')!.params.check(params, '')
  if (issue !== undefined)
    throw new UsageError(`params${issue.path}: expected ${issue.expected}, got ${issue.received}`)
  return params as unknown as SubscriptionParams
}
