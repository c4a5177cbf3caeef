import { array, integer, optional, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import { exact } from './fields.ts'

/** A list. */
export interface Items<T> {
  readonly items: readonly T[]
}

/** One page of a list. */
export interface Page<T> extends Items<T> {
  /** The `after` of the next page; absent if this is the last. The page that it leads to may be empty. */
  readonly next?: string
}

/** The part of a list to give. */
export interface PageQuery {
  /** The most items, 1 to 1,000. Default 100. */
  readonly limit?: number
  /** The `next` of the page before. */
  readonly after?: string
}

export const defaultLimit = 100
const mostInPage = 1_000

export const limit: Schema<number> = integer(`a whole number from 1 to ${mostInPage}`, 1, mostInPage)
const after: Schema<string> = text('the "next" of the page before', /^[\w.:-]{1,140}$/)

export const pageQuery: Schema<PageQuery> = exact<PageQuery>('a page', {
  limit: optional(limit),
  after: optional(after),
})

export function itemsOf<T>(expected: string, item: Schema<T>): Schema<Items<T>> {
  return exact<Items<T>>(expected, { items: array(item) })
}

export function pageOf<T>(expected: string, item: Schema<T>): Schema<Page<T>> {
  return exact<Page<T>>(expected, { items: array(item), next: optional(after) } as never)
}
