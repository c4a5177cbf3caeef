import { parseUnits, printQuantity } from '@wayleave/evm-types'
import { UsageError } from '../command.ts'

const decimalsOf: Readonly<Record<string, number>> = { wei: 0, gwei: 9, ether: 18 }

/** A quantity from what a person types: `21000`, `0x5208`, and with `units` also `1.5ether`, `30gwei`, `1wei`. @throws UsageError */
export function readAmount(flag: string, text: string, units: boolean): string {
  const [, number = '', unit] = /^(.+?)\s*(wei|gwei|ether)?$/.exec(text) ?? []
  try {
    if (/^0x[0-9a-f]+$/i.test(number) && unit === undefined) return printQuantity(BigInt(number))
    if (units || unit === undefined) return printQuantity(parseUnits(number, decimalsOf[unit ?? 'wei']!))
  } catch {
    // Told below in one sentence.
  }
  const forms = units ? 'wei as a number (1000, 0x3e8), or with a unit: 1.5ether, 30gwei' : 'a number: 21000 or 0x5208'
  throw new UsageError(`${flag}: expected ${forms}; got "${text}"`)
}
