import { adaptBlock } from './block.ts'
import { adaptEvent, adaptMessageStatus, adaptStateUpdate, adaptStatus } from './entries.ts'
import { adaptFee } from './fee.ts'
import { leaveOut, type Shape } from './later.ts'
import { type Adapter, isMembers } from './members.ts'
import { adaptReceipt } from './receipt.ts'
import { adaptTrace } from './trace.ts'
import { adaptTransaction } from './transaction.ts'
import { instead, type Pair, untranslatable } from './untranslatable.ts'

/** Parsed JSON to parsed JSON; the same value where nothing changes. @throws UntranslatableError */
export type Convert = (value: unknown) => unknown

/** Places in an answer of the things that versions say differently. */
export interface Layout {
  readonly shape?: Shape
  readonly members?: Readonly<Record<string, Layout>>
  readonly each?: Layout
}

const shapes: Readonly<Record<Shape, (pair: Pair) => Adapter>> = {
  block: adaptBlock,
  blockReceipt: (pair) => adaptReceipt(pair, true),
  event: adaptEvent,
  fee: adaptFee,
  messageStatus: adaptMessageStatus,
  receipt: (pair) => adaptReceipt(pair, false),
  stateUpdate: adaptStateUpdate,
  status: adaptStatus,
  trace: adaptTrace,
  transaction: adaptTransaction,
}

/** Makes the function that adapts the answers of a method; undefined where they pass. @throws UntranslatableError where no answer can be given */
export function converterOf(pair: Pair, method: string, layout: Layout | undefined): Convert | undefined {
  if (layout === undefined) return undefined
  const { shape, each, members = {} } = layout
  const inner = each === undefined ? undefined : converterOf(pair, method, each)
  if (inner !== undefined) return (value) => (Array.isArray(value) ? mapSame(value, inner) : value)
  const adapter: Adapter = shape === undefined ? undefined : shapes[shape](pair)
  if (typeof adapter === 'object')
    throw untranslatable(
      pair,
      `${method} of ${pair.endpoint} does not tell ${adapter.lacks}, which ${pair.caller} requires: ${instead(pair)}`,
    )
  const leave = shape === undefined ? undefined : leaveOut(pair, shape)
  const parts = Object.entries(members).flatMap(([name, part]) => {
    const convert = converterOf(pair, method, part)
    return convert === undefined ? [] : [{ name, convert }]
  })
  if (adapter === undefined && leave === undefined && parts.length === 0) return undefined
  return (value) => {
    if (!isMembers(value)) return value
    let adapted = value
    for (const { name, convert } of parts) {
      const part = convert(value[name])
      if (part !== value[name]) adapted = { ...adapted, [name]: part }
    }
    if (adapter !== undefined) adapted = adapter(adapted)
    return leave === undefined ? adapted : leave(adapted)
  }
}

function mapSame(values: readonly unknown[], convert: Convert): readonly unknown[] {
  const mapped = values.map(convert)
  return mapped.some((value, i) => value !== values[i]) ? mapped : values
}
