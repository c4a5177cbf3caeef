import { isRecord } from './refusal.ts'
import { depositType, hashedMembers } from './transaction-members.ts'
import type { FieldReport, FieldStanding } from './verdict.ts'

/** What holds beyond the members that a transaction's type hashes. */
export interface TransactionStandings {
  readonly type: number
  /** Of what the hash covers: `proven` where the hash itself is known to be right. */
  readonly contents: 'proven' | 'consistent'
  /** Members of the answer that were compared with what is known otherwise. */
  readonly compared: readonly string[]
  /** Whether `v` names the chain, which a legacy transaction signs nowhere else. */
  readonly bindsChain: boolean
}

/** Members of list entries that are hashed with them. */
const entryMembers: Readonly<Record<string, readonly string[]>> = {
  accessList: ['address', 'storageKeys'],
  authorizationList: ['chainId', 'address', 'nonce', 'yParity', 'r', 's'],
}
const signatureMembers = ['v', 'r', 's', 'yParity']

/** The report on a transaction that nothing is wrong with. A null tells nothing, but for `to`. */
export function transactionReport(tx: object, standings: TransactionStandings): FieldReport {
  const covered = coveredMembers(standings)
  const report: Record<string, FieldStanding> = {}
  for (const [name, value] of Object.entries(tx)) {
    if (value == null && name !== 'to') report[name] = 'unverifiable'
    else if (covered.has(name)) report[name] = standings.contents
    else if (standings.compared.includes(name)) report[name] = 'consistent'
    else if (standings.type === depositType && signatureMembers.includes(name)) report[name] = 'consistent'
    else report[name] = 'unverifiable'
    if (Object.hasOwn(entryMembers, name)) reportEntries(report, name, value)
  }
  return report
}

/** The report on a transaction whose hash cannot be taken. */
export function unverifiableReport(tx: object, compared: readonly string[]): FieldReport {
  return Object.fromEntries(
    Object.keys(tx).map((name): [string, FieldStanding] => [
      name,
      compared.includes(name) ? 'consistent' : 'unverifiable',
    ]),
  )
}

function coveredMembers({ type, bindsChain }: TransactionStandings): ReadonlySet<string> {
  const names = new Set<string>(['type', 'hash', 'from'])
  for (const [name] of hashedMembers.get(type) ?? []) names.add(name)
  if (type !== depositType) for (const name of signatureMembers) names.add(name)
  if (bindsChain) names.add('chainId')
  return names
}

/** Of a list that its type does not hash, too: other transactions of a block may tell more of theirs. */
function reportEntries(report: Record<string, FieldStanding>, name: string, list: unknown): void {
  if (!Array.isArray(list)) return
  const known = entryMembers[name]!
  for (const entry of list.filter(isRecord)) {
    for (const member of Object.keys(entry)) {
      report[`${name}.*.${member}`] = known.includes(member) ? report[name]! : 'unverifiable'
    }
  }
}
