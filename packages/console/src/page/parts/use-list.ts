import type { Page, PageQuery } from '@wayleave/admin-api'
import { useEffect, useRef, useState } from 'preact/hooks'
import { allOf } from '../api/admin.ts'
import { asConsoleError, type ConsoleError } from '../api/console-error.ts'

/** The most items that the page keeps of a list. */
const mostItems = 20_000

/** A whole list that is loaded page by page; what has come is shown meanwhile. */
export interface List<T> {
  readonly items: readonly T[] | undefined
  readonly error: ConsoleError | undefined
  readonly isGrowing: boolean
  /** Whether there are more than the page keeps. */
  readonly isCut: boolean
  reload(): void
  /** Puts a changed item into its place, a new one at the end; undefined takes it out. */
  put(id: string, item: T | undefined): void
}

/** Loads a list of records with ids. */
export function useList<T extends { readonly id: string }>(
  read: (page: PageQuery, signal: AbortSignal) => Promise<Page<T>>,
  inputs: readonly unknown[],
): List<T> {
  const [items, setItems] = useState<readonly T[] | undefined>()
  const [error, setError] = useState<ConsoleError | undefined>()
  const [isGrowing, setGrowing] = useState(true)
  const [turn, setTurn] = useState(0)
  const latest = useRef(read)
  latest.current = read

  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    async function load(): Promise<void> {
      setError(undefined)
      setGrowing(true)
      try {
        const onMore = (some: readonly T[]): void => void (!signal.aborted && setItems([...some]))
        await allOf((page) => latest.current(page, signal), { most: mostItems, onMore })
      } catch (thrown) {
        if (!signal.aborted) setError(asConsoleError(thrown))
      }
      if (!signal.aborted) setGrowing(false)
    }
    void load()
    return () => controller.abort()
  }, [...inputs, turn])

  return {
    items,
    error,
    isGrowing,
    isCut: (items?.length ?? 0) >= mostItems,
    reload: () => setTurn(turn + 1),
    put(id, item) {
      setItems((before = []) => {
        if (item === undefined) return before.filter((each) => each.id !== id)
        const isThere = before.some((each) => each.id === id)
        return isThere ? before.map((each) => (each.id === id ? item : each)) : [...before, item]
      })
    },
  }
}
