import type { Pin } from '@wayleave/admin-api'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { admin, allOf } from '../api/admin.ts'
import { Button } from '../parts/button.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { SelectField } from '../parts/field.tsx'
import { FoundPanel } from '../parts/found-panel.tsx'
import { PageHead, Panel } from '../parts/page.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { Text } from '../parts/text.tsx'
import { announce } from '../parts/toast.tsx'
import { useList } from '../parts/use-list.ts'
import { useLoad } from '../parts/use-load.ts'
import { query, setQuery } from '../router.ts'
import { lacks } from '../session.ts'
import { bytes, plural } from '../text/format.ts'
import { visible } from '../text/visible.ts'
import { unpin } from './ipfs/kubo.ts'
import { OpenDialog } from './ipfs/open-dialog.tsx'
import { UploadPanel } from './ipfs/upload-panel.tsx'

/** The page of content on IPFS. */
export function IpfsPage(): JSX.Element {
  const { value: projects, error, reload } = useLoad((signal) => allOf((page) => admin.projects(page, signal)), [])
  const chosen = query.value.get('project') ?? (projects?.find(({ source }) => source === 'store') ?? projects?.[0])?.id
  return (
    <>
      <PageHead title="IPFS" about="Content that projects have pinned">
        {projects !== undefined && projects.length > 0 && (
          <SelectField
            label="Project"
            isInline
            value={chosen ?? ''}
            onChange={(project) => setQuery({ project })}
            options={projects.map(({ id, name }) => ({ value: id, text: visible(name) }))}
          />
        )}
      </PageHead>
      {error !== undefined && error.status !== 403 && <Failure what="The projects" error={error} onRetry={reload} />}
      {error?.status === 403 && <ProjectById />}
      {chosen !== undefined ? (
        <Project key={chosen} id={chosen} />
      ) : projects === undefined ? (
        error === undefined && <Skeleton rows={6} />
      ) : (
        <Panel title="Pins">
          <Empty title="There are no projects yet">Content belongs to a project: create one first.</Empty>
        </Panel>
      )}
    </>
  )
}

/** A token of the scope `ipfs` alone may not list projects, so it names one. */
function ProjectById(): JSX.Element {
  const [id, setId] = useState('')
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault()
        if (id.trim() !== '') setQuery({ project: id.trim() })
      }}
    >
      <SearchField label="Id of a project" value={id} onChange={setId} />
      <Button type="submit">Show its content</Button>
    </form>
  )
}

interface Row extends Pin {
  readonly id: string
}

function Project({ id: project }: { readonly id: string }): JSX.Element {
  const list = useList<Row>(
    async (page, signal) => {
      const { items: pins, ...rest } = await admin.pins(project, page, signal)
      return { ...rest, items: pins.map((pin) => ({ ...pin, id: pin.cid })) }
    },
    [project],
  )
  const { items, reload, put } = list
  const [path, setPath] = useState<string | undefined>()
  const [toUnpin, setToUnpin] = useState<Row | undefined>()
  const reason = lacks('ipfs')
  const total = (items ?? []).reduce((sum, each) => sum + each.bytes, 0)

  return (
    <>
      <UploadPanel project={project} reason={reason} onAdded={reload} />
      <OpenForm reason={reason} onOpen={setPath} />
      <FoundPanel
        title="Pins"
        about={items && `${plural(items.length, 'pin')}, ${bytes(total)}`}
        one="pin"
        many="pins"
        list={list}
        searchLabel="Find by name or CID"
        isFound={({ cid, name = '' }, text) => cid.toLowerCase().includes(text) || name.toLowerCase().includes(text)}
        empty={
          <Empty title="This project has pinned nothing">
            Drop files above, or add some by the IPFS API with one of its keys.
          </Empty>
        }
        table={(rows) => (
          <Table
            caption="Pins"
            rows={rows}
            keyOf={({ cid }) => cid}
            columns={[
              {
                name: 'Name',
                isWide: true,
                render: ({ name, cid }) => (
                  <>
                    {name === undefined || name === '' ? <span class="muted">no name</span> : <Text of={name} />}
                    <div class="muted small mono cid">
                      <span class="break">{cid}</span> <CopyButton text={cid} what="the CID" />
                    </div>
                  </>
                ),
              },
              { name: 'Size', isNumber: true, render: ({ bytes: size }) => bytes(size) },
              { name: 'Kind', isExtra: true, render: ({ type }) => type },
              {
                name: 'Actions',
                isNameless: true,
                render: (row) => {
                  const title = visible(row.name ?? row.cid)
                  return (
                    <>
                      <Button kind="quiet" label={`Open ${title}`} reason={reason} onClick={() => setPath(row.cid)}>
                        Open
                      </Button>
                      <Button kind="quiet" label={`Unpin ${title}`} reason={reason} onClick={() => setToUnpin(row)}>
                        Unpin
                      </Button>
                    </>
                  )
                },
              },
            ]}
          />
        )}
      />
      {path !== undefined && (
        <OpenDialog key={path} project={project} path={path} onOpen={setPath} onClose={() => setPath(undefined)} />
      )}
      {toUnpin !== undefined && (
        <ConfirmDialog
          title="Unpin this content?"
          action="Unpin"
          onClose={() => setToUnpin(undefined)}
          onConfirm={async () => {
            await unpin(project, toUnpin.cid)
            put(toUnpin.cid, undefined)
            announce('It is unpinned.')
          }}
        >
          <p class="break">
            {toUnpin.name !== undefined && (
              <>
                <b>
                  <Text of={toUnpin.name} />
                </b>
                <br />
              </>
            )}
            <code>{toUnpin.cid}</code>
          </p>
          <p>{bytes(toUnpin.bytes)} are removed from this gateway, unless another project or pin holds them.</p>
        </ConfirmDialog>
      )}
    </>
  )
}

function OpenForm({
  reason,
  onOpen,
}: {
  readonly reason: string | undefined
  readonly onOpen: (path: string) => void
}): JSX.Element {
  const [text, setText] = useState('')
  const path = text.trim().replace(/^(?:ipfs:\/\/|\/ipfs\/)/, '')
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault()
        if (path !== '' && reason === undefined) onOpen(path)
      }}
    >
      <div class="grow">
        <SearchField label="A CID, or a path below one" value={text} onChange={setText} />
      </div>
      <Button type="submit" reason={reason}>
        Open
      </Button>
    </form>
  )
}
