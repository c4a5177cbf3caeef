import type { JSX } from 'preact'

const paths = {
  overview: 'M2.5 13.5h11M4.5 11V8M8 11V3M11.5 11V6',
  networks:
    'M8 6v2.5M8 8.5 4.6 10.8M8 8.5l3.4 2.3M9.5 4.3a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0ZM5 12a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0ZM14 12a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0Z',
  projects: 'M9.3 6.7a3.2 3.2 0 1 1-2.5-2.5M8.5 8 14 2.5M11.5 5l1.5 1.5',
  inspector: 'M2.5 4h11M2.5 8h7M2.5 12h4M13.2 13.2l-1.5-1.5M12 10a2 2 0 1 1-4 0 2 2 0 0 1 4 0Z',
  gas: 'M3 13.5v-10a1 1 0 0 1 1-1h4a1 1 0 0 1 1 1v10M2 13.5h8M3 7.5h6M9 8.5h1.5a1 1 0 0 1 1 1v1.75a1.25 1.25 0 0 0 2.5 0V6L11.5 3.5',
  ipfs: 'M8 2 13.2 5v6L8 14 2.8 11V5L8 2ZM2.8 5 8 8l5.2-3M8 8v6',
  streams: 'M2 5.5c2-2.5 4-2.5 6 0s4 2.5 6 0M2 10.5c2-2.5 4-2.5 6 0s4 2.5 6 0',
  replay: 'M3 3v3.5h3.5M3.4 6.5A5 5 0 1 1 3 9M8 5.8V8l1.8 1.2',
  try: 'M3 4.5 6.5 8 3 11.5M8 12h5.5',
  audit: 'M4 2.5h8a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1ZM5.5 5.5h5M5.5 8h5M5.5 10.5h3',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M6 5.5h6.5v8H6zM3.5 10.5v-8H10',
  check: 'M3 8.5 6.5 12 13 4.5',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.5v9l7-4.5-7-4.5Z',
  back: 'M9.5 3.5 5 8l4.5 4.5',
  warning: 'M8 2.5 14.2 13H1.8L8 2.5ZM8 6.5v3M8 11.3v.2',
} as const

export type IconName = keyof typeof paths

/** A small picture beside a text that says the same. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
