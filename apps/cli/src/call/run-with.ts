import type { Client } from '@wayleave/client'
import type { CommandIo } from '../command.ts'
import type { CallFlagValues } from './call-flags.ts'
import { networkHint } from './network-hint.ts'
import { reportFailure } from './report.ts'

/** Runs a call of a method by a client, which is closed then. Reports a failure, with a hint where the network was the wrong one. */
export async function runWith(
  client: Pick<Client, 'close' | 'requestUnchecked'>,
  method: string,
  flags: CallFlagValues,
  io: CommandIo,
  run: () => Promise<number>,
): Promise<number> {
  try {
    return await reportFailure(io, flags, run, (failure) => networkHint(method, failure, flags, io.env, client))
  } finally {
    await client.close()
  }
}
