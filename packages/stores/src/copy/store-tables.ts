/** A table that a copy of a store takes. Its columns are those of the newest migration, the same in both databases. */
export interface StoreTable {
  readonly name: string
  /** Its primary key, in the order of which it is read; empty for a table of one row. */
  readonly key: readonly string[]
  /** Columns whose sums a person compares. */
  readonly sums?: readonly string[]
  /** Whether a new database has its row already, which the copy replaces. */
  readonly hasSeed?: true
}

/**
 * All tables that outlast a gateway, parents before their children. Not among them: `pin_leases`, which end with the process that holds
 * them, and `store_probe`.
 */
export const storeTables: readonly StoreTable[] = [
  { name: 'account_plans', key: ['id'] },
  { name: 'account_projects', key: ['id'] },
  { name: 'account_keys', key: ['id'] },
  { name: 'account_key_uses', key: ['key'] },
  { name: 'account_changes', key: ['seq'] },
  { name: 'account_audit', key: ['seq'] },
  { name: 'account_feed', key: [], hasSeed: true },
  { name: 'usage_processes', key: ['process'] },
  {
    name: 'usage_rows',
    key: ['period', 'at', 'project', 'key', 'network', 'method', 'status'],
    sums: ['calls', 'credits'],
  },
  { name: 'pin_projects', key: ['project'], sums: ['stored_bytes'] },
  { name: 'pins', key: ['project', 'cid'], sums: ['bytes'] },
  { name: 'pin_transfers', key: ['project', 'month'], sums: ['uploaded_bytes', 'downloaded_bytes'] },
  { name: 'pin_store', key: ['slot'] },
  { name: 'fee_networks', key: ['network'] },
  { name: 'fee_blocks', key: ['network', 'number'] },
  { name: 'fee_base_fees', key: ['network', 'part'] },
  { name: 'filters', key: ['network', 'id'] },
]
