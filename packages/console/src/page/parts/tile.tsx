import type { ComponentChildren, JSX } from 'preact'

/** One number of a row of them. */
export function Tile(props: {
  readonly name: string
  readonly value: ComponentChildren
  readonly note?: ComponentChildren
  readonly isBad?: boolean
}): JSX.Element {
  const { name, value, note, isBad = false } = props
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd class={isBad ? 'tile-value bad' : 'tile-value'}>{value}</dd>
      <dd class="tile-note">{note ?? '\u00a0'}</dd>
    </div>
  )
}
