import type { Page, PageQuery } from '@wayleave/admin-api'
import { useEffect, useRef, useState } from 'preact/hooks'
import { allOf } from '../api/admin.ts'
import { asConsoleError, type ConsoleError } from '../api/console-error.ts'
import { hasEnded } from '../api/ask.ts'

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
  /** Records that were put while pages come in, which may be older. */
  const put = useRef(new Map<string, T | undefined>())

  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    async function load(): Promise<void> {
      setError(undefined)
      setGrowing(true)
      put.current.clear()
      try {
        const onMore = (some: readonly T[]): void => void (!signal.aborted && setItems(withPut(some, put.current)))
        await allOf((page) => latest.current(page, signal), { most: mostItems, onMore })
      } catch (thrown) {
        if (!signal.aborted) setError(asConsoleError(thrown))
      }
      if (!signal.aborted) setGrowing(false)
    }
    void load()
    return () => controller.abort()
  }, [...inputs, turn])

  const { value: isOver } = hasEnded
  useEffect(() => {
    if (!isOver && error !== undefined) setTurn((before) => before + 1)
  }, [isOver])

  return {
    items,
    error,
    isGrowing,
    isCut: (items?.length ?? 0) >= mostItems,
    reload: () => setTurn((before) => before + 1),
    put(id, item) {
      put.current.set(id, item)
      setItems((before = []) => withPut(before, new Map([[id, item]])))
    },
  }
}

function withPut<T extends { readonly id: string }>(
  items: readonly T[],
  put: ReadonlyMap<string, T | undefined>,
): readonly T[] {
  const known = new Set(items.map(({ id }) => id))
  const changed = items.map((item) => (put.has(item.id) ? put.get(item.id) : item))
  const added = [...put].map(([id, item]) => (known.has(id) ? undefined : item))
  return [...changed, ...added].filter((item) => item !== undefined)
}
