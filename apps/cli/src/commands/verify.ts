import { addressSchema, blockParameterSchema, type Hash, hashSchema, type Hex } from '@wayleave/evm-types'
import { callFlags, callFlagsHelp } from '../call/call-flags.ts'
import { openClient } from '../call/open-client.ts'
import { blockFault, readBlock } from '../call/param-flags.ts'
import { missingParam } from '../call/read-params.ts'
import { runWith } from '../call/run-with.ts'
import { type Command, UsageError } from '../command.ts'
import { readSlot } from '../storage-place.ts'
import { suggest } from '../suggest.ts'
import { jsonOf, textOf } from './verify-print.ts'
import type { Outcome } from './verify-run.ts'
import type { Asked } from './verify-subject.ts'
import { readArgs } from '../read-args.ts'

const codes: Record<Outcome['verdict'], number> = { proven: 0, consistent: 0, refused: 1, unverifiable: 3 }

/** `wayleave verify`: checks a node's answers by hashes, signatures and proofs. */
export const verify: Command = {
  help: `Usage: wayleave verify SUBJECT ARG... [options]

  tx HASH                         its hash and its sender
  block [BLOCK]                   its hash, and the roots of transactions, withdrawals and uncles
  receipts [BLOCK]                their root, logs bloom and gas
  account ADDRESS [BLOCK]         balance, nonce and code, by eth_getProof
  storage ADDRESS SLOT [BLOCK]    one slot, by eth_getProof

Prints what the node claims beside what was recomputed, and how far each member is known. A BLOCK is a number, a tag or a hash.

  --anchor HASH       a block that you vouch for: it proves itself and its ancestors, and is the BLOCK where none is given
${callFlagsHelp.replace('one line of JSON, as it came', 'one line of JSON')}

proven: nobody can make up another answer. consistent: it agrees with itself and with what was asked; without --anchor, a block by
its number or tag is no more than that. A terminal shows a table, a pipe gets a line for each member: field, standing, claimed and
recomputed, tabs between them. The last line begins with the verdict.
Exit code 0: proven or consistent; 1: refused, or no answer; 2: used wrongly; 3: nothing can be told.
`,
  async run(args, io) {
    const { values, positionals } = readArgs(args, { ...callFlags, anchor: { type: 'string' } })
    const asked = readSubject(positionals)
    const anchor = values.anchor === undefined ? undefined : readHash('--anchor', values.anchor)
    const client = openClient(values, io.env)
    return runWith(client, 'eth_getBlockByHash', values, io, async () => {
      // The code of signature curves loads slowly, so only a call of this command loads it.
      const [{ runVerify }, { subjectOf }] = await Promise.all([
        import('./verify-run.ts'),
        import('./verify-subject.ts'),
      ])
      const outcome = await runVerify(subjectOf(asked), {
        client,
        anchor,
        timeoutMs: Number(values.timeout) * 1_000,
      })
      io.stdout(values.json ? jsonOf(outcome) : textOf(outcome, io.process.stdout))
      return codes[outcome.verdict]
    })
  },
}

/** The required arguments of each subject, and how they are read. */
const readers: Readonly<
  Record<string, readonly [needed: readonly string[], read: (args: readonly string[]) => Asked]>
> = {
  tx: [['HASH'], ([hash]) => ({ kind: 'tx', hash: readHash('HASH', hash!) })],
  block: [[], ([block]) => ({ kind: 'block', block: blockOf(block) })],
  receipts: [[], ([block]) => ({ kind: 'receipts', block: blockOf(block) })],
  account: [
    ['ADDRESS'],
    ([address, block]) => ({ kind: 'account', address: readAddress(address!), block: blockOf(block) }),
  ],
  storage: [
    ['ADDRESS', 'SLOT'],
    ([address, slot, block]) => ({
      kind: 'storage',
      address: readAddress(address!),
      position: readPosition(slot!),
      block: blockOf(block),
    }),
  ],
}

function readSubject([name, ...args]: readonly string[]): Asked {
  const names = Object.keys(readers)
  if (name === undefined) throw new UsageError(`expected a SUBJECT: ${names.join(', ')}`)
  if (!Object.hasOwn(readers, name)) {
    throw new UsageError(`there is no subject "${name}"${suggest(name, names)}; there are ${names.join(', ')}`)
  }
  const [needed, read] = readers[name]!
  const missing = needed[args.length]
  if (missing !== undefined) {
    const usage = [...needed, ...(name === 'tx' ? [] : ['[BLOCK]'])].join(' ')
    throw new UsageError(`${name}: ${missingParam(missing, usage)}`)
  }
  const most = needed.length + (name === 'tx' ? 0 : 1)
  if (args.length > most) throw new UsageError(`${name}: "${args[most]}" is one argument too many`)
  return read(args)
}

function blockOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const block = readBlock(text)
  if (blockParameterSchema.check(block as Hex, '') === undefined) return block
  throw new UsageError(`BLOCK: ${blockFault(text, true)}`)
}

function readHash(name: string, text: string): Hash {
  if (hashSchema.check(text, '') === undefined) return text.toLowerCase() as Hash
  throw new UsageError(`${name}: expected ${hashSchema.expected}, got "${text}"`)
}

function readAddress(text: string): Hex {
  if (addressSchema.check(text, '') === undefined) return text as Hex
  throw new UsageError(`ADDRESS: expected ${addressSchema.expected}, got "${text}"`)
}

function readPosition(text: string): Hex {
  return `0x${BigInt(readSlot(text)).toString(16).padStart(64, '0')}`
}
