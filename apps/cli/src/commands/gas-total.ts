import { styleText } from 'node:util'
import { estimateTotalFee } from '@wayleave/client/gas'
import { ethFromWei, type LevelTotal, printTotalFee, type TotalFee } from '@wayleave/gas-fees'
import { callOfFlags } from '../call/param-flags.ts'
import { readSigned } from '../call/read-short.ts'
import { type CommandIo, UsageError } from '../command.ts'
import { printResult } from '../output/print-result.ts'
import type { ValuesOf } from '../read-args.ts'
import { coinOf } from './coins.ts'
import { type Level, onePoint } from './gas-table.ts'

/** Flags that name a transaction, whose total is told instead of fees. */
export const totalFlags = {
  to: { type: 'string' },
  from: { type: 'string' },
  data: { type: 'string' },
  value: { type: 'string' },
  gas: { type: 'string' },
  nonce: { type: 'string' },
  signed: { type: 'string' },
} as const

/** Reads the transaction that the flags name; undefined where they name none. @throws UsageError */
export async function readTransaction(
  { signed, to, from, data, value, gas, nonce }: ValuesOf<typeof totalFlags>,
  io: CommandIo,
): Promise<Readonly<Record<string, string>> | string | undefined> {
  const call = callOfFlags({ to, from, data, value, gas, nonce })
  const [first] = Object.keys(call)
  if (signed === undefined) return first === undefined ? undefined : call
  if (first !== undefined) throw new UsageError(`--${first}: a signed transaction has its own`)
  return readSigned(signed, io)
}

/** Prints the total of a transaction: a table in a terminal, plain lines in a pipe, or JSON. */
export async function printTotal(
  client: Parameters<typeof estimateTotalFee>[0],
  transaction: Readonly<Record<string, string>> | string,
  { json, shown }: { readonly json: boolean; readonly shown: readonly Level[] },
  io: CommandIo,
): Promise<void> {
  const fee = only(await estimateTotalFee(client, transaction), shown)
  const stream = io.process.stdout
  if (json || !stream.isTTY) io.stdout(printResult('totalFee', printTotalFee(fee), { json, stream }))
  else {
    const chainId = await client.requestUnchecked('eth_chainId', []).catch(() => undefined)
    io.stdout(`${totalTable(fee, coinOf(chainId), stream).join('\n')}\n`)
  }
}

/** Copies a total without the levels that were not asked for. */
function only(fee: TotalFee, shown: readonly Level[]): TotalFee {
  const isLeftOut = (name: string): boolean => /^(?:low|medium|high)$/.test(name) && !shown.includes(name as Level)
  return Object.fromEntries(Object.entries(fee).filter(([name]) => !isLeftOut(name))) as TotalFee
}

const titles = ['total', 'execution', 'data', 'at most'] as const
const rollups = { op: 'OP stack', arbitrum: 'Arbitrum', linea: 'Linea', zksync: 'zkSync' } as const

/** Prints a total as the lines of a table, in the coin of the chain. */
export function totalTable(
  { gasLimit, rollup, dataFee, operatorFee, ...rest }: TotalFee,
  coin: string,
  stream: NodeJS.WriteStream,
): readonly string[] {
  const { wayleave: _, ...costs } = rest as { readonly wayleave?: unknown }
  const rows = Object.entries(costs as Readonly<Record<string, LevelTotal>>)
  const amounts = rows.map(([, { total, executionFee, atMost }]) =>
    [total, executionFee, dataFee, atMost].map(ethFromWei),
  )
  const columns = titles.map((title, i) =>
    onePoint(
      amounts.map((row) => row[i]!),
      title.length,
    ),
  )
  const faint = (text: string): string => styleText('dim', text, { stream })
  const line = (label: string, cells: readonly string[]): string =>
    `  ${label.padEnd(10)}  ${cells.join('  ')}`.trimEnd()
  return [
    faint(
      line(
        coin,
        titles.map((title, i) => title.padEnd(columns[i]![0]!.length)),
      ),
    ),
    ...rows.map(([level], i) =>
      line(
        level,
        columns.map((column) => column[i]!),
      ),
    ),
    '',
    `  ${styleText('bold', 'gas limit'.padEnd(12), { stream })}${gasLimit}`,
    ...(operatorFee === 0n
      ? []
      : [`  ${styleText('bold', 'operator'.padEnd(12), { stream })}${ethFromWei(operatorFee)}`]),
    ...(rollup === undefined ? [] : [`  ${styleText('bold', 'rollup'.padEnd(12), { stream })}${rollups[rollup]}`]),
  ]
}
