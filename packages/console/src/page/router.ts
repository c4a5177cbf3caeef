import { computed, type ReadonlySignal, signal, type Signal } from '@preact/signals'

const base = '/console/'

interface Place {
  readonly page: string
  readonly query: URLSearchParams
}

const place: Signal<Place> = signal(readPlace())
addEventListener('popstate', () => (place.value = readPlace()))

function readPlace(): Place {
  const page = location.pathname.startsWith(base) ? location.pathname.slice(base.length).replace(/\/+$/, '') : ''
  return { page: page === '' ? 'overview' : page, query: new URLSearchParams(location.search) }
}

/** The name of the page, such as `networks`. */
export const page: ReadonlySignal<string> = computed(() => place.value.page)

/** The query of the address. */
export const query: ReadonlySignal<URLSearchParams> = computed(() => place.value.query)

/** Prints the address of a page. */
export function hrefOf(to: string, parameters: Readonly<Record<string, string | undefined>> = {}): string {
  const set = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return base + to + (set.length === 0 ? '' : `?${new URLSearchParams(set).toString()}`)
}

/** Goes to an address of this page. */
export function navigate(href: string, { replace = false }: { replace?: boolean } = {}): void {
  if (href === location.pathname + location.search) return
  if (replace) history.replaceState(null, '', href)
  else history.pushState(null, '', href)
  const before = place.value.page
  place.value = readPlace()
  if (place.value.page !== before) scrollTo(0, 0)
}

/** Sets parameters of the address, undefined takes one away; the rest stays. */
export function setQuery(
  parameters: Readonly<Record<string, string | undefined>>,
  options?: { replace?: boolean },
): void {
  const next = Object.fromEntries(query.value)
  navigate(hrefOf(place.value.page, { ...next, ...parameters }), options)
}

/** Follows a link within the page without loading it anew; all other clicks are left to the browser. */
export function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link === null || link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return
  if (!link.pathname.startsWith(base)) return
  event.preventDefault()
  navigate(link.pathname + link.search)
}
