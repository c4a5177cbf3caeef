import type { Client } from '@wayleave/client'
import type { CommandIo } from '../command.ts'
import { printResult } from '../output/print-result.ts'
import { visible } from '../output/visible.ts'
import type { CallFlagValues } from './call-flags.ts'
import type { Method } from './methods.ts'
import { openClient } from './open-client.ts'
import { runWith } from './run-with.ts'

interface RunFlags extends CallFlagValues {
  /** Whether a terminal gets the length of a long list instead of its elements. */
  readonly brief?: boolean
}

/** Calls a method of the table and prints its result. Resolves with the exit code. */
export async function runMethod(
  method: Method,
  params: readonly unknown[],
  flags: RunFlags,
  io: CommandIo,
  devNetwork?: string,
): Promise<number> {
  const client = openClient(flags, io.env, devNetwork)
  return runWith(client, method.name, flags, io, () => callAndPrint(client, method, params, flags, io))
}

/** Calls a method by an open client and prints its result. Notes a malformed result on stderr. @throws RpcError */
export async function callAndPrint(
  client: Pick<Client, 'requestRaw'>,
  method: Method,
  params: unknown,
  { json: wanted, brief = false }: Pick<RunFlags, 'json' | 'brief'>,
  io: CommandIo,
): Promise<number> {
  const json = await client.requestRaw(method.name, params)
  io.stdout(printResult(method.name, json, { json: wanted, stream: io.process.stdout, brief }))
  const issue = method.result.check(JSON.parse(json), '')
  if (issue !== undefined)
    io.stderr(visible(`note: ${method.name} result${issue.path}: expected ${issue.expected}, got ${issue.received}\n`))
  return 0
}
