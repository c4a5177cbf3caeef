import { effect, signal, type Signal } from '@preact/signals'
import { browser } from './defaults.ts'

export type Theme = 'system' | 'light' | 'dark'

const kept = browser.read('theme')
/** The chosen theme; it is remembered. */
export const theme: Signal<Theme> = signal(kept === 'light' || kept === 'dark' ? kept : 'system')

/** Grows with each change of colours, also by the system, for what draws by itself. */
export const paint: Signal<number> = signal(0)

effect(() => {
  const { dataset } = document.documentElement
  if (theme.value === 'system') delete dataset['theme']
  else dataset['theme'] = theme.value
  browser.keep('theme', theme.value === 'system' ? undefined : theme.value)
  paint.value = paint.peek() + 1
})
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => (paint.value += 1))

/** Reads the present value of a custom colour property, such as `--accent`, as a colour that a canvas takes. */
export function colourOf(name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
