import { useEffect, useRef, useState } from 'preact/hooks'
import { asConsoleError, type ConsoleError } from '../api/console-error.ts'
import { browser } from '../defaults.ts'
import { hasEnded } from '../api/ask.ts'

/** Something that is loaded. The value of before stays while a new one is on its way, and one of the same inputs where that fails. */
export interface Loaded<T> {
  readonly value: T | undefined
  readonly error: ConsoleError | undefined
  /** Whether the value is one of other inputs, or there is none yet. */
  readonly isLoading: boolean
  reload(): Promise<void>
}

interface State<T> {
  readonly value?: T | undefined
  readonly error?: ConsoleError | undefined
  readonly isLoading: boolean
}

/** Loads a value, anew whenever the inputs change and every `everyMs` while the page is seen; what failed, also after signing in again. */
export function useLoad<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  everyMs?: number,
): Loaded<T> {
  const [state, setState] = useState<State<T>>({ isLoading: true })
  const latest = useRef({ load, again: async (): Promise<void> => undefined })
  latest.current.load = load

  useEffect(() => {
    const controller = new AbortController()
    let cancel: (() => void) | undefined
    let isRunning = false
    let isWantedAgain = false
    let value: T | undefined

    async function loadOnce(): Promise<void> {
      let error: ConsoleError | undefined
      isWantedAgain = false
      try {
        value = await latest.current.load(controller.signal)
      } catch (thrown) {
        error = asConsoleError(thrown)
      }
      if (!controller.signal.aborted) setState({ value, error, isLoading: false })
    }

    async function run(): Promise<void> {
      isWantedAgain = true
      if (isRunning) return
      isRunning = true
      cancel?.()
      while (isWantedAgain && !controller.signal.aborted) await loadOnce()
      isRunning = false
      if (everyMs !== undefined && !controller.signal.aborted && !document.hidden) cancel = browser.after(everyMs, run)
    }
    const onSeen = (): void => void (everyMs !== undefined && !document.hidden && run())

    latest.current.again = run
    setState((before) => (before.isLoading ? before : { ...before, isLoading: true }))
    document.addEventListener('visibilitychange', onSeen)
    void run()
    return () => {
      controller.abort()
      cancel?.()
      document.removeEventListener('visibilitychange', onSeen)
    }
  }, [...inputs, everyMs])

  const { value: isOver } = hasEnded
  useEffect(() => {
    if (!isOver && state.error !== undefined) void latest.current.again()
  }, [isOver])

  return { value: state.value, error: state.error, isLoading: state.isLoading, reload: () => latest.current.again() }
}
