import type { AdminClient, BadBlock, PinVerification } from '@wayleave/admin-api'
import { systemClock } from '@wayleave/jsonrpc-core'
import { accountFlags, readNamedArgs } from '../accounts/flags.ts'
import { type Column, countOf, printRows } from '../accounts/print.ts'
import { runAccounts } from '../accounts/run-accounts.ts'
import type { CommandIo } from '../command.ts'

const { config: _config, store: _store, ...flags } = accountFlags

const columns: readonly Column<BadBlock>[] = [
  { title: 'block', cell: ({ cid }) => cid },
  { title: 'pin', cell: ({ pin }) => pin },
  { title: 'projects', cell: ({ projects }) => projects.join(', ') },
  { title: 'reason', cell: ({ reason }) => reason },
]

/** Time between two questions, in ms. */
const pauseMs = 500

/** Runs `wayleave ipfs verify`: has a gateway read all pinned content, and waits for the result. Resolves with the exit code. */
export async function verify(args: readonly string[], io: CommandIo): Promise<number> {
  const { values } = readNamedArgs(args, flags, [])
  let isWhole = false
  const code = await runAccounts({ name: 'ipfs verify', io, flags: values }, async ({ verification }) => {
    const found = await resultOf(verification)
    isWhole = found.state === 'done' && found.bad === 0
    if (values.json) return io.stdout(`${JSON.stringify(found)}\n`)
    printRows(found.badBlocks, columns, noteOf(found), io)
    if (!io.process.stdout.isTTY) io.stderr(`${noteOf(found)}\n`)
  })
  return code === 0 && !isWhole ? 1 : code
}

async function resultOf(verification: AdminClient['verification']): Promise<PinVerification> {
  for (let state = await verification.start(); ; state = await verification.get()) {
    if (state.state !== 'running') return state
    await new Promise<void>((resolve) => systemClock.after(pauseMs, resolve))
  }
}

function noteOf({ state, failure, blocks, bytes, bad, badBlocks }: PinVerification): string {
  if (state === 'failed') return `the gateway gave up after ${countOf(blocks, 'block')}: ${failure}`
  const read = `${countOf(blocks, 'block')} of pinned content read, ${bytes.toLocaleString('en-US')} bytes`
  if (bad === 0) return `${read}: all whole`
  const first = bad > badBlocks.length ? `, of which the first ${badBlocks.length} are listed` : ''
  return `${read}: ${bad} missing or broken${first}. Add their content again, which repairs it, or unpin it`
}
