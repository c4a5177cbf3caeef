import { RpcError } from '@wayleave/client'
import { type StarknetVersion, versionOfPath } from '@wayleave/starknet-types'
import type { CommandIo } from '../command.ts'
import { networkHint } from './network-hint.ts'
import { openStarknet } from './open-starknet.ts'
import { reportFailure } from './report.ts'
import { findSubscription, readVersion, type StarknetSubscription, subscriptionIn } from './starknet-methods.ts'
import { readStarknetParams, type StarknetFlags } from './starknet-params.ts'
import { readCount, streamEvents } from './stream-events.ts'
import { untilStopped } from './until-stopped.ts'
import { reportWhyNoSocket } from './why-no-socket.ts'

/** Runs `wayleave starknet subscribe KIND`, which prints a line for each event. Resolves with the exit code. */
export async function runStarknetSubscribe(
  [kind, ...texts]: readonly string[],
  flags: StarknetFlags,
  io: CommandIo,
): Promise<number> {
  const count = readCount(flags.count)
  const wanted = flags['spec-version'] === undefined ? undefined : readVersion(flags['spec-version'])
  const first = findSubscription(kind, wanted)
  const params = await readStarknetParams(first.method, texts, flags, io, flags.unchecked)

  /** Opens it in a version; in the one that the nodes of a gateway speak, if that is another and nobody asked for one. */
  async function open({ method, version }: StarknetSubscription, asked: unknown, signal: AbortSignal): Promise<number> {
    const { client } = openStarknet(flags, io.env, version)
    try {
      const subscribing = { method: method.name, params: asked, isNamed: true }
      return await streamEvents(client.handler, subscribing, { ...flags, count }, io, signal)
    } catch (thrown) {
      // Once: a gateway could name a version after another.
      const spoken = wanted === undefined && version === first.version ? versionReportedBy(thrown) : undefined
      const next = spoken === undefined || spoken === version ? undefined : subscriptionIn(kind!, spoken)
      if (next === undefined) throw thrown
      return await open(next, await readStarknetParams(next.method, texts, flags, io, flags.unchecked), signal)
    } finally {
      await client.close()
    }
  }

  return untilStopped(io, (signal) =>
    reportFailure(
      io,
      flags,
      () =>
        reportWhyNoSocket(
          flags,
          io.env,
          'starknet_chainId',
          () => open(first, params, signal),
          (other) => openStarknet(other, io.env, first.version).client,
        ),
      async (failure) => versionHint(failure) ?? (await networkHint(first.method.name, failure, flags, io.env)),
    ),
  )
}

/** The version that a gateway names where its nodes speak another one than was asked for. */
function versionReportedBy(thrown: unknown): StarknetVersion | undefined {
  if (!(thrown instanceof RpcError)) return undefined
  const { path } = (thrown.rpc?.data ?? {}) as { readonly path?: unknown }
  return typeof path === 'string' ? versionOfPath(path.replace(/^\/rpc\//, '')) : undefined
}

function versionHint(failure: RpcError): string | undefined {
  const version = versionReportedBy(failure)
  return version === undefined ? undefined : `--spec-version ${version} speaks it`
}
