import { array, oneOf, optional, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import type { BadBlock, PinRecord, PinVerification } from '../pin-port.ts'
import { count, exact, id, time } from './fields.ts'
import { limit, type Page, type PageQuery } from './page.ts'

/** A pin of a project. */
export interface Pin {
  readonly cid: string
  readonly type: 'recursive' | 'direct'
  /** As its caller gave it: any text. */
  readonly name?: string
  /** Bytes that count against the quota. */
  readonly bytes: number
}

/** Identity CIDs hold their content, so that they may be long. */
const cid = text('a CID', /^[A-Za-z0-9]{1,2048}$/)

export const pinQuery: Schema<PageQuery> = exact<PageQuery>('a page', { limit: optional(limit), after: optional(cid) })

export const pinPage: Schema<Page<Pin>> = exact<Page<Pin>>('a page of pins', {
  items: array(
    exact<Pin>('a pin', {
      cid,
      type: oneOf<'recursive' | 'direct'>('recursive', 'direct'),
      name: optional(text('a name')),
      bytes: count,
    }),
  ),
  next: optional(cid),
})

export const pinVerification: Schema<PinVerification> = exact<PinVerification>('a verification of pins', {
  state: oneOf<PinVerification['state']>('running', 'done', 'failed'),
  startedAt: time,
  endedAt: optional(time),
  blocks: count,
  bytes: count,
  bad: count,
  badBlocks: array(exact<BadBlock>('a block', { cid, pin: cid, projects: array(id), reason: text('why it is bad') })),
  failure: optional(text('why it failed')),
})

export function viewPin({ cid: own, type, name, bytes }: PinRecord): Pin {
  return { cid: own, type, ...(name !== undefined && { name }), bytes: Number(bytes) }
}
