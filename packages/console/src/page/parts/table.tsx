import type { ComponentChildren, JSX } from 'preact'
import { Scroll } from './scroll.tsx'

interface Column<T> {
  readonly name: string
  readonly render: (row: T) => ComponentChildren
  /** Numbers stand at the end. */
  readonly isNumber?: boolean
  /** Whether its name is for screen readers alone. */
  readonly isNameless?: boolean
  /** Whether it gets what room there is. */
  readonly isWide?: boolean
  /** Whether a narrow screen does without it. */
  readonly isExtra?: boolean
}

export interface TableProps<T> {
  /** What it lists, for who cannot see it. */
  readonly caption: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  /** Whether it fits a narrow screen as it is. */
  readonly isSmall?: boolean
}

/** A table; on a narrow screen each row becomes a card. */
export function Table<T>(props: TableProps<T>): JSX.Element {
  const { caption, columns, rows, keyOf, isSmall = false } = props
  const classOf = ({ isNumber = false, isNameless = false, isWide = false, isExtra = false }: Column<T>): string =>
    [isNumber && 'number', isNameless && 'nameless', isWide && 'wide', isExtra && 'extra'].filter(Boolean).join(' ')
  return (
    <Scroll label={caption}>
      {/* The roles outlive the cards of narrow screens, which are no table to a browser. */}
      <table class={isSmall ? 'table plain' : 'table'} role="table" aria-label={caption}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column.name} role="columnheader" scope="col" class={classOf(column)}>
                {column.isNameless === true ? <span class="unseen">{column.name}</span> : column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map((column) => (
                <td key={column.name} role="cell" class={classOf(column)} data-name={column.name}>
                  {column.render(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
